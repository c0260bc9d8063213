import type { ProcessorEvent, ProcessorEventType } from '../../../../../src/domain/connector';
import { EVENT_SUBJECTS } from '../../../../../src/domain/event-subject';
import type { PaymentStatus } from '../../../../../src/domain/states/payment';
import type { AttemptRow } from '../../../../../src/money/payments/attempt';
import type { OperationRow, PaymentRow } from '../../../../../src/money/payments/payment';
import { judge } from '../../../../../src/money/payments/steps/callback';

const eur = (amountMinor: bigint) => ({ amountMinor, currency: 'EUR' });

function buildPayment(status: PaymentStatus, overrides: Partial<PaymentRow> = {}): PaymentRow {
  return {
    id: 'pay_1',
    currency: 'EUR',
    amount_minor: 1_000n,
    authorized_minor: status === 'authorized' ? 1_000n : 0n,
    capture_mode: 'automatic',
    status,
    ...overrides,
  } as PaymentRow;
}

const said = (type: ProcessorEventType, more: Partial<ProcessorEvent> = {}): ProcessorEvent => ({
  eventId: 'evt_1',
  reference: 'pay_1',
  type,
  processorStatus: 'x',
  ...more,
});

test.each([
  ['authorized', { kind: 'authorized', processorReference: 'known before', money: eur(1_000n) }],
  ['captured', { kind: 'captured', processorReference: 'known before', money: eur(1_000n), detail: undefined }],
  ['settled', { kind: 'captured', processorReference: 'known before', money: eur(1_000n), detail: undefined }],
  ['voided', { kind: 'voided', processorReference: 'known before' }],
  ['processing', { kind: 'pending', processorReference: 'known before', detail: 'The processor works on it.' }],
  ['failed', { kind: 'declined', code: 200, detail: 'Declined by the processor.' }],
  ['authentication_failed', { kind: 'authentication_failed', detail: '3-D Secure authentication failed.' }],
] as const)('%s of a pending payment is what the processor would answer', (type, answer) => {
  const attempt = { processor_reference: 'known before' } as AttemptRow;
  expect(judge(buildPayment('pending'), said(type), { attempt })).toEqual({ kind: 'answer', answer });
});

test('what the event states counts more than what is known', () => {
  const event = said('captured', { processorReference: 'new', money: eur(700n), detail: 'in part' });
  const payment = buildPayment('authorized', { capture_mode: 'manual' });
  const answer = { kind: 'captured', processorReference: 'new', money: eur(700n), detail: 'in part' };
  expect(judge(payment, event)).toEqual({ kind: 'answer', answer });
});

test('money that came in is a reason to ask, whatever the amount', () => {
  expect(judge(buildPayment('requires_action'), said('transfer_received', { money: eur(1n) }))).toEqual({
    kind: 'ask',
  });
});

test.each([
  ['captured', eur(999n)],
  ['captured', { amountMinor: 1_000n, currency: 'USD' }],
  ['charged_back', eur(1n)],
] as const)('%s of another amount or currency is flagged', (type, money) => {
  expect(judge(buildPayment('pending'), said(type, { money }))).toMatchObject({ kind: 'flagged' });
});

test('an authorized payment is not authorized again, and does not fail', () => {
  const payment = buildPayment('authorized');
  expect(judge(payment, said('authorized'))).toMatchObject({ kind: 'ignored' });
  expect(judge(payment, said('processing'))).toMatchObject({ kind: 'ignored' });
  expect(judge(payment, said('authentication_failed'))).toMatchObject({ kind: 'ignored' });
  expect(judge(payment, said('failed'))).toMatchObject({ kind: 'flagged' });
});

test('what is about refunds, disputes, payouts, batches and cards changes no payment', () => {
  const types = (Object.keys(EVENT_SUBJECTS) as ProcessorEventType[]).filter(
    (type) => EVENT_SUBJECTS[type] !== 'payment',
  );
  expect(types).toHaveLength(12);
  for (const type of types) expect(judge(buildPayment('pending'), said(type))).toMatchObject({ kind: 'ignored' });
});

test('a capture without an amount is what was ordered, and no more', () => {
  const payment = { ...buildPayment('authorized'), authorized_minor: 1_000n };
  const operation = { kind: 'capture', amount_minor: 400n } as OperationRow;
  const verdict = judge(payment, said('captured', { money: undefined }), { operation });
  expect(verdict).toMatchObject({ kind: 'answer', answer: { kind: 'captured', money: eur(400n) } });
});
