import type { AuthorizeAnswer } from '../../../../src/domain/processor-answers';
import {
  canPaymentBecome,
  isClosed,
  PAYMENT_STATUSES,
  type PaymentStatus,
} from '../../../../src/domain/states/payment';
import { changeFor, changeForOperation, isDecided } from '../../../../src/money/payments/outcome';
import type { PaymentRow } from '../../../../src/money/payments/payment';

const NOW = new Date('2026-01-31T12:00:00.000Z');
const context = {
  cause: 'inquiry' as const,
  now: NOW,
  inFlightUntil: new Date(NOW.getTime() + 1),
  askAgainMs: 1_000,
  authorizationTtlMs: 60_000,
  payerActionTtlMs: 900_000,
  payerTransferTtlMs: 7 * 86_400_000,
  payerInquiryFirstMs: 60_000,
};
const eur = (amountMinor: bigint) => ({ amountMinor, currency: 'EUR' });

function buildPayment(overrides: Partial<PaymentRow> = {}): PaymentRow {
  return {
    id: 'pay_1',
    tenant_id: 'ten_1',
    organization_id: 'org_1',
    processor: 'a',
    currency: 'EUR',
    amount_minor: 1000n,
    capture_mode: 'automatic',
    status: 'initiated',
    result_code: 100,
    status_detail: '',
    authorized_minor: 0n,
    captured_minor: 0n,
    created_at: NOW,
    unknown_since: null,
    review_since: null,
    request: { threeDS: 'auto', storeCard: false },
    waits_until: null,
    ...overrides,
  } as PaymentRow;
}

const VOID = { kind: 'void', cause: 'void' } as const;
const EXPIRY = { kind: 'void', cause: 'expiry' } as const;

const ANSWERS: AuthorizeAnswer[] = [
  { kind: 'authorized', processorReference: 'x', money: eur(1000n) },
  { kind: 'captured', processorReference: 'x', money: eur(1000n) },
  {
    kind: 'challenge',
    processorReference: 'x',
    action: { type: 'redirect', url: 'http://x', expiresAt: NOW.toISOString() },
  },
  { kind: 'declined', code: 200, detail: 'no' },
  { kind: 'authentication_failed', detail: 'no' },
  { kind: 'voided', processorReference: 'x' },
  { kind: 'pending', detail: 'works' },
  { kind: 'not_charged', detail: 'refused' },
  { kind: 'not_found' },
  { kind: 'unknown', detail: 'time-out' },
];
const OPEN = PAYMENT_STATUSES.filter((status) => !isClosed(status));
const CASES = OPEN.flatMap((status) =>
  ANSWERS.map((answer): [PaymentStatus, string, AuthorizeAnswer] => [status, answer.kind, answer]),
);

test.each(CASES)('a payment that is %s takes %s without leaving the transition table', (status, _kind, answer) => {
  const payment = buildPayment({ status, authorized_minor: status === 'authorized' ? 1000n : 0n });
  const change = changeFor(payment, answer, context);
  expect(change.to === status || canPaymentBecome(status, change.to)).toBe(true);
});

test.each(['unknown', 'pending'])('%s never ends a payment', (kind) => {
  const answer = ANSWERS.find((candidate) => candidate.kind === kind)!;
  for (const status of OPEN) expect(isClosed(changeFor(buildPayment({ status }), answer, context).to)).toBe(false);
});

test('"not found" is an answer only after the in-flight window', () => {
  const fresh = changeFor(buildPayment(), { kind: 'not_found' }, context);
  expect([fresh.to, fresh.resultCode]).toEqual(['pending', 500]);
  const late = changeFor(buildPayment(), { kind: 'not_found' }, { ...context, inFlightUntil: NOW });
  expect([late.to, late.resultCode]).toEqual(['failed', 501]);
});

test.each([
  ['another currency', { amountMinor: 1000n, currency: 'USD' }],
  ['more than was asked for', eur(1001n)],
  ['nothing', eur(0n)],
])('%s is not booked but flagged', (_name, money) => {
  const change = changeFor(buildPayment(), { kind: 'captured', processorReference: 'x', money }, context);
  expect(change.to).toBe('pending');
  expect(change.movements ?? []).toEqual([]);
  expect(change.columns?.review_since).toEqual(NOW);
});

