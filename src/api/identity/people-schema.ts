import Joi from 'joi';
import { E164 } from '../../domain/alias';
import { CLIENT_ROLES } from '../../people/identity/principal';
import { PERSON_STATES, type PeoplePage, type PersonChange } from '../../people/identity/users/people';
import type { UserRole } from '../../people/identity/users/user';
import { anyId, formed, id, instant, nameText, paging } from '../server/conventions';
import { secondFactorKind } from './user-schema';

const role = () => Joi.string().valid(...CLIENT_ROLES);
const name = () => nameText(120).min(1).example('Ada Lovelace');
const phone = () => formed(E164, 'must be a telephone number in E.164, such as +351210000000').example('+351210000000');
const organizationId = () => Joi.string().max(100).description('For the role `merchant`');

export interface InvitationBody {
  email: string;
  name: string;
  phone?: string;
  role: UserRole;
  organizationId?: string;
}
export const invitationBody = Joi.object<InvitationBody>({
  email: Joi.string().email({ tlds: false }).max(254).required().example('ada@example.com'),
  name: name().required(),
  phone: phone(),
  role: role().required().example('tenant_admin'),
  organizationId: organizationId(),
});

export const changeBody = Joi.object<PersonChange>({
  name: name(),
  phone: phone().allow(null),
  role: role().example('tenant_admin'),
  organizationId: organizationId(),
})
  .min(1)
  .example({ name: 'Ada Lovelace' });

export const peopleQuery = Joi.object<PeoplePage>({
  ...paging(),
  role: role(),
  organizationId: Joi.string().max(100),
  state: Joi.string().valid(...PERSON_STATES),
});

export interface PersonParams {
  userId: string;
}
export const personParams = Joi.object<PersonParams>({ userId: anyId() });

export const personSchema = Joi.object({
  userId: id('user').required(),
  name: Joi.string().required(),
  email: Joi.string().required(),
  phone: Joi.string(),
  role: role().required(),
  tenantId: Joi.string(),
  organizationId: Joi.string(),
  state: Joi.string()
    .valid(...PERSON_STATES)
    .required()
    .description('`invited`: has not chosen a password yet'),
  invitedBy: Joi.string(),
  createdAt: instant().required(),
});

export interface NewClientBody {
  name: string;
  role: UserRole;
  organizationId?: string;
}
export const newClientBody = Joi.object<NewClientBody>({
  name: nameText(120).min(1).required().example('Web shop'),
  role: role().required().example('tenant_admin'),
  organizationId: organizationId(),
});

export const clientQuery = Joi.object<{ limit: number; cursor?: string; role?: UserRole; organizationId?: string }>({
  ...paging(),
  role: role(),
  organizationId: Joi.string().max(100),
});

export interface ClientParams {
  clientId: string;
}
export const clientParams = Joi.object<ClientParams>({ clientId: anyId() });

const clientMembers = {
  clientId: Joi.string().required(),
  name: Joi.string().required(),
  role: role().required(),
  tenantId: Joi.string(),
  organizationId: Joi.string(),
  terminalId: Joi.string().description('It is the pair of a terminal and works for one merchant account'),
  createdBy: Joi.string(),
  createdAt: instant().required(),
  disabledAt: instant(),
};
export const clientSchema = Joi.object(clientMembers);
export const clientWithSecretSchema = Joi.object({
  ...clientMembers,
  secret: Joi.string().required().description('Shown in this answer only'),
});

export interface SessionParams {
  sessionId: string;
}
export const sessionParams = Joi.object<SessionParams>({ sessionId: anyId() });
export const sessionsSchema = Joi.object({
  data: Joi.array()
    .items(
      Joi.object({
        sessionId: Joi.string().required(),
        kind: Joi.string().valid('token', 'cookie').required().description('`cookie`: signed in to the console'),
        source: Joi.string().description('The address from which you signed in'),
        agent: Joi.string().description('What the browser or program calls itself'),
        secondFactor: secondFactorKind(),
        createdAt: instant().required(),
        seenAt: instant().required().description('The last use of a cookie, to the minute'),
        expiresAt: instant().required(),
        endsAt: instant().description('When the session of a cookie ends in any case'),
        current: Joi.boolean().required().description('The session of this request'),
      }),
    )
    .required(),
});
