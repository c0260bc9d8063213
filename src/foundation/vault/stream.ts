import { createCipheriv, createDecipheriv } from 'node:crypto';

const TAG_BYTES = 16;

/**
 * The STREAM construction (Hoang, Reyhanitabar, Rogaway, Vizár: Online Authenticated-Encryption and its Nonce-Reuse
 * Misuse-Resistance, 2015) over AES-256-GCM: the nonce of a chunk is its number and whether it is the last, so that
 * chunks can be neither swapped nor left out, at the end neither. A key is good for one stream only.
 */
function nonceOf(position: number, isLast: boolean): Buffer {
  const nonce = Buffer.alloc(12);
  nonce.writeUInt32BE(position, 7);
  nonce[11] = isLast ? 1 : 0;
  return nonce;
}

/** Seals one chunk: ciphertext | tag. `context` is authenticated with it. */
export function sealChunk(key: Buffer, context: string, position: number, isLast: boolean, plain: Buffer): Buffer {
  const cipher = createCipheriv('aes-256-gcm', key, nonceOf(position, isLast));
  cipher.setAAD(Buffer.from(context));
  return Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

/** The inverse of sealChunk. Throws when key, context, place or bytes differ. */
export function openChunk(key: Buffer, context: string, position: number, isLast: boolean, sealed: Buffer): Buffer {
  const decipher = createDecipheriv('aes-256-gcm', key, nonceOf(position, isLast));
  decipher.setAAD(Buffer.from(context));
  decipher.setAuthTag(sealed.subarray(sealed.length - TAG_BYTES));
  return Buffer.concat([decipher.update(sealed.subarray(0, sealed.length - TAG_BYTES)), decipher.final()]);
}

export interface Chunk {
  position: number;
  isLast: boolean;
  bytes: Buffer;
}

/** Cuts a stream of buffers of any size into chunks of `size` bytes; only the last may be shorter. Nothing gives nothing. */
export async function* inChunks(source: AsyncIterable<Buffer>, size: number): AsyncGenerator<Chunk> {
  let parts: Buffer[] = [];
  let held = 0;
  let position = 0;
  for await (const part of source) {
    let rest = part;
    // A full chunk is let go only when something follows: then it is not the last.
    while (held + rest.length > size) {
      parts.push(rest.subarray(0, size - held));
      rest = rest.subarray(size - held);
      yield { position, isLast: false, bytes: Buffer.concat(parts) };
      position += 1;
      parts = [];
      held = 0;
    }
    if (rest.length > 0) parts.push(rest);
    held += rest.length;
  }
  if (held > 0) yield { position, isLast: true, bytes: Buffer.concat(parts) };
}
