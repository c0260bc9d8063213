import Joi from 'joi';
import { E164 } from '../../domain/alias';
import type { Contact } from '../../people/identity/users/user';
import { SECRET_NAMES, type SecretName } from '../../people/onboarding/parameters';
import { anyId, country, currency, formed, id, instant, nameText, paging } from '../server/conventions';

const email = () => Joi.string().email({ tlds: false }).max(254).example('ada@example.com');
const contact = () =>
  Joi.object<Contact>({
    name: nameText(200).min(1).required().example('Ada Lovelace'),
    email: email().required(),
    phone: formed(E164, 'must be a telephone number in international form, without spaces, such as +447700900000')
      .description('E.164')
      .example('+447700900000'),
  });
const currencies = () => Joi.array().items(currency()).unique().max(50);

export interface MerchantParams {
  organizationId: string;
}
export const merchantParams = Joi.object<MerchantParams>({ organizationId: anyId() });

export interface MerchantBody {
  businessName: string;
  technicalContact: Contact;
  country?: string;
  currencies?: string[];
}
export const merchantBody = Joi.object<MerchantBody>({
  businessName: nameText(200).min(1).required().example('Corner Shop'),
  technicalContact: contact().required().description('Becomes the technical user and gets the invitation'),
  country: country().example('DE'),
  currencies: currencies(),
});

export interface MerchantQuery {
  limit: number;
  cursor?: string;
}
export const merchantQuery = Joi.object<MerchantQuery>(paging());

export const merchantSchema = Joi.object({
  organizationId: id('organization').required(),
  tenantId: id('tenant').required(),
  businessName: Joi.string().required(),
  country: country().example('DE'),
  currencies: currencies().required(),
  merchantAccountId: id('merchantAccount').required(),
  terminalId: Joi.string().required(),
  userId: id('user').description('The technical user'),
  technicalContact: contact(),
  state: Joi.string()
    .valid('invited', 'active')
    .required()
    .description('`active` when the technical user has set a password'),
  invitationExpiresAt: instant().description('Absent after the invitation was accepted or has expired'),
  mode: Joi.string().valid('sandbox', 'live').required(),
  createdAt: instant().required(),
});

export interface ParameterParams {
  name: SecretName;
}
export const parameterParams = Joi.object<ParameterParams>({
  name: Joi.string()
    .valid(...SECRET_NAMES)
    .required(),
});

const secret = {
  value: Joi.string().description('Shown only to the first reader and in the answer of a rotation'),
  lastFour: Joi.string().required(),
  since: instant().required().description('When the value was created'),
  shownAt: instant().description('When the value was shown'),
  unreadUntil: instant().description(
    'Present while nobody has read the value. The technical user can read it until then',
  ),
  previousUntil: instant().description('The replaced values work until this time'),
};
export const secretSchema = Joi.object({
  name: Joi.string()
    .valid(...SECRET_NAMES)
    .required(),
  ...secret,
});
const shown = () => Joi.object(secret);
export const parametersSchema = Joi.object({
  clientId: Joi.string().required(),
  clientSecret: shown(),
  terminalId: Joi.string().required(),
  terminalPassword: shown(),
  callbackSecret: shown(),
});
