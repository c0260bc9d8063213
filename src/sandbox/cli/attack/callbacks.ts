import { createHmac, randomUUID } from 'node:crypto';
import type { Attack } from './attack';
import type { Place } from './place';

const RECEIVER = '/callbacks/processor_a';

/** Speaks as a processor. Each tries to have a payment captured that was only authorized. */
export const CALLBACK_ATTACKS: Attack[] = [
  {
    name: 'a callback without a signature',
    point: 'ASVS 4.1.5',
    expected: '401, authorized',
    strike: (place) => told(place, (body) => ({ body, headers: {} })),
  },
  {
    name: 'a callback that is signed with another secret',
    point: 'ASVS 4.1.5',
    expected: '401, authorized',
    strike: (place) => told(place, (body) => ({ body, headers: signed(body, 'another secret') })),
  },
  {
    name: 'a callback that was changed after it was signed',
    point: 'ASVS 4.1.5',
    expected: '401, authorized',
    strike: (place) =>
      told(place, (body, secret) => ({ body: body.replace('10.00', '1.00'), headers: signed(body, secret) })),
  },
  {
    name: 'a callback that is sent again',
    point: 'ASVS 2.3.1',
    expected: 'new, then 4 x known',
    strike: async (place) => {
      const body = captured(await place.payment());
      const headers = signed(body, place.credentials.processorSecrets.a!);
      const answers = [];
      for (let sent = 0; sent < 5; sent += 1) answers.push(await place.nobody.post(RECEIVER, body, headers));
      const [first, ...later] = answers.map(({ body: said }) => (said.duplicate ? 'known' : 'new'));
      return `${first}, then ${later.filter((word) => word === 'known').length} x known`;
    },
  },
];

interface Sent {
  body: string;
  headers: Record<string, string>;
}

/** Tells of a capture that never was. Answers the status, and where the payment stands. */
async function told(place: Place, write: (body: string, secret: string) => Sent): Promise<string> {
  const id = await place.payment(['authorized'], { capture: 'manual' });
  const { body, headers } = write(captured(id), place.credentials.processorSecrets.a!);
  const { status } = await place.nobody.post(RECEIVER, body, headers);
  return `${status}, ${(await place.paid(id)).transactionStatus}`;
}

function captured(reference: string): string {
  const eventId = `evt-${randomUUID()}`;
  return JSON.stringify({ eventId, type: 'payment', reference, status: 'CAPTURED', amount: '10.00', currency: 'EUR' });
}

const signed = (body: string, secret: string) => ({
  'x-signature': createHmac('sha256', secret).update(body).digest('hex'),
});
