import type { FileRow } from '../../foundation/files/file-store';
import type { CustomerEventRow } from '../../people/customers/status';
import type { WholeDocument } from '../../people/kyc/service';

/** A document of a customer with its review and its file. */
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

/** What a file is, not what is in it. */
export function presentFile(file: FileRow): Record<string, unknown> {
  return {
    fileId: file.id,
    contentType: file.content_type,
    sizeBytes: file.size_bytes,
    uploadedBy: file.uploaded_by,
    uploadedAt: file.completed_at,
  };
}

export function presentEvent({ from_status, to_status, actor, reason, at }: CustomerEventRow): Record<string, unknown> {
  return { from: from_status ?? undefined, to: to_status, actor, reason, at };
}
