import { createHash } from 'node:crypto';
import type { CardChange, Charge } from '../../books';
import { isCardNumber } from '../../cards';
import type { OutgoingCallback } from '../../notice';
import { sign } from './callback';

/** The callback names the update and holds no card data. */
export function renderCardChange({ id, reference, kind }: CardChange, secret: string): OutgoingCallback {
  const body = JSON.stringify({
    eventId: `evt_${id}`,
    type: 'card_update',
    status: kind === 'closed' ? 'CARD_CLOSED' : 'CARD_UPDATED',
    reference,
    updateId: id,
    occurredAt: new Date().toISOString(),
  });
  return {
    method: 'POST',
    receiver: 'processor_a',
    headers: { 'content-type': 'application/json', 'x-signature': sign(body, secret) },
    body,
  };
}

/** `GET /a/v1/card-updates/{updateId}`. */
export function presentCardChange(change: CardChange, charge: Charge | undefined): Record<string, unknown> {
  const { id, reference, kind, expiryMonth, expiryYear } = change;
  if (kind === 'closed') return { updateId: id, reference, status: 'CLOSED' };
  const number = kind === 'replaced' ? newNumber(id, charge?.card?.brand) : undefined;
  return { updateId: id, reference, status: 'UPDATED', card: { number, expiryMonth, expiryYear } };
}

const BEGINNINGS: Record<string, string> = { MASTERCARD: '55555555', AMEX: '3782822' };

/** A number of the brand, the same for an update whenever it is asked for. */
function newNumber(id: string, brand = 'VISA'): string {
  const beginning = BEGINNINGS[brand] ?? '41111111';
  const digits = BigInt(`0x${createHash('sha256').update(id).digest('hex')}`).toString();
  const body = beginning + digits.slice(0, 7);
  return [...'0123456789'].map((check) => body + check).find(isCardNumber)!;
}
