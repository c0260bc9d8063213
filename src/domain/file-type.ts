import { DOCUMENT_TYPES } from './document-type';

/** Types of picture that an item of the inventory can have: what every browser shows. */
export const IMAGE_TYPES = ['image/png', 'image/jpeg', 'image/webp'] as const;
export type ImageType = (typeof IMAGE_TYPES)[number];

/** Types of file that are kept. */
export const FILE_TYPES = [...new Set([...DOCUMENT_TYPES, ...IMAGE_TYPES])];
export type FileType = (typeof FILE_TYPES)[number];

/** What a file of that type has where; between the two marks of WebP stands its length. */
const MARKS: Record<FileType, { at: number; bytes: Buffer }[]> = {
  'application/pdf': [{ at: 0, bytes: Buffer.from('%PDF-') }],
  'image/png': [{ at: 0, bytes: Buffer.from('89504e470d0a1a0a', 'hex') }],
  'image/jpeg': [{ at: 0, bytes: Buffer.from('ffd8ff', 'hex') }],
  'image/webp': [
    { at: 0, bytes: Buffer.from('RIFF') },
    { at: 8, bytes: Buffer.from('WEBP') },
  ],
};

/** True when the content begins as a file of that type does. */
export function isOfType(contentType: FileType, content: Buffer): boolean {
  return MARKS[contentType].every(({ at, bytes }) => content.subarray(at, at + bytes.length).equals(bytes));
}
