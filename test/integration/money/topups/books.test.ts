import { randomBytes, randomInt, randomUUID } from 'node:crypto';
import { reckonUp } from '../../../../src/commerce/payouts/reckoning';
import { newId } from '../../../../src/domain/ids';
import type { RefundAnswer } from '../../../../src/domain/processor-answers';
import { loadConfig } from '../../../../src/foundation/config/config';
import { jsonOf } from '../../../../src/foundation/db/json';
import { FirstAnswers } from '../../../../src/foundation/temporal/first-answer';
import { auditBooks } from '../../../../src/money/books-check/books-check';
import { hear, type Said } from '../../../../src/money/disputes/processor-report';
import type { FeeTerms } from '../../../../src/money/fees/fee';
import {
  feeIncomeOf,
  incomingOf,
  owedBy,
  payableTo,
  sellerFloatOf,
  walletOf,
} from '../../../../src/money/ledger/accounts';
import { type AccountRef, Ledger } from '../../../../src/money/ledger/ledger';
import { spendAllowance } from '../../../../src/money/limits/allowance';
import { withdrawPayment } from '../../../../src/money/payments/accept';
import * as bookings from '../../../../src/money/payments/bookings';
import { lockPayment, type PaymentRow, type RefundRow } from '../../../../src/money/payments/payment';
import { correctRefund } from '../../../../src/money/payments/refund-outcome';
import { reserveRefund } from '../../../../src/money/payments/refunds';
import { bookRefundAnswer } from '../../../../src/money/payments/steps/refund';
import { topupIdOf } from '../../../../src/money/payments/topup';
import { applyChange } from '../../../../src/money/payments/transition';
import { settle } from '../../../../src/money/reconciliation/matching';
import { HouseAccounts } from '../../../../src/money/topups/house-account';
import { CallbackSecrets } from '../../../../src/people/identity/callback-secrets';
import { insertPerson, KEYS, openPlace, type Place } from '../../people/customers/place';
import { adjustmentCause } from '../adjustment';
import { claimed } from '../payments/captured';

/** What top-ups move, on the real database: every test ends with books that the audit has nothing to say about. */

const ledger = new Ledger();
const FEE: FeeTerms = { fixedMinor: 3n, basisPoints: 333, minimumMinor: 0n, payer: 'recipient' };

let place: Place;
let house: HouseAccounts;
/** Who has sold the top-ups that are made from now on. */
let sellerId: string | null = null;
let refunding: Parameters<typeof bookRefundAnswer>[0];

beforeAll(async () => {
  place = await openPlace('topups');
  house = new HouseAccounts(place.database, new CallbackSecrets(KEYS));
  const { timers } = loadConfig({});
  refunding = { database: place.database, ledger, timers, firstAnswers: new FirstAnswers() };
});
/** The checks that have to find something: what the test has planted. */
let faults: string[] = [];
afterEach(async () => {
  const { findings } = await auditBooks(place.database.ops);
  expect(findings.filter(({ check }) => !faults.includes(check))).toEqual([]);
  expect(new Set(findings.map(({ check }) => check))).toEqual(new Set(faults));
});
afterAll(() => place.close());

const newSeller = async (): Promise<string> => {
  const id = newId('organization');
  await place.database.system('organizations').insert({ id, tenant_id: place.tenantId, name: 'A seller' });
  return id;
};
const customer = async (): Promise<string> => (await insertPerson(place, 'verified')).id;
const within: Place['database']['tenant'] = (tenantId, work) => place.database.tenant(tenantId, work);

interface Order {
  amountMinor?: bigint;
  currency?: string;
  terms?: FeeTerms | null;
  settled?: boolean;
}

/** A top-up that was accepted. */
async function accepted(
  customerId: string,
  { amountMinor = 1_000n, currency = 'EUR', terms = null }: Order = {},
): Promise<PaymentRow> {
  const id = newId('payment');
  const { tenantId } = place;
  const { organizationId, terminalId } = await house.of(tenantId);
  return within(tenantId, async (trx) => {
    const [payment]: PaymentRow[] = await trx('payments')
      .insert({
        id,
        tenant_id: tenantId,
        organization_id: organizationId,
        terminal_id: terminalId,
        merchant_transaction_id: randomUUID(),
        method_id: 1,
        kind: 'card',
        brand: 'VISA',
        processor: 'a',
        currency,
        amount_minor: amountMinor,
        capture_mode: 'automatic',
        status: 'initiated',
        result_code: 100,
        status_detail: '',
        request: '{}',
        customer_id: customerId,
        beneficiary: 'wallet',
      })
      .returning('*');
    await trx('topups').insert({
      id: topupIdOf(id),
      tenant_id: tenantId,
      customer_id: customerId,
      payment_id: id,
      currency,
      fee_terms: terms && jsonOf(terms),
      fee_minor: 0n,
      created_by: 'test',
      seller_id: sellerId,
    });
    return payment!;
  });
}

