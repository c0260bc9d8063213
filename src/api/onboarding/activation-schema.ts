import Joi from 'joi';
import { ACTIVATION_STATUSES, type ActivationStatus } from '../../domain/states/activation';
import { type ActivationDocument, CHECKS } from '../../people/onboarding/activation';
import { fileSchema } from '../records/file';
import {
  anyId,
  country,
  currency,
  freeText,
  id,
  instant,
  nameText,
  paging,
  saying,
  webUrl,
} from '../server/conventions';

const MAX_DECLARED = 50;
const MAX_DOCUMENTS = 50;

const text = (max: number) => Joi.string().min(1).max(max);
const status = () => Joi.string().valid(...ACTIVATION_STATUSES);
const document = () =>
  Joi.object<ActivationDocument>({
    purpose: text(100).required().example('KYB'),
    name: nameText(200).min(1).required().example('Extract from the commercial register'),
    documentType: text(100).example('Certificate of incorporation'),
    reference: freeText(500).min(1).description('A link to the document, or its number. Without it, upload a file'),
  });
const documentNumber = () =>
  Joi.number().integer().min(1).max(MAX_DOCUMENTS).description('Position of the document in the application, from 1');
const declared = () =>
  Joi.object()
    .pattern(/^[A-Za-z]\w{0,63}$/, Joi.alternatives(Joi.boolean(), freeText(500).min(1)))
    .alter(
      saying({ 'object.unknown': 'must have a name that begins with a letter and has only letters, digits and _' }),
    )
    .max(MAX_DECLARED)
    .example({ termsAccepted: true, website: 'https://shop.example' });

export interface ActivationBody {
  organizationId?: string;
  checklist: Record<string, unknown>;
  documents?: ActivationDocument[];
  callbackUrl?: string;
  country?: string;
  currencies?: string[];
}
export const activationBody = Joi.object<ActivationBody>({
  organizationId: id('organization').description('Required if a tenant admin sends no `organizationId` header'),
  checklist: declared().required().description('What the merchant declares: for each name true, false or a sentence'),
  documents: Joi.array().items(document()).max(MAX_DOCUMENTS),
  callbackUrl: webUrl(2_000).description('URL for the merchant’s notifications. We send a signed `test.ping` to it'),
  country: country().description('ISO 3166-1 alpha-2. Needed if we do not know it yet'),
  currencies: Joi.array().items(currency()).min(1).max(50).unique(),
});

export interface ActivationParams {
  activationId: string;
}
export const activationParams = Joi.object<ActivationParams>({ activationId: anyId() });

export interface ActivationDocumentParams extends ActivationParams {
  documentNumber: number;
}
export const activationDocumentParams = Joi.object<ActivationDocumentParams>({
  activationId: anyId(),
  documentNumber: documentNumber().required(),
});

export interface ActivationQuery {
  limit: number;
  cursor?: string;
  status?: ActivationStatus;
  organizationId?: string;
}
export const activationQuery = Joi.object<ActivationQuery>({
  ...paging(),
  status: status(),
  organizationId: id('organization'),
});

export interface DecisionBody {
  reason?: string;
}
export const approveBody = Joi.object<DecisionBody>({
  reason: freeText(500).min(1).description('Required if one of `checks` is not done'),
});
export const rejectBody = Joi.object<DecisionBody>({
  reason: freeText(500).min(1).required().description('The merchant reads it'),
});

const common = {
  activationId: id('activation').required(),
  tenantId: id('tenant').required(),
  organizationId: id('organization').required(),
  number: Joi.number().integer().required().description('1 for the first application of the merchant'),
  status: status().required(),
  submittedBy: Joi.string().required(),
  createdAt: instant().required(),
  decision: Joi.string()
    .valid('approved', 'rejected', 'withdrawn')
    .description('The recorded decision. `status` changes shortly after it'),
  decidedBy: Joi.string(),
  decidedAt: instant(),
  reason: Joi.string(),
};
export const activationLineSchema = Joi.object(common);
export const activationSchema = Joi.object({
  ...common,
  checks: Joi.array()
    .items(
      Joi.object({
        item: Joi.string()
          .valid(...CHECKS)
          .required(),
        done: Joi.boolean().required(),
      }),
    )
    .required()
    .description('What we have checked ourselves, as of now'),
  checklist: declared().required(),
  documents: Joi.array()
    .items(document().append({ documentNumber: documentNumber().required(), file: fileSchema }))
    .required(),
  callbackUrl: Joi.string(),
});
