import Joi from 'joi';
import { DOCUMENT_STATUSES } from '../../domain/states/document';
import type { WholeDocument } from '../../people/customers/document-files';
import { id, instant } from '../server/conventions';
import { fileSchema, presentFile } from './file';

export const documentSchema = Joi.object({
  documentId: id('document').required(),
  purpose: Joi.string().allow(''),
  name: Joi.string().allow(''),
  documentType: Joi.string().allow(''),
  location: Joi.string().allow(''),
  metadata: Joi.array().items(
    Joi.object({
      name: Joi.string().allow(''),
      type: Joi.string(),
      value: Joi.string().allow(''),
    }),
  ),
  status: Joi.string()
    .valid(...DOCUMENT_STATUSES)
    .required(),
  verificationResponse: Joi.string().required(),
  expiresAt: instant(),
  reviewedBy: Joi.string(),
  changedAt: instant().required(),
  file: fileSchema,
});

/** A customer's document with its review and its file. */
export function presentDocument({ row, content, file }: WholeDocument): Record<string, unknown> {
  return {
    documentId: row.id,
    ...content,
    status: row.status,
    verificationResponse: row.verification_response,
    expiresAt: row.expires_at ?? undefined,
    reviewedBy: row.reviewed_by ?? undefined,
    changedAt: row.changed_at,
    file: file && presentFile(file),
  };
}
