import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { standingOf } from '../../../../src/commerce/payouts/order';
import type { PayoutRow } from '../../../../src/commerce/payouts/payout';
import { hearPayoutCallback, proceedPayout } from '../../../../src/commerce/payouts/steps';
import { addTerms } from '../../../../src/commerce/payouts/terms';
import type { ProcessorEvent } from '../../../../src/domain/connector';
import { auditReports } from '../../../../src/money/books-check/report-checks';
import { causeOf } from '../../../../src/money/ledger/causes';
import type { SeededTenant } from '../../../../src/sandbox/seed/tenants';
import { ADMIN, EUR, World } from './world';

let world: World;

beforeAll(async () => {
  world = await World.open('payouts');
});
beforeEach(() => {
  world.sent.length = 0;
  world.inquiry = () => ({ kind: 'not_found' });
  world.sending = ({ money }) => ({ kind: 'accepted', processorReference: 'ts_1', money });
});
afterAll(() => world?.close());

const proceed = ({ id, tenant_id: tenantId }: PayoutRow, now?: Date) =>
  proceedPayout(world.paying, { payoutId: id, tenantId }, 0, now);
const hear = ({ id, tenant_id: tenantId, amount_minor }: PayoutRow, event: Partial<ProcessorEvent>, processor = 'b') =>
  hearPayoutCallback(
    world.paying,
    { payoutId: id, tenantId },
    {
      id: 'cbk_1',
      processor: processor as 'b',
      eventId: randomUUID(),
      reference: id,
      event: {
        eventId: randomUUID(),
        reference: id,
        type: 'payout_settled',
        processorStatus: '',
        money: EUR(amount_minor),
        processorReference: 'ts_1',
        ...event,
      },
    },
  );
const standing = (seller: SeededTenant) =>
  world.database.tenant(seller.tenantId, async (trx) => {
    const position = await trx('payout_positions')
      .where({ organization_id: seller.organizationId, currency: 'EUR' })
      .first();
    const whose = { tenantId: seller.tenantId, organizationId: seller.organizationId, currency: 'EUR' };
    return standingOf(trx, whose, position ?? { closing_minor: 0n }, new Date());
  });

describe('what can be paid out', () => {
  test('only what processors have settled, and no refund under way holds', async () => {
    const seller = await world.seller();
    await world.paid(seller, 1_000n);
    await world.paid(seller, 700n, { settled: false });
    expect(await standing(seller)).toMatchObject({
      balanceMinor: 1_700n,
      unsettledMinor: 700n,
      availableMinor: 1_000n,
    });
    const payout = await world.ordered(seller);
    expect(payout).toMatchObject({
      amount_minor: 1_000n,
      gross_minor: 1_700n,
      closing_minor: 700n,
      unsettled_minor: 700n,
    });
    expect(await world.order(seller)).toMatchObject({ carried: 'Nothing is available.' });
    expect(await world.balance(seller, 'merchant_payable')).toBe(700n);
    expect(await world.balance(seller, 'payout_clearing')).toBe(1_000n);
  });

  test('a part on demand, and never more than there is', async () => {
    const seller = await world.seller();
    await world.paid(seller, 1_000n);
    expect(await world.order(seller, { amountMinor: 1_001n })).toMatchObject({ code: 'insufficient_funds' });
    expect(await world.ordered(seller, { amountMinor: 400n })).toMatchObject({ number: 1, closing_minor: 600n });
    expect(await world.ordered(seller)).toMatchObject({
      number: 2,
      opening_minor: 600n,
      gross_minor: 0n,
      amount_minor: 600n,
    });
  });

  test('without a verified account nothing is paid, and nothing is taken', async () => {
    const seller = await world.seller({ withAccount: false });
    await world.paid(seller, 1_000n);
    expect(await world.order(seller)).toMatchObject({ code: 'invalid_state', availableMinor: 1_000n });
    expect((await standing(seller)).availableMinor).toBe(1_000n);
  });

  test('less than the smallest payout and a negative balance are carried', async () => {
    const seller = await world.seller();
    const { tenantId, organizationId } = seller;
    await world.database.tenant(tenantId, (trx) =>
      addTerms(trx, tenantId, ADMIN, {
        organizationId,
        currency: 'EUR',
        schedule: 'on_demand',
        minimumMinor: 500n,
        reserveBasisPoints: 0,
        reserveDays: 0,
      }),
    );
    await world.paid(seller, 499n);
    expect(await world.order(seller)).toMatchObject({ carried: 'It is less than the smallest payout.' });
    await world.database.tenant(tenantId, (trx) =>
      world.ledger.book(trx, tenantId, 'EUR', [
        {
          phase: 'posted',
          debit: { kind: 'merchant_payable', owner: organizationId },
          credit: { kind: 'provider_receivable', owner: 'a' },
          amountMinor: 600n,
          cause: causeOf('dispute', 'dsp_negative', 'charged-back'),
        },
      ]),
    );
    expect(await world.order(seller)).toMatchObject({ carried: 'The balance is negative.', availableMinor: -101n });
    await world.paid(seller, 1_000n);
    expect(await world.ordered(seller)).toMatchObject({
      gross_minor: 1_499n,
      disputes_minor: -600n,
      amount_minor: 899n,
    });
  });

  test('a reserve is held of a period, and comes back when its time is up', async () => {
    const seller = await world.seller();
    const { tenantId, organizationId } = seller;
    const terms = { organizationId, currency: 'EUR', schedule: 'on_demand' as const, minimumMinor: 0n };
    await world.database.tenant(tenantId, (trx) =>
      addTerms(trx, tenantId, ADMIN, { ...terms, reserveBasisPoints: 1_000, reserveDays: 2 }),
    );
    await world.paid(seller, 1_005n);
    const first = await world.ordered(seller);
    // A tenth, half to even.
    expect(first).toMatchObject({ reserve_held_minor: 100n, amount_minor: 905n, closing_minor: 0n });
    expect(await world.balance(seller, 'merchant_reserve')).toBe(100n);
    expect(await world.order(seller)).toMatchObject({ carried: 'Nothing is available.' });
    const later = new Date(Date.now() + 2 * 86_400_000 + 1_000);
    const second = await world.ordered(seller, {}, later);
    expect(second).toMatchObject({ reserve_released_minor: 100n, amount_minor: 100n, reserve_held_minor: 0n });
    expect((await world.row(first.id)).reserve_released_by).toBe(second.id);
    expect(await world.balance(seller, 'merchant_reserve')).toBe(0n);
  });
});

