import { createHmac, timingSafeEqual } from 'node:crypto';

/** The challenge response (CRes) of EMV 3-D Secure 2, with what a simulated issuer needs to know its own again. */
export interface ChallengeResponse {
  acsTransID: string;
  reference: string;
  /** Y authenticated, N not. */
  transStatus: 'Y' | 'N';
  eventId: string;
  occurredAt: string;
}

/** Makes a challenge response, base64url JSON, that only the holder of `secret` can make. */
export function writeChallengeResponse(response: ChallengeResponse, secret: string): string {
  const content = {
    messageType: 'CRes',
    messageVersion: '2.2.0',
    threeDSServerTransID: response.acsTransID,
    ...response,
    mac: macOf(response, secret).toString('hex'),
  };
  return Buffer.from(JSON.stringify(content)).toString('base64url');
}

/** Undefined when it cannot be read, or was not made with `secret`. */
export function readChallengeResponse(cres: string, secret: string): ChallengeResponse | undefined {
  try {
    const response = JSON.parse(Buffer.from(cres, 'base64url').toString('utf8')) as ChallengeResponse & { mac: string };
    const given = Buffer.from(response.mac, 'hex');
    const right = macOf(response, secret);
    return given.length === right.length && timingSafeEqual(given, right) ? response : undefined;
  } catch {
    return undefined;
  }
}

function macOf({ acsTransID, reference, transStatus, eventId }: ChallengeResponse, secret: string): Buffer {
  return createHmac('sha256', secret)
    .update(JSON.stringify(['challenge response', acsTransID, reference, transStatus, eventId]))
    .digest();
}
