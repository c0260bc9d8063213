import QRCode from 'qrcode';
import type { PayerAction } from '../../domain/processor-answers';

/** Adds the pictures of a code that is to be scanned, or may be: `fields.png` and `fields.svg`, as data URIs. */
export async function withPictures(action: PayerAction): Promise<PayerAction> {
  const payload = action.fields?.payload;
  if (action.type === 'redirect' || !payload) return action;
  return { ...action, fields: { ...action.fields, ...(await picturesOf(payload)) } };
}

/** A QR code of the text as PNG and as SVG, both as data URIs. */
export async function picturesOf(text: string): Promise<{ png: string; svg: string }> {
  const options = { errorCorrectionLevel: 'M' as const, margin: 2 };
  const [png, svg] = await Promise.all([
    QRCode.toDataURL(text, { ...options, width: 320 }),
    QRCode.toString(text, { ...options, type: 'svg' }),
  ]);
  return { png, svg: `data:image/svg+xml,${encodeURIComponent(svg)}` };
}