/** The same captured, as its flow books it. Answers its payment's id. */
async function captured(customerId: string, order: Order = {}): Promise<string> {
  const fresh = await accepted(customerId, order);
  const payment = await within(place.tenantId, (trx) => claimed(trx, fresh));
  const { amount_minor: amountMinor } = payment;
  await within(place.tenantId, (trx) =>
    applyChange(trx, ledger, payment, {
      to: 'captured',
      resultCode: 0,
      detail: 'captured',
      cause: 'inquiry',
      columns: { authorized_minor: amountMinor, captured_minor: amountMinor },
      movements: bookings.capture(payment, amountMinor),
    }),
  );
  if (order.settled) await settles(payment.id);
  return payment.id;
}

const settles = (...ids: string[]) =>
  place.database.system.transaction((trx) =>
    settle(
      trx,
      ledger,
      'settlement a',
      ids.map((id) => `${id}/capture`),
    ),
  );

const reserve = (paymentId: string, amountMinor?: bigint): Promise<RefundRow> =>
  house.of(place.tenantId).then(({ organizationId }) =>
    reserveRefund(place.database.tenant, ledger, {
      refundId: newId('refund'),
      tenantId: place.tenantId,
      organizationId,
      paymentId,
      ...(amountMinor === undefined ? {} : { amountFor: () => amountMinor }),
    }),
  );

async function ends(refund: RefundRow, kind: 'refunded' | 'refund_declined'): Promise<void> {
  const money = { amountMinor: refund.amount_minor, currency: refund.currency };
  const answer: RefundAnswer =
    kind === 'refunded' ? { kind, processorReference: 'x', money } : { kind, detail: 'not today' };
  const { id: refundId, payment_id: paymentId, tenant_id: tenantId } = refund;
  await bookRefundAnswer(refunding, { refundId, paymentId, tenantId }, answer, 'inquiry');
}

/** The processor settles a refund otherwise than it had said. Answers whether that could be booked as what it is. */
const corrects = ({ id, payment_id: paymentId }: RefundRow, truth: 'succeeded' | 'declined'): Promise<boolean> =>
  within(place.tenantId, async (trx) => {
    const payment = await lockPayment(trx, paymentId);
    const refund: RefundRow = await trx('refunds').where({ id }).forUpdate().first();
    return correctRefund(trx, ledger, { payment, refund }, truth, 'inquiry');
  });

const refunded = async (paymentId: string, amountMinor?: bigint): Promise<RefundRow> => {
  const refund = await reserve(paymentId, amountMinor);
  await ends(refund, 'refunded');
  return refund;
};

const balance = (ref: AccountRef, currency = 'EUR') =>
  within(place.tenantId, async (trx) => -(await ledger.balance(trx, place.tenantId, currency, ref)));
/** Wallet, incoming and what is owed. */
const standing = async (customerId: string, currency = 'EUR'): Promise<bigint[]> => [
  await balance(walletOf(customerId), currency),
  await balance(incomingOf(customerId), currency),
  -(await balance(owedBy(customerId), currency)),
];
const topupOf = (paymentId: string) => place.database.ops('topups').where({ payment_id: paymentId }).first();
const statusOf = async (customerId: string): Promise<string> =>
  (await place.database.ops('customers').where({ id: customerId }).first('status')).status;
const spends = async (customerId: string, amountMinor: bigint) =>
  ledger.bookAlone(place.database, place.tenantId, 'EUR', [
    {
      phase: 'posted',
      debit: walletOf(customerId),
      credit: { kind: 'tenant', owner: place.tenantId },
      amountMinor,
      cause: await adjustmentCause(place.database, place.tenantId),
    },
  ]);