test('a capture posts its hold where there is one', () => {
  const authorized = buildPayment({ status: 'authorized', authorized_minor: 1000n });
  const change = changeFor(authorized, { kind: 'captured', processorReference: 'x', money: eur(400n) }, context);
  expect(change.movements).toMatchObject([{ phase: 'post', amountMinor: 400n, pendingCause: 'pay_1/authorize' }]);
  expect(change.columns).toMatchObject({ captured_minor: 400n, authorized_minor: 1000n });
});

test('the end of an authorized payment releases its hold', () => {
  const authorized = buildPayment({ status: 'authorized', authorized_minor: 1000n });
  const change = changeFor(authorized, { kind: 'voided', processorReference: 'x' }, context);
  expect(change.to).toBe('cancelled');
  expect(change.movements).toMatchObject([{ phase: 'void', amountMinor: 1000n }]);
});

test.each(['capture', 'void'] as const)('a refused %s leaves the payment where it is', (kind) => {
  const authorized = buildPayment({ status: 'authorized', authorized_minor: 1000n });
  const change = changeForOperation(authorized, { kind, cause: kind }, { kind: 'refused', detail: 'no' }, context);
  expect(change.to).toBe('authorized');
  expect(change.movements ?? []).toEqual([]);
});

test.each(['capture', 'void'] as const)('a %s that never left is sent again: nothing has ended', (kind) => {
  const authorized = buildPayment({ status: 'authorized', authorized_minor: 1000n });
  const change = changeForOperation(
    authorized,
    { kind, cause: kind },
    { kind: 'not_taken', detail: 'turned away (429)' },
    context,
  );
  expect(change).toMatchObject({ to: 'authorized', resultCode: 500 });
  expect(isDecided({ cause: kind }, { kind: 'not_taken', detail: '' })).toBe(false);
});

test('a refused void of a payment that was captured there books the capture', () => {
  const authorized = buildPayment({ status: 'authorized', authorized_minor: 1000n });
  const standing = { kind: 'captured', processorReference: 'x', money: eur(1000n) } as const;
  const change = changeForOperation(authorized, VOID, { kind: 'refused', detail: 'captured', standing }, context);
  expect(change.to).toBe('captured');
});

test('a refused void never fails a payment that still waits for its payer there', () => {
  const waiting = buildPayment({ status: 'requires_action' });
  for (const refused of [
    { kind: 'refused', detail: 'the processor does not accept the request' },
    { kind: 'refused', detail: 'no', standing: { kind: 'pending', detail: 'works on it' } },
  ] as const)
    expect(changeForOperation(waiting, VOID, refused, context).to).toBe('requires_action');
});

describe('the void at the end of the time', () => {
  const waiting = buildPayment({ status: 'requires_action', result_code: 120 });
  const held = buildPayment({ status: 'authorized', authorized_minor: 1000n });

  test.each([
    { kind: 'refused', detail: 'no' },
    { kind: 'not_taken', detail: 'turned away (429)' },
    { kind: 'not_found' },
    { kind: 'pending', detail: 'works on it' },
    { kind: 'unknown', detail: 'time-out' },
    { kind: 'refused', detail: 'no', standing: { kind: 'pending', detail: 'works on it' } },
  ] as const)('that meets %j ends nothing, and is asked for again', (answer) => {
    for (const payment of [waiting, held]) {
      const change = changeForOperation(payment, EXPIRY, answer, context);
      expect([change.to, change.movements ?? []]).toEqual([payment.status, []]);
      expect(isDecided(EXPIRY, answer)).toBe(false);
    }
  });

  test('ends the payment once it is done, and releases what was held', () => {
    const voided = { kind: 'voided', processorReference: 'x' } as const;
    expect(changeForOperation(waiting, EXPIRY, voided, context)).toMatchObject({ to: 'expired', resultCode: 301 });
    const change = changeForOperation(held, EXPIRY, voided, context);
    expect(change).toMatchObject({ to: 'expired', resultCode: 302, movements: [{ phase: 'void' }] });
  });

  test('takes the money of a payer who was faster', () => {
    const standing = { kind: 'captured', processorReference: 'x', money: eur(1000n) } as const;
    const change = changeForOperation(waiting, EXPIRY, { kind: 'refused', detail: 'captured', standing }, context);
    expect(change.to).toBe('captured');
  });
});
