import sharp from 'sharp';
import { refuse } from '../../domain/errors';

/** A picture of more than that is not unpacked: a small file can claim any size. */
const MAX_PIXELS = 40_000_000;

export interface Box {
  /** In pixels. */
  width: number;
  height: number;
}

/**
 * A picture as WebP that fits into the box, never larger than it was, and without what the camera wrote into it. Throws
 * `invalid_request` for content that is no picture.
 */
export async function shrunk(content: Buffer, box: Box): Promise<Buffer> {
  try {
    return await sharp(content, { limitInputPixels: MAX_PIXELS, failOn: 'error' })
      .autoOrient()
      .resize({ ...box, fit: 'inside', withoutEnlargement: true })
      .webp()
      .toBuffer();
  } catch {
    return refuse('body', 'cannot be read as a picture');
  }
}