function says(paymentId: string, word: Said['word'], amountMinor = 1_000n, caseId = 'case') {
  return within(place.tenantId, async (trx) => {
    const payment = await trx('payments').where({ id: paymentId }).forUpdate().first();
    const case_id = `${paymentId}/${caseId}`;
    const known = await trx('disputes').where({ processor: 'a', case_id }).forUpdate().first();
    const money = { amountMinor, currency: 'EUR' };
    return hear(
      trx,
      ledger,
      payment,
      known,
      { processor: 'a', caseId: case_id, word, cause: 'inquiry', money },
      60_000,
    );
  });
}

describe.each([
  ['that nobody has sold', false],
  ['that a seller has sold by a link', true],
])('top-ups %s', (_who, isSold) => {
  beforeAll(async () => {
    sellerId = isSold ? await newSeller() : null;
  });

  test('what is captured lies there less the fee, and is available once settled', async () => {
    const customerId = await customer();
    const paymentId = await captured(customerId, { terms: FEE });
    // 3 and 3.33 % of 1000, which is 33.3.
    expect(await standing(customerId)).toEqual([0n, 964n, 0n]);
    await settles(paymentId);
    await settles(paymentId);
    expect(await standing(customerId)).toEqual([964n, 0n, 0n]);
    expect(await topupOf(paymentId)).toMatchObject({ fee_minor: 36n, incoming_minor: 0n });
  });

  test('a fee is never more than what was captured', async () => {
    const customerId = await customer();
    const paymentId = await captured(customerId, { amountMinor: 2n, terms: FEE });
    expect(await standing(customerId)).toEqual([0n, 0n, 0n]);
    await settles(paymentId);
    await refunded(paymentId);
    expect(await standing(customerId)).toEqual([0n, 0n, 0n]);
    expect(await topupOf(paymentId)).toMatchObject({ fee_minor: 2n, fee_returned_minor: 2n });
  });

  test.each([
    ['before it is settled', false],
    ['after it was settled', true],
  ])('a refund %s takes its share of the fee back, the whole of it all', async (_, settled) => {
    const customerId = await customer();
    const income = await balance(feeIncomeOf(place.tenantId));
    const paymentId = await captured(customerId, { terms: FEE, settled });
    // Half of 36.
    expect((await refunded(paymentId, 500n)).fee_minor).toBe(18n);
    // The sum of both shares is 27.036, half to even 27.
    expect((await refunded(paymentId, 251n)).fee_minor).toBe(9n);
    expect((await standing(customerId)).reduce((a, b) => a + b)).toBe(964n - 482n - 242n);
    expect((await refunded(paymentId)).fee_minor).toBe(9n);
    expect(await standing(customerId)).toEqual([0n, 0n, 0n]);
    expect(await balance(feeIncomeOf(place.tenantId))).toBe(income);
    await settles(paymentId);
    expect(await standing(customerId)).toEqual([0n, 0n, 0n]);
  });

  test.each(['JPY', 'EUR', 'BHD'])(
    'whatever is refunded, declined and settled between, %s add up',
    async (currency) => {
      const customerId = await customer();
      for (let round = 0; round < 12; round += 1) {
        const amountMinor = BigInt(randomInt(1, 5_000));
        const basisPoints = randomInt(0, 10_001);
        const terms: FeeTerms = { ...FEE, fixedMinor: BigInt(randomInt(0, 20)), basisPoints };
        const paymentId = await captured(customerId, { amountMinor, currency, terms });
        const pending: RefundRow[] = [];
        let left = amountMinor;
        for (let step = 0; step < 8 && left > 1n; step += 1) {
          const part = BigInt(randomInt(1, Number(left)));
          const refund = await reserve(paymentId, part);
          left -= part;
          if (randomInt(3) === 0) await settles(paymentId);
          pending.push(refund);
          if (randomInt(2) === 0) continue;
          const [ended] = pending.splice(randomInt(pending.length), 1);
          const declined = randomInt(2) === 0;
          await ends(ended!, declined ? 'refund_declined' : 'refunded');
          if (declined) left += ended!.amount_minor;
          if (randomInt(3) > 0) continue;
          // The processor changes its word: what was declined is made after all, or the other way round.
          const fits = !declined || ended!.amount_minor <= left;
          if (fits) left += declined ? -ended!.amount_minor : ended!.amount_minor;
          if (fits) expect(await corrects(ended!, declined ? 'succeeded' : 'declined')).toBe(true);
        }
        for (const refund of pending) await ends(refund, 'refunded');
        if (left > 0n) await refunded(paymentId);
        const topup = await topupOf(paymentId);
        expect([topup.fee_returned_minor, await standing(customerId, currency)]).toEqual([
          topup.fee_minor,
          [0n, 0n, 0n],
        ]);
        await settles(paymentId);
      }
    },
  );

  test('a refund of money that was spent is refused and changes nothing', async () => {
    const customerId = await customer();
    const paymentId = await captured(customerId, { settled: true, terms: FEE });
    await spends(customerId, 1n);
    await expect(reserve(paymentId)).rejects.toMatchObject({ code: 'insufficient_funds' });
    expect(await standing(customerId)).toEqual([963n, 0n, 0n]);
    expect(await topupOf(paymentId)).toMatchObject({ fee_returned_minor: 0n });
    await refunded(paymentId, 998n);
    // 998 less a share of 35.928 of the fee.
    expect(await standing(customerId)).toEqual([1n, 0n, 0n]);
  });

  test('refunds and spending at once never take more than there is', async () => {
    const customerId = await customer();
    const paymentIds = [await captured(customerId, { settled: true }), await captured(customerId, { settled: true })];
    const work = Array.from({ length: 30 }, (_, n) =>
      n % 2 === 0
        ? spends(customerId, 100n)
        : reserve(paymentIds[(n >> 1) % 2]!, 100n).then((refund) => ends(refund, 'refunded')),
    );
    const results = await Promise.allSettled(work);
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(20);
    expect(await standing(customerId)).toEqual([0n, 0n, 0n]);
  });

  test('a refund that is declined after its top-up was settled comes back as available money', async () => {
    const customerId = await customer();
    const paymentId = await captured(customerId, { terms: FEE });
    const refund = await reserve(paymentId, 400n);
    expect(refund).toMatchObject({ taken_from: 'customer_incoming', fee_minor: 14n });
    await settles(paymentId);
    expect(await balance(walletOf(customerId))).toBe(964n - 386n);
    await ends(refund, 'refund_declined');
    expect(await standing(customerId)).toEqual([964n, 0n, 0n]);
  });

  describe('a refund that was declined and is made after all', () => {
    test('takes the money out of the wallet; what was spent is owed', async () => {
      const customerId = await customer();
      const paymentId = await captured(customerId, { settled: true, terms: FEE });
      const refund = await reserve(paymentId, 400n);
      await ends(refund, 'refund_declined');
      await spends(customerId, 900n);
      expect(await corrects(refund, 'succeeded')).toBe(true);
      // 400 less the 14 of the fee that go back, out of the 64 that are left.
      expect(await standing(customerId)).toEqual([0n, 0n, 322n]);
      expect(await statusOf(customerId)).toBe('on_hold');
      expect(await corrects(refund, 'succeeded')).toBe(false);
    });

    test('and was refunded otherwise meanwhile: nobody is charged twice, ops see the money in suspense', async () => {
      const customerId = await customer();
      const paymentId = await captured(customerId, { settled: true });
      const refund = await reserve(paymentId, 700n);
      await ends(refund, 'refund_declined');
      await refunded(paymentId, 700n);
      expect(await corrects(refund, 'succeeded')).toBe(false);
      expect(await corrects(refund, 'succeeded')).toBe(false);
      expect(await standing(customerId)).toEqual([300n, 0n, 0n]);
      expect(await place.database.ops('ledger_transfers').where({ cause: `${refund.id}/unallocated` })).toHaveLength(1);
      expect(await place.database.ops('payments').where({ id: paymentId }).first()).toMatchObject({
        status: 'partially_refunded',
        review_reason: 'refunded beyond what was captured',
      });
    });
  });

  describe('a chargeback', () => {
    test('before settlement takes what is coming in, and what is left settles', async () => {
      const customerId = await customer();
      const paymentId = await captured(customerId);
      await says(paymentId, 'charged_back', 300n);
      expect(await standing(customerId)).toEqual([0n, 700n, 0n]);
      await settles(paymentId);
      expect(await standing(customerId)).toEqual([700n, 0n, 0n]);
      expect(await statusOf(customerId)).toBe('verified');
      await says(paymentId, 'chargeback_won', 300n);
      expect(await standing(customerId)).toEqual([1_000n, 0n, 0n]);
    });

    test('of money that is there takes it out of the wallet', async () => {
      const customerId = await customer();
      const paymentId = await captured(customerId, { settled: true });
      await says(paymentId, 'charged_back');
      expect(await standing(customerId)).toEqual([0n, 0n, 0n]);
      expect(await statusOf(customerId)).toBe('verified');
      await says(paymentId, 'chargeback_lost');
      expect(await standing(customerId)).toEqual([0n, 0n, 0n]);
    });

    test.each(['verified', 'new'] as const)(
      'of money that is gone is owed, and a %s customer is on hold',
      async (status) => {
        const { id: customerId } = await insertPerson(place, status);
        const paymentId = await captured(customerId, { settled: true });
        await spends(customerId, 600n);
        await says(paymentId, 'charged_back');
        expect(await standing(customerId)).toEqual([0n, 0n, 600n]);
        expect(await statusOf(customerId)).toBe('on_hold');
        const events = await place.database.ops('customer_events').where({ customer_id: customerId }).orderBy('id');
        expect(events.at(-1)).toMatchObject({ from_status: status, to_status: 'on_hold', actor: 'rule' });
        expect(events.at(-1).reason).toContain(topupIdOf(paymentId));
        await says(paymentId, 'chargeback_won');
        expect(await standing(customerId)).toEqual([400n, 0n, 0n]);
      },
    );

    test('that is won pays everything that is owed first', async () => {
      const customerId = await customer();
      const [first, second] = [
        await captured(customerId, { settled: true }),
        await captured(customerId, { settled: true }),
      ];
      await spends(customerId, 1_500n);
      await says(first, 'charged_back');
      await says(second, 'charged_back');
      expect(await standing(customerId)).toEqual([0n, 0n, 1_500n]);
      await says(first, 'second_presentment');
      expect(await standing(customerId)).toEqual([0n, 0n, 500n]);
      await says(second, 'chargeback_won');
      expect(await standing(customerId)).toEqual([500n, 0n, 0n]);
      await says(first, 'chargeback_lost');
      expect(await standing(customerId)).toEqual([0n, 0n, 500n]);
    });

    test('keeps the fee, and what the wallet never got is owed', async () => {
      const customerId = await customer();
      const paymentId = await captured(customerId, { settled: true, terms: FEE });
      await says(paymentId, 'charged_back');
      expect(await standing(customerId)).toEqual([0n, 0n, 36n]);
    });

    test('is paid by what settles later', async () => {
      const customerId = await customer();
      const gone = await captured(customerId, { settled: true });
      const coming = [await captured(customerId), await captured(customerId)];
      await spends(customerId, 1_000n);
      await says(gone, 'charged_back');
      await settles(...coming);
      expect(await standing(customerId)).toEqual([1_000n, 0n, 0n]);
    });
  });

  test('opposite steps of many top-ups of one customer at once end in order', async () => {
    const customerId = await customer();
    const paymentIds = await Promise.all(Array.from({ length: 8 }, () => captured(customerId)));
    await Promise.all(
      paymentIds.map(async (paymentId, n) => {
        if (n % 4 === 0) return settles(paymentId);
        if (n % 4 === 1) return says(paymentId, 'charged_back');
        if (n % 4 === 2) return ends(await reserve(paymentId, 500n), 'refunded');
        return Promise.all([
          settles(paymentId),
          reserve(paymentId, 500n).then((refund) => ends(refund, 'refund_declined')),
        ]);
      }),
    );
    await settles(...paymentIds);
    expect(await standing(customerId)).toEqual([2_000n + 2n * 500n + 2_000n, 0n, 0n]);
  });

  test('a top-up that never got to its flow is taken back, and counts against no limit', async () => {
    const customerId = await customer();
    const order: Order = { amountMinor: 700n };
    const payment = await accepted(customerId, order);
    const cause = topupIdOf(payment.id);
    const spent = () => place.database.ops('allowance_spendings').where({ cause }).first('given_back_at');
    await within(place.tenantId, (trx) =>
      spendAllowance(trx, {
        tenantId: place.tenantId,
        customerId,
        operation: 'topup',
        currency: 'EUR',
        amountMinor: 700n,
        cause,
      }),
    );
    expect(await spent()).toMatchObject({ given_back_at: null });
    expect(await withdrawPayment(place.database, payment)).toBe(true);
    expect(await topupOf(payment.id)).toBeUndefined();
    expect((await spent()).given_back_at).not.toBeNull();
  });
});