describe('at once', () => {
  test('many payouts never pay the same money', async () => {
    const seller = await world.seller();
    await world.paid(seller, 1_000n);
    const made = await Promise.all(Array.from({ length: 8 }, () => world.order(seller, { amountMinor: 300n })));
    expect(made.filter((one) => !('carried' in one))).toHaveLength(3);
    expect(await world.balance(seller, 'payout_clearing')).toBe(900n);
  });

  test('what is captured meanwhile is in one statement, and in one only', async () => {
    const seller = await world.seller();
    await world.paid(seller, 100n);
    const work = Array.from({ length: 12 }, (_, at) =>
      at % 3 === 0 ? world.order(seller, { amountMinor: 1n }) : world.paid(seller, 10n, { settled: false }),
    );
    await Promise.all(work);
    await world.ordered(seller);
    const rows: PayoutRow[] = await world.database.system('payouts').where({ organization_id: seller.organizationId });
    expect(rows.reduce((sum, { gross_minor }) => sum + gross_minor, 0n)).toBe(180n);
  });

  test('the flow runs twice and a callback comes: it is paid once', async () => {
    const seller = await world.seller();
    await world.paid(seller, 1_000n);
    const payout = await world.ordered(seller);
    world.sending = ({ money }) => ({ kind: 'settled', processorReference: 'ts_1', money });
    await proceed(payout);
    await Promise.all([proceed(payout), hear(payout, {}), hear(payout, {}), proceed(payout)]);
    expect((await world.row(payout.id)).status).toBe('settled');
    expect(await world.balance(seller, 'payout_clearing')).toBe(0n);
  });
});

