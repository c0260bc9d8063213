import Joi from 'joi';
import { DOCUMENT_TYPES, type DocumentType } from '../../domain/document-type';
import { isOfType } from '../../domain/file-type';
import { DISPUTE_STATUSES } from '../../domain/states/dispute';
import { currency, formed, instant, paging, say } from '../server/conventions';

const status = () => Joi.string().valid(...DISPUTE_STATUSES);
const money = () => Joi.string().example('10.00');

export const disputeEventSchema = Joi.object({
  step: Joi.string().required(),
  from: status(),
  to: status().required(),
  amount: money().required().description('How much money the step moved. A negative amount left the merchant'),
  currency: currency().required(),
  cause: Joi.string().required(),
  detail: Joi.string().allow('').required(),
  at: instant().required(),
});

/** Any text passes here. An unknown id is answered with 404. */
export const disputeParams = Joi.object({ disputeId: Joi.string().max(100).required() });
export interface DisputeParams {
  disputeId: string;
}

export interface DisputeListQuery {
  limit: number;
  cursor?: string;
  status?: string;
  paymentId?: string;
}
export const disputeListQuery = Joi.object<DisputeListQuery>({
  ...paging(),
  status: status(),
  paymentId: Joi.string().max(100),
});

export interface EvidenceBody {
  text: string;
  documents?: { name: string; contentType: DocumentType; content: string }[];
}

/** RFC 4648 section 4, with padding. */
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

const documentSchema = Joi.object({
  name: formed(
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
    /^[^/\\\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]+$/u,
    'must be a file name, without folders and control characters',
  )
    .max(120)
    .required()
    .example('delivery-note.pdf'),
  contentType: Joi.string()
    .valid(...DOCUMENT_TYPES)
    .required(),
  content: Joi.string()
    .max(1_000_000)
    .custom((text: string, helpers) => {
      if (!BASE64.test(text)) return say(helpers, 'must be base64 with padding (RFC 4648 section 4)');
      const { contentType } = helpers.state.ancestors[0];
      if (!DOCUMENT_TYPES.includes(contentType)) return text;
      return isOfType(contentType, Buffer.from(text.slice(0, 16), 'base64'))
        ? text
        : say(helpers, 'does not match its contentType');
    })
    .meta({ pattern: BASE64.source })
    .required()
    .description('Base64. The whole request may have at most 1 MiB'),
});

export const evidenceBody = Joi.object<EvidenceBody>({
  text: Joi.string().min(1).max(20_000).required(),
  documents: Joi.array().items(documentSchema).max(10),
});
