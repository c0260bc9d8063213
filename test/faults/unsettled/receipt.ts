import { randomUUID } from 'node:crypto';
import { CARDS, send, signedByA, until } from '../../e2e/client';
import { killWorkers } from './kill';
import { place } from './place';

test('the API killed while it receives callbacks: each that it answered is there once, and so is each that is sent again', async () => {
  const { merchant, ops } = place.actors;
  const { apiUrl, processorSecrets } = place.stack.credentials;
  const { paymentId } = await merchant.paid(CARDS.visa);
  const answered = new Set<string>();
  const unanswered = new Set<string>();
  const tell = async (eventId: string): Promise<boolean> => {
    const fields = { eventId, reference: paymentId, status: 'CAPTURED', amount: '10.00', currency: 'EUR' };
    const reply = await send(`${apiUrl}/callbacks/processor_a`, signedByA(processorSecrets.a!, fields)).catch(
      () => undefined,
    );
    return reply?.status === 200;
  };
  let isOver = false;
  const senders = Array.from({ length: 16 }, async () => {
    while (!isOver) {
      const eventId = `evt-${randomUUID()}`;
      const heard = await tell(eventId);
      (heard ? answered : unanswered).add(eventId);
      if (!heard) return;
    }
  });
  await until('some are answered', async () => answered.size > 50);
  await killWorkers(['tillway-api']);
  isOver = true;
  await Promise.all(senders);
  expect(unanswered.size).toBeGreaterThan(0);
  for (const eventId of unanswered) await until('taken when it is sent again', () => tell(eventId));

  const stored: string[] = [];
  for (let path = `/ops/1.0.0/callbacks?reference=${paymentId}&limit=100`; path; ) {
    const { data, nextCursor } = (await ops.get(path)).body;
    stored.push(...data.map((row: { eventId: string }) => row.eventId));
    path = nextCursor ? `/ops/1.0.0/callbacks?reference=${paymentId}&limit=100&cursor=${nextCursor}` : '';
  }
  const ofOurs = stored.filter((eventId) => answered.has(eventId) || unanswered.has(eventId));
  expect(ofOurs).toHaveLength(new Set(ofOurs).size);
  expect(new Set(ofOurs)).toEqual(new Set([...answered, ...unanswered]));
});