describe('sending', () => {
  const made = async (amountMinor = 1_000n): Promise<{ seller: SeededTenant; payout: PayoutRow }> => {
    const seller = await world.seller();
    await world.paid(seller, amountMinor);
    return { seller, payout: await world.ordered(seller) };
  };

  test('it is written down before it goes out, and asked about before it is sent again, under one key', async () => {
    const { payout } = await made();
    world.sending = () => {
      throw new Error('the process dies');
    };
    await expect(proceed(payout)).rejects.toThrow('dies');
    expect(await world.row(payout.id)).toMatchObject({ status: 'sent', sends: 1 });
    const asked: string[] = [];
    world.inquiry = (reference) => {
      asked.push(reference);
      return { kind: 'not_found' };
    };
    world.sending = () => ({ kind: 'unknown', detail: 'no answer' });
    expect(await proceed(payout)).toMatchObject({ status: 'sent', waitsFor: 'provider' });
    expect(asked).toEqual([payout.id]);
    expect(new Set(world.sent.map(({ idempotencyKey }) => idempotencyKey))).toEqual(
      new Set([`payout/${payout.id}/send`]),
    );
    world.inquiry = () => ({ kind: 'settled', processorReference: 'ts_9', money: EUR(1_000n) });
    expect(await proceed(payout)).toMatchObject({ status: 'settled' });
    expect(world.sent).toHaveLength(2);
    expect((await world.row(payout.id)).processor_reference).toBe('ts_9');
  });

  test('unknown never becomes failed; a request that is not understood ends it only when no other is on its way', async () => {
    const { seller, payout } = await made();
    world.sending = () => ({ kind: 'unknown', detail: 'no answer' });
    await proceed(payout);
    world.sending = () => ({ kind: 'not_understood', detail: 'no' });
    expect(await proceed(payout)).toMatchObject({ status: 'sent' });
    expect(await proceed(payout, new Date(Date.now() + 6_000))).toMatchObject({ status: 'failed' });
    expect(await world.balance(seller, 'merchant_payable')).toBe(1_000n);
    expect(await world.ordered(seller)).toMatchObject({ opening_minor: 0n, returned_minor: 1_000n, gross_minor: 0n });
  });

  test('turned away at the door, it stays sent', async () => {
    const { payout } = await made();
    world.sending = () => ({ kind: 'not_taken', detail: 'too many requests' });
    expect(await proceed(payout)).toMatchObject({ status: 'sent', detail: expect.stringContaining('too many') });
  });

  test('refused, the money is back in the balance', async () => {
    const { seller, payout } = await made();
    world.sending = () => ({ kind: 'declined', detail: 'there is no such account' });
    expect(await proceed(payout)).toMatchObject({ status: 'failed', waitsFor: 'nobody' });
    expect(await world.balance(seller, 'merchant_payable')).toBe(1_000n);
    expect(await world.balance(seller, 'payout_clearing')).toBe(0n);
  });

  test('returned, also after it was credited', async () => {
    const { seller, payout } = await made();
    await proceed(payout);
    await hear(payout, {});
    expect(await hear(payout, { type: 'payout_returned', reason: 'the account is closed' })).toMatchObject({
      end: 'applied',
    });
    expect(await world.row(payout.id)).toMatchObject({
      status: 'returned',
      status_detail: expect.stringContaining('closed'),
    });
    expect(await world.balance(seller, 'merchant_payable')).toBe(1_000n);
    expect(await hear(payout, {})).toMatchObject({ end: 'ignored' });
  });

  test('a callback with another amount, of another processor or for what was not sent changes nothing', async () => {
    const { payout } = await made();
    expect(await hear(payout, {})).toMatchObject({ end: 'flagged' });
    await proceed(payout);
    expect(await hear(payout, { money: EUR(999n) })).toMatchObject({ end: 'flagged' });
    expect(await hear(payout, {}, 'a')).toMatchObject({ end: 'flagged' });
    expect(await world.row(payout.id)).toMatchObject({ status: 'sent' });
  });

  test('blocked before it is sent, it fails', async () => {
    const { seller, payout } = await made();
    await world.accounts.block(seller, { reason: 'a doubt' }, ADMIN);
    expect(await proceed(payout)).toMatchObject({ status: 'failed' });
    expect(world.sent).toHaveLength(0);
    expect(await world.balance(seller, 'merchant_payable')).toBe(1_000n);
  });

  test('it waits for its time', async () => {
    const seller = await world.seller();
    await world.paid(seller, 1_000n);
    const sendAt = new Date(Date.now() + 60_000);
    const payout = await world.ordered(seller, { sendAt });
    expect(await proceed(payout)).toMatchObject({ status: 'scheduled', waitsFor: 'time' });
    expect(world.sent).toHaveLength(0);
    expect(await proceed(payout, sendAt)).toMatchObject({ status: 'sent' });
  });

  test('what went out and what came back are lines of the report of its processor', async () => {
    const { payout } = await made();
    await proceed(payout);
    await hear(payout, { type: 'payout_returned' });
    const line = { reference: payout.id, paymentReference: payout.id, money: EUR(1_000n) };
    const before = (await auditReports(world.database.ops, 0)).findings.filter(({ subject }) =>
      subject.startsWith(payout.id),
    );
    expect(before.map(({ subject }) => subject).sort()).toEqual([`${payout.id}/paid`, `${payout.id}/returned`]);
    expect(await world.settle('b', { kind: 'refund', ...line }, { kind: 'capture', ...line })).toMatchObject({
      booked: 2,
      waiting: 0,
    });
    const after = (await auditReports(world.database.ops, 0)).findings.filter(({ subject }) =>
      subject.startsWith(payout.id),
    );
    expect(after).toEqual([]);
  });
});

