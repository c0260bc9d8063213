import QRCode from 'qrcode';
import type { PayerAction } from '../providers/connector';

/** Adds the pictures of a code that is to be scanned: `fields.png` and `fields.svg`, as data URIs. */
export async function withPictures(action: PayerAction): Promise<PayerAction> {
  const payload = action.fields?.payload;
  if (action.type !== 'qr' || !payload) return action;
  const options = { errorCorrectionLevel: 'M' as const, margin: 2 };
  const [png, svg] = await Promise.all([
    QRCode.toDataURL(payload, { ...options, width: 320 }),
    QRCode.toString(payload, { ...options, type: 'svg' }),
  ]);
  return { ...action, fields: { ...action.fields, png, svg: `data:image/svg+xml,${encodeURIComponent(svg)}` } };
}