describe('a seller of top-ups', () => {
  let seller: string;
  beforeEach(async () => {
    sellerId = seller = await newSeller();
  });
  /** What the seller holds for wallets, and what the tenant owes it. */
  const stands = async () => [-(await balance(sellerFloatOf(seller))), await balance(payableTo(seller))];

  test('gets what the wallet gets, once it is settled, and gives back what leaves the wallet', async () => {
    const customerId = await customer();
    const paymentId = await captured(customerId, { terms: FEE });
    expect(await stands()).toEqual([0n, 0n]);
    await settles(paymentId);
    await settles(paymentId);
    expect(await stands()).toEqual([964n, 964n]);
    const refund = await reserve(paymentId, 500n);
    const position = { closing_minor: 0n };
    const reckoned = () =>
      within(place.tenantId, (trx) =>
        reckonUp(trx, { tenantId: place.tenantId, organizationId: seller, currency: 'EUR' }, position),
      );
    // Held: no payout has it meanwhile.
    expect(await reckoned()).toMatchObject({ balanceMinor: 982n, refundingMinor: 500n });
    await ends(refund, 'refunded');
    expect(await stands()).toEqual([482n, 482n]);
    expect(await reckoned()).toMatchObject({ balanceMinor: 482n, refundingMinor: 0n, unsettledMinor: 0n });
  });

  test('holds on for money that moved on within the tenant, whoever owes what is charged back', async () => {
    const customerId = await customer();
    const paymentId = await captured(customerId, { settled: true });
    await spends(customerId, 600n);
    await says(paymentId, 'charged_back');
    expect(await standing(customerId)).toEqual([0n, 0n, 600n]);
    expect(await stands()).toEqual([600n, 600n]);
    const next = await captured(customerId, { settled: true });
    expect(await standing(customerId)).toEqual([400n, 0n, 0n]);
    expect(await stands()).toEqual([1_000n, 1_000n]);
    await refunded(next, 400n);
    expect(await stands()).toEqual([600n, 600n]);
  });

  test('may owe the tenant after a payout', async () => {
    const customerId = await customer();
    const paymentId = await captured(customerId, { settled: true });
    await ledger.bookAlone(place.database, place.tenantId, 'EUR', [
      {
        phase: 'posted',
        debit: payableTo(seller),
        credit: { kind: 'tenant', owner: place.tenantId },
        amountMinor: 1_000n,
        cause: await adjustmentCause(place.database, place.tenantId),
      },
    ]);
    await refunded(paymentId);
    expect(await stands()).toEqual([0n, -1_000n]);
  });
});