describe('the books', () => {
  test('statements add up, and follow each other, whatever happens', async () => {
    const step = fc.oneof(
      fc.record({ kind: fc.constant('paid' as const), amount: fc.bigInt(1n, 5_000n), settled: fc.boolean() }),
      fc.record({ kind: fc.constant('charged' as const), amount: fc.bigInt(1n, 3_000n) }),
      fc.record({ kind: fc.constant('payout' as const), amount: fc.option(fc.bigInt(1n, 4_000n)), end: fc.nat(3) }),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 3, maxLength: 9 }),
        fc.integer({ min: 0, max: 3_000 }),
        async (steps, bps) => {
          const seller = await world.seller();
          const { tenantId, organizationId } = seller;
          await world.database.tenant(tenantId, (trx) =>
            addTerms(trx, tenantId, ADMIN, {
              organizationId,
              currency: 'EUR',
              schedule: 'on_demand',
              minimumMinor: 0n,
              reserveBasisPoints: bps,
              reserveDays: 1,
            }),
          );
          for (const one of steps) {
            if (one.kind === 'paid') await world.paid(seller, one.amount, { settled: one.settled });
            else if (one.kind === 'charged')
              await world.database.tenant(tenantId, (trx) =>
                world.ledger.book(trx, tenantId, 'EUR', [
                  {
                    phase: 'posted',
                    debit: { kind: 'merchant_payable', owner: organizationId },
                    credit: { kind: 'fee_income', owner: tenantId },
                    amountMinor: one.amount,
                    cause: causeOf('adjustment', randomUUID(), 'fee'),
                  },
                ]),
              );
            else await payOut(seller, one.amount ?? undefined, one.end);
          }
          const rows: PayoutRow[] = await world.database
            .system('payouts')
            .where({ organization_id: organizationId })
            .orderBy('number');
          let closing = 0n;
          for (const row of rows) {
            expect(row.opening_minor).toBe(closing);
            closing = row.closing_minor;
          }
          const { balanceMinor } = await standing(seller);
          expect(balanceMinor).toBe(await world.balance(seller, 'merchant_payable'));
        },
      ),
      { numRuns: 12 },
    );
  });

  async function payOut(seller: SeededTenant, amountMinor: bigint | undefined, end: number): Promise<void> {
    const made = await world.order(seller, amountMinor === undefined ? {} : { amountMinor });
    if ('carried' in made || end === 0) return;
    world.sending = ({ money }) =>
      end === 3
        ? { kind: 'declined', detail: 'no' }
        : { kind: end === 1 ? 'settled' : 'returned', processorReference: 'ts', money, detail: 'no' };
    await proceed(made);
  }

  test('no check finds anything in what the tests before have left, but what they booked out of thin air', async () => {
    const thinAir = (subject: string) => subject.startsWith('adjustment/') || subject.startsWith('dsp_');
    expect((await world.findings()).filter(({ subject }) => !thinAir(subject))).toEqual([]);
  });

  test('a payout that is not booked as its row says is found', async () => {
    const seller = await world.seller();
    await world.paid(seller, 1_000n);
    const payout = await world.ordered(seller);
    await proceed(payout);
    await world.database.system('payouts').where({ id: payout.id }).update({ status: 'settled', look_at: null });
    const found = async () =>
      (await world.findings()).filter(
        ({ subject }) => subject === payout.id || subject.startsWith(seller.organizationId),
      );
    expect((await found()).map(({ check }) => check).sort()).toEqual([
      'a payout is booked as what became of it',
      'what is on its way to sellers is what their open payouts say',
    ]);
    await world.database.system('payouts').where({ id: payout.id }).update({ status: 'sent', look_at: new Date() });
    expect(await found()).toEqual([]);
  });

  test('the database refuses what must never be', async () => {
    const seller = await world.seller();
    await world.paid(seller, 1_000n);
    const payout = await world.ordered(seller);
    const { system, app } = world.database;
    const change = (columns: object) => system('payouts').where({ id: payout.id }).update(columns);
    await expect(change({ amount_minor: 1n })).rejects.toThrow('permission denied');
    await expect(change({ status: 'settled' })).rejects.toThrow('payouts_');
    const copy = { ...payout, id: `${payout.id}x` };
    await expect(system('payouts').insert(copy)).rejects.toThrow('payouts_number_once');
    await expect(system('payouts').insert({ ...copy, number: 2, fees_minor: -1n })).rejects.toThrow(
      'payouts_statement_adds_up',
    );
    const more = {
      number: 2,
      gross_minor: payout.gross_minor,
      closing_minor: -1n,
      amount_minor: payout.amount_minor + 1n,
    };
    await expect(system('payouts').insert({ ...copy, ...more })).rejects.toThrow('payouts_only_what_is_available');
    await expect(system('payout_entries').where({ payout_id: payout.id }).delete()).rejects.toThrow();
    expect(await app('payouts').where({ id: payout.id })).toEqual([]);
  });
});
