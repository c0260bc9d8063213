import { randomBytes } from 'node:crypto';
import sharp from 'sharp';

/** A picture of random points, which no format makes small: about 3 bytes a point as PNG. */
export function noisyPicture(width: number, height: number, format: 'png' | 'webp' = 'png'): Promise<Buffer> {
  const raw = { width, height, channels: 3 } as const;
  return sharp(randomBytes(width * height * 3), { raw })
    .toFormat(format)
    .toBuffer();
}

/** A picture of one colour. */
export function plainPicture(width: number, height: number, colour: string): Promise<Buffer> {
  return sharp({ create: { width, height, channels: 3, background: colour } })
    .png()
    .toBuffer();
}
