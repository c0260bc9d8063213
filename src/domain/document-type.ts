/** Types of document that are taken: as evidence, and of customers. */
export const DOCUMENT_TYPES = ['application/pdf', 'image/png', 'image/jpeg'] as const;
export type DocumentType = (typeof DOCUMENT_TYPES)[number];

const BEGINNINGS: Record<DocumentType, Buffer> = {
  'application/pdf': Buffer.from('%PDF-'),
  'image/png': Buffer.from('89504e470d0a1a0a', 'hex'),
  'image/jpeg': Buffer.from('ffd8ff', 'hex'),
};

/** True when the content begins as a document of that type does. */
export function isOfType(contentType: DocumentType, content: Buffer): boolean {
  return content.subarray(0, BEGINNINGS[contentType].length).equals(BEGINNINGS[contentType]);
}
