import { randomBytes } from 'node:crypto';
import { type Chunk, inChunks, openChunk, sealChunk } from '../../../../src/foundation/vault/stream';

async function* partsOf(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function cut(bytes: Buffer, partSize: number, chunkSize: number): Promise<Chunk[]> {
  const chunks: Chunk[] = [];
  for await (const chunk of inChunks(partsOf(bytes, partSize), chunkSize)) chunks.push(chunk);
  return chunks;
}

test.each([1, 7, 8, 9, 100])(
  'parts of %i bytes become chunks of the same size, the last one marked',
  async (partSize) => {
    for (const length of [0, 1, 7, 8, 9, 15, 16, 17, 64]) {
      const bytes = randomBytes(length);
      const chunks = await cut(bytes, partSize, 8);
      expect(Buffer.concat(chunks.map((chunk) => chunk.bytes))).toEqual(bytes);
      expect(
        chunks
          .map(({ bytes: { length } }) => length)
          .slice(0, -1)
          .every((size) => size === 8),
      ).toBe(true);
      expect(chunks.map(({ position }) => position)).toEqual(chunks.map((_, place) => place));
      expect(chunks.map(({ isLast }) => isLast)).toEqual(chunks.map((_, place) => place === chunks.length - 1));
    }
  },
);

describe('a sealed chunk', () => {
  const key = randomBytes(32);
  const plain = Buffer.from('a document');
  const sealed = sealChunk(key, 'fil_1', 3, false, plain);

  test('opens in its place', () => {
    expect(openChunk(key, 'fil_1', 3, false, sealed)).toEqual(plain);
  });

  test.each<[string, () => Buffer]>([
    ['in another place', () => openChunk(key, 'fil_1', 4, false, sealed)],
    ['as the last, so that what followed could be left out', () => openChunk(key, 'fil_1', 3, true, sealed)],
    ['in another file', () => openChunk(key, 'fil_2', 3, false, sealed)],
    ['under another key', () => openChunk(randomBytes(32), 'fil_1', 3, false, sealed)],
    [
      'with a bit changed',
      () => openChunk(key, 'fil_1', 3, false, Buffer.from(sealed.map((byte, at) => (at === 0 ? byte ^ 1 : byte)))),
    ],
  ])('does not open %s', (_, open) => {
    expect(open).toThrow();
  });
});
