import type { RawCallback } from '../../../../../src/domain/connector';
import { type Bench, EUR } from './bench';

/** Every answer and callback a processor may write, each status word, and what is none; and what the simulator writes. */
export function describeWire(bench: Bench): void {
  describeAnswers(bench);
  describeReceivers(bench);
  describeSimulatedCallbacks(bench);
}

/** What the connector makes of every answer. `asking`: a connector whose processor answers everything with this. */
export function describeAnswers({ spec, asking }: Pick<Bench, 'spec' | 'asking'>): void {
  const inquirePayment = (answer: { status?: number; body: string }) =>
    asking(answer).inquirePayment('pay_1', spec.trace);
  const inquireRefund = (answer: { status?: number; body: string }) =>
    asking(answer).inquireRefund('ref_1', spec.trace);

  describe('every answer', () => {
    it.each(spec.paymentAnswers)('payment: $title', async (answer) => {
      expect(await inquirePayment(answer)).toMatchObject(answer.means);
    });

    it.each(spec.refundAnswers)('refund: $title', async (answer) => {
      expect(await inquireRefund(answer)).toMatchObject(answer.means);
    });

    it.each(['', 'null', '[]', '"CAPTURED"', '{', '<html>', '<', '=', '{"status":17}', '{}'])(
      'unreadable: %s',
      async (body) => {
        expect((await inquirePayment({ body })).kind).toBe('unknown');
        expect((await inquireRefund({ body })).kind).toBe('unknown');
      },
    );

    it.each([500, 502, 503, 504, 302, 409, 418])('status %i leaves the outcome unknown', async (status) => {
      expect((await inquirePayment({ status, body: '{}' })).kind).toBe('unknown');
      expect((await inquireRefund({ status, body: '{}' })).kind).toBe('unknown');
    });

    const money = EUR(1_000n);
    const onPayment = { reference: 'pay_1', idempotencyKey: 'k', trace: spec.trace };
    const onRefund = { paymentReference: 'pay_1', refundReference: 'ref_1', idempotencyKey: 'k', trace: spec.trace };

    it.each([401, 403, 429])('status %i had no effect: what was asked for can be sent again', async (status) => {
      const connector = asking({ status, body: spec.errorBody ?? '{}' });
      expect((await connector.void(onPayment)).kind).toBe('not_taken');
      expect((await connector.refund({ ...onRefund, money })).kind).toBe('not_taken');
      if (connector.capabilities.manualCapture)
        expect((await connector.capture({ ...onPayment, money })).kind).toBe('not_taken');
      expect((await connector.inquirePayment('pay_1', spec.trace)).kind).toBe('unknown');
    });

    it.each([400, 413, 422])('status %i refuses the call, and says nothing about the payment', async (status) => {
      const connector = asking({ status, body: '{}' });
      // Where the status of HTTP says nothing, the answer is one that cannot be read.
      const refusals = ['refused', 'unknown'];
      const voided = await connector.void(onPayment);
      expect(refusals).toContain(voided.kind);
      expect(voided).not.toHaveProperty('standing');
      if (connector.capabilities.manualCapture)
        expect(refusals).toContain((await connector.capture({ ...onPayment, money })).kind);
      expect((await connector.inquirePayment('pay_1', spec.trace)).kind).toBe('unknown');
      expect((await connector.inquireRefund('ref_1', spec.trace)).kind).toBe('unknown');
    });
  });
}

/** What the receivers make of callbacks: right, wrong, forged and unreadable ones. */
export function describeReceivers({ spec, receivers }: Pick<Bench, 'spec' | 'receivers'>): void {
  describe('callbacks', () => {
    const receiverOf = (name: string) => {
      const receiver = receivers.find((one) => one.name === name);
      if (!receiver) throw new Error(`no receiver ${name}`);
      return receiver;
    };

    it.each(spec.callbacks)('$receiver: $title', ({ receiver, raw, means }) => {
      const callback = raw(spec.secret);
      expect(receiverOf(receiver).method).toBe(callback.method);
      expect(receiverOf(receiver).verify(callback, spec.secret)).toBe(true);
      expect(receiverOf(receiver).parse(callback)).toMatchObject(means);
    });

    it.each(spec.callbacks)('$receiver: $title, forged, altered or unsigned', ({ receiver, raw }) => {
      const { verify, unsigned } = receiverOf(receiver);
      const callback = raw(spec.secret);
      const forgeries = [
        raw(spec.strangersSecret ?? 'another secret'),
        { ...callback, body: Buffer.from(`${callback.body} `), query: `${callback.query}&x=1` },
        { ...callback, headers: {}, body: Buffer.alloc(0), query: '' },
      ];
      // What nobody signs is taken for a hint, and confirmed.
      for (const forgery of forgeries) expect(verify(forgery, spec.secret)).toBe(unsigned === true);
      expect(verify(callback, '')).toBe(unsigned === true);
    });

    it.each(spec.malformedCallbacks)('$receiver: $title cannot be read', ({ receiver, raw }) => {
      const callback = raw(spec.secret);
      expect(receiverOf(receiver).verify(callback, spec.secret)).toBe(true);
      expect(() => receiverOf(receiver).parse(callback)).toThrow(
        expect.objectContaining({ code: 'malformed_callback' }),
      );
    });
  });
}

function describeSimulatedCallbacks(bench: Bench): void {
  const { spec } = bench;

  describe('callbacks of the simulator', () => {
    it('comes twice with one event id, and twice with two', async () => {
      const { reference } = await bench.paid();
      await bench.tell(reference, 'settled', { repeat: 2 });
      await bench.tell(reference, 'settled');
      const settled = bench.events().filter((event) => event.reference === reference && event.type === 'settled');
      expect(settled).toHaveLength(3);
      expect(new Set(settled.map(({ eventId }) => eventId)).size).toBe(2);
    });

    it.each(['captured', 'settled', 'failed', 'refunded', 'charged_back', 'chargeback_won', 'chargeback_lost'])(
      'reads what the processor really says: %s',
      async (event) => {
        const reference = `pay_${event}_${Date.now()}`;
        await bench.tell(reference, event);
        const read = await bench.event(
          reference,
          event as 'captured',
          ...(event === 'charged_back' ? (['returned'] as const) : []),
        );
        expect(read).toMatchObject({ reference, eventId: expect.any(String) });
      },
    );

    it('reads what the processor really says about a chargeback', async () => {
      const { reference, money } = await bench.paid();
      await bench.tell(reference, 'charged_back');
      expect(await bench.event(reference, 'charged_back', 'returned')).toMatchObject({ money });
    });

    it('is not taken in by a forger', async () => {
      const { reference } = await bench.paid();
      const sent = await bench.tell(reference, 'failed', { forge: true });
      // Something genuine may have arrived since. What is forged must not be read by anybody else.
      const { received } = bench.sink;
      const at = received.findIndex(
        ({ path, query, body }) =>
          sent.url.endsWith(query ? `${path}?${query}` : path) && `${body}` === (sent.body ?? ''),
      );
      const [raw] = received.splice(at, 1) as [RawCallback];
      const receiver = bench.connector.receivers.find(({ name }) => raw.path === `/callbacks/${name}`)!;
      expect(receiver.verify(raw, spec.secret)).toBe(receiver.unsigned === true);
    });
  });
}
