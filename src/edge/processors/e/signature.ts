import type { RawCallback } from '../../../domain/connector';
import { isHmacOf } from '../callback';

/** How far the sender's clock and the way here may differ from ours, either way. */
const TOLERANCE_SECONDS = 300;

/**
 * `Processor-Signature: t=<unix seconds>,v1=<hex HMAC-SHA256 of "t.body">`. Signed anew for each try, so that what was
 * once overheard is worth nothing five minutes later. Other schemes beside `v1` are passed over.
 */
export function isSignedNow({ headers, body }: RawCallback, secret: string, now = Date.now()): boolean {
  const items = (headers['processor-signature'] ?? '').split(',').map((item) => item.trim());
  const valuesOf = (name: string) =>
    items.filter((item) => item.startsWith(`${name}=`)).map((item) => item.slice(name.length + 1));
  const [[seconds = '', ...otherTimes], [signature, ...others]] = [valuesOf('t'), valuesOf('v1')];
  if (otherTimes.length > 0 || others.length > 0 || !/^[0-9]{1,12}$/.test(seconds)) return false;
  if (Math.abs(Math.floor(now / 1_000) - Number(seconds)) > TOLERANCE_SECONDS) return false;
  return isHmacOf(Buffer.concat([Buffer.from(`${seconds}.`), body]), signature, secret);
}