test('each tenant has one house, however many ask for it first', async () => {
  const houses = await Promise.all(
    Array.from({ length: 10 }, () =>
      new HouseAccounts(place.database, new CallbackSecrets(`k1:${randomBytes(32).toString('base64')}`)).of(
        place.otherTenantId,
      ),
    ),
  );
  expect(new Set(houses.map(({ organizationId }) => organizationId)).size).toBe(1);
});

// At the end: what is booked stays.
describe('the audit finds', () => {
  const MIRRORED =
    'what moves into a wallet that a seller has sold for, or out of it, moves between tenant and seller too';
  const OWN = 'what sellers hold for wallets comes from top-ups that they have sold';

  test.each([
    ['for which the seller has nothing', false],
    ['for which another seller has it', true],
  ])('a top-up %s', async (_what, isAnothers) => {
    sellerId = isAnothers ? await newSeller() : null;
    const paymentId = await captured(await customer(), { settled: true });
    const becomes = (seller_id: string | null) =>
      within(place.tenantId, (trx) => trx('topups').where({ payment_id: paymentId }).update({ seller_id }));
    const told = sellerId;
    await becomes(await newSeller());
    faults = [MIRRORED];
    expect(new Set((await auditBooks(place.database.ops)).findings.map(({ check }) => check))).toEqual(new Set(faults));
    await becomes(told);
    faults = [];
  });

  test('what a seller got for no top-up at all', async () => {
    const seller = await newSeller();
    await ledger.bookAlone(place.database, place.tenantId, 'EUR', [
      {
        phase: 'posted',
        debit: sellerFloatOf(seller),
        credit: payableTo(seller),
        amountMinor: 5n,
        cause: await adjustmentCause(place.database, place.tenantId),
      },
    ]);
    faults = [OWN];
  });
});
