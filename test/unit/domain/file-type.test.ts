import { FILE_TYPES, type FileType, isOfType } from '../../../src/domain/file-type';

const BEGINNINGS: Record<FileType, Buffer> = {
  'application/pdf': Buffer.from('%PDF-1.7'),
  'image/png': Buffer.from('89504e470d0a1a0a00', 'hex'),
  'image/jpeg': Buffer.from('ffd8ffe0', 'hex'),
  'image/webp': Buffer.from('RIFF\x24\x00\x00\x00WEBPVP8 ', 'latin1'),
};

test.each(FILE_TYPES)('%s is what begins so, and nothing else is', (type) => {
  expect(FILE_TYPES.filter((each) => isOfType(each, BEGINNINGS[type]))).toEqual([type]);
  expect(isOfType(type, Buffer.alloc(0))).toBe(false);
});

test('what is only a container of the same kind is no WebP', () => {
  expect(isOfType('image/webp', Buffer.from('RIFF\x24\x00\x00\x00WAVEfmt ', 'latin1'))).toBe(false);
  expect(isOfType('image/webp', Buffer.from('RIFF'))).toBe(false);
});
