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

/** A mug, as a seller would photograph it. */
export const mug = () =>
  drawn(`<svg xmlns="http://www.w3.org/2000/svg" width="600" height="600">
    <rect width="600" height="600" fill="#e9e2d6"/><ellipse cx="280" cy="500" rx="190" ry="30" fill="#cfc4b2"/>
    <path d="M400 230 q130 10 100 130 q-20 80 -120 70" fill="none" stroke="#2f6f8f" stroke-width="42"/>
    <path d="M130 160 h290 l-30 320 q-10 30 -40 30 h-150 q-30 0 -40 -30 z" fill="#3b86ab"/>
    <ellipse cx="275" cy="160" rx="145" ry="34" fill="#5aa3c6"/><ellipse cx="275" cy="164" rx="118" ry="24" fill="#4a2f1f"/>
  </svg>`);

/** A sign of three waves. */
export const waves = () =>
  drawn(`<svg xmlns="http://www.w3.org/2000/svg" width="288" height="192" fill="none" stroke="#0b5d3b" stroke-width="22">
    <path d="M12 56 q44 -44 88 0 t88 0 t88 0"/><path d="M12 106 q44 -44 88 0 t88 0 t88 0"/>
    <path d="M12 156 q44 -44 88 0 t88 0 t88 0"/></svg>`);

const drawn = (svg: string) => sharp(Buffer.from(svg)).png().toBuffer();
