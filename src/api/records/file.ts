import Joi from 'joi';
import { DOCUMENT_TYPES } from '../../domain/document-type';
import type { FileRow } from '../../foundation/files/file-store';
import { id, instant } from '../server/conventions';

export const fileSchema = Joi.object({
  fileId: id('file').required(),
  contentType: Joi.string()
    .valid(...DOCUMENT_TYPES)
    .required(),
  sizeBytes: Joi.number().integer().required(),
  uploadedBy: Joi.string().required(),
  uploadedAt: instant().required(),
});

/** A file without its content. */
export function presentFile(file: FileRow): Record<string, unknown> {
  return {
    fileId: file.id,
    contentType: file.content_type,
    sizeBytes: file.size_bytes,
    uploadedBy: file.uploaded_by,
    uploadedAt: file.completed_at,
  };
}
