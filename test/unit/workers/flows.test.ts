import { WORKFLOW, type WorkflowName } from '../../../src/domain/flows';
import { FLOWS } from '../../../workers/flows';

/** What stands in the engine about flows that run now: a change here leaves those under another name. */

const ids = { id: 'id_1', tenant_id: 'ten_1', organization_id: 'org_1', customer_id: 'cus_1' };
const money = { amount_minor: 1250n, currency: 'EUR' };
const payment = {
  ...ids,
  ...money,
  id: 'pay_1',
  kind: 'card',
  beneficiary: 'merchant',
  status: 'initiated',
  processor: 'a',
  merchant_transaction_id: 'order-1',
  request_id: 'req-1',
  has_flow: true,
};

const PAYMENT_ATTRIBUTES = {
  tenant: 'ten_1',
  organization: 'org_1',
  customer: 'cus_1',
  status: 'initiated',
  provider: 'a',
  merchantTransactionId: 'order-1',
};

/** A row of each flow, and what is made of it. */
const EXPECTED: Record<
  WorkflowName,
  { row: unknown; id: string; input: unknown; summary: string | null; attributes: object }
> = {
  payment: {
    row: payment,
    id: 'payment/pay_1',
    input: { paymentId: 'pay_1', tenantId: 'ten_1', isWokenWhenDue: true },
    summary: 'card payment of 12.50 EUR',
    attributes: { ...PAYMENT_ATTRIBUTES, kind: 'card' },
  },
  topup: {
    row: { ...payment, id: 'pay_01jdqkx300fay8vvr14d2pf2db', beneficiary: 'wallet' },
    id: 'topup/top_01jdqkx300fay8vvr14d2pf2db',
    input: { paymentId: 'pay_01jdqkx300fay8vvr14d2pf2db', tenantId: 'ten_1', isWokenWhenDue: true },
    summary: 'top-up of 12.50 EUR',
    attributes: { ...PAYMENT_ATTRIBUTES, kind: 'topup' },
  },
  refund: {
    row: { ...ids, ...money, id: 'ref_1', payment_id: 'pay_1', status: 'pending' },
    id: 'refund/ref_1',
    input: { refundId: 'ref_1', paymentId: 'pay_1', tenantId: 'ten_1' },
    summary: 'refund of 12.50 EUR on pay_1',
    attributes: { kind: 'refund', tenant: 'ten_1', organization: 'org_1', status: 'pending' },
  },
  receipt: {
    row: { ...ids, ...money, id: 'rcp_1', payment_id: 'pay_1', processor: 'b', status: 'returning' },
    id: 'receipt/rcp_1',
    input: { receiptId: 'rcp_1', tenantId: 'ten_1' },
    summary: 'return of 12.50 EUR that processor b has for pay_1',
    attributes: { kind: 'receipt', tenant: 'ten_1', organization: 'org_1', status: 'returning', provider: 'b' },
  },
  unmatchedTransfer: {
    row: { ...ids, ...money, id: 'utr_1', decision: 'match', payment_id: 'pay_1', processor: 'b', status: 'matching' },
    id: 'unmatched-transfer/utr_1',
    input: { id: 'utr_1' },
    summary: '12.50 EUR at processor b goes to pay_1',
    attributes: { kind: 'unmatched_transfer', tenant: 'ten_1', status: 'matching', provider: 'b' },
  },
  dispute: {
    row: { ...ids, processor: 'a', case_id: 'c-1', payment_id: 'pay_1' },
    id: 'dispute/a/c-1',
    input: { processor: 'a', caseId: 'c-1' },
    summary: 'dispute on pay_1',
    attributes: { kind: 'dispute', tenant: 'ten_1', organization: 'org_1', provider: 'a' },
  },
  settlement: {
    row: { processor: 'a', batchId: 'b-1' },
    id: 'settlement/a/b-1',
    input: { processor: 'a', batchId: 'b-1' },
    summary: null,
    attributes: { kind: 'settlement', tenant: null, provider: 'a' },
  },
  reconciliation: {
    row: { processor: 'a', startedBy: 'schedule' },
    id: 'reconciliation/a/scheduled',
    input: { processor: 'a', startedBy: 'schedule' },
    summary: null,
    attributes: { kind: 'reconciliation', tenant: null, provider: 'a' },
  },
  lateCallback: {
    row: { processor: 'a', eventId: 'e-1', inboxId: '7', tenantId: 'ten_1', organizationId: 'org_1' },
    id: 'callback/a/e-1',
    input: { inboxId: '7' },
    summary: null,
    attributes: { kind: 'late_callback', tenant: 'ten_1', organization: 'org_1', provider: 'a' },
  },
  notifications: {
    row: { organizationId: 'org_1', endpoint: 'https://shop.example', tenantId: 'ten_1' },
    id: 'notifications/org_1/f617a4db4e73',
    input: { organizationId: 'org_1', endpoint: 'https://shop.example' },
    summary: 'notifications to https://shop.example',
    attributes: { kind: 'notifications', tenant: 'ten_1', organization: 'org_1' },
  },
  verification: {
    row: { ...ids, id: 'cus_1' },
    id: 'verification/cus_1',
    input: { customerId: 'cus_1', tenantId: 'ten_1' },
    summary: 'verification of cus_1',
    attributes: { kind: 'verification', tenant: 'ten_1', organization: 'org_1', customer: 'cus_1' },
  },
  cardVerification: {
    row: { ...ids, id: 'cvf_1', status: 'initiated', processor: 'a', request_id: 'req-1' },
    id: 'card-verification/cvf_1',
    input: { verificationId: 'cvf_1', tenantId: 'ten_1' },
    summary: 'verification of a card of cus_1',
    attributes: {
      kind: 'card_verification',
      tenant: 'ten_1',
      customer: 'cus_1',
      status: 'initiated',
      provider: 'a',
    },
  },
  cardUpdate: {
    row: { processor: 'a', eventId: 'e-1', inboxId: '7', tenantId: 'ten_1' },
    id: 'card-update/a/e-1',
    input: { inboxId: '7' },
    summary: null,
    attributes: { kind: 'card_update', tenant: 'ten_1', provider: 'a' },
  },
  cardExpiry: {
    row: undefined,
    id: 'card-expiry/scheduled',
    input: undefined,
    summary: null,
    attributes: { kind: 'card_expiry', tenant: null },
  },
  activation: {
    row: { ...ids, id: 'act_1', number: 2 },
    id: 'activation/org_1/2',
    input: { activationId: 'act_1', tenantId: 'ten_1' },
    summary: 'org_1 applies to go live (2)',
    attributes: { kind: 'activation', tenant: 'ten_1', organization: 'org_1' },
  },
  consent: {
    row: { ...ids, id: 'con_1', kind: 'account', status: 'Authorised' },
    id: 'consent/con_1',
    input: { consentId: 'con_1', tenantId: 'ten_1' },
    summary: 'account consent con_1',
    attributes: { kind: 'consent', tenant: 'ten_1', customer: 'cus_1', status: 'Authorised' },
  },
  p2p: {
    row: { kind: 'request', row: { ...ids, ...money, id: 'mrq_1', requester_id: 'cus_2', status: 'pending' } },
    id: 'p2p/mrq_1',
    input: { kind: 'request', id: 'mrq_1', tenantId: 'ten_1' },
    summary: 'request of 12.50 EUR between customers',
    attributes: { kind: 'money request', tenant: 'ten_1', customer: 'cus_2', status: 'pending' },
  },
  scheduledTransfer: {
    row: { ...ids, ...money, id: 'tsc_1', sender_id: 'cus_3', frequency: 'monthly' },
    id: 'p2p/tsc_1/run',
    input: { scheduleId: 'tsc_1', tenantId: 'ten_1' },
    summary: 'monthly transfer of 12.50 EUR by schedule',
    attributes: { kind: 'scheduled transfer', tenant: 'ten_1', customer: 'cus_3' },
  },
  paymentLink: {
    row: { ...ids, id: 'row_1' },
    id: 'payment-link/row_1',
    input: { paymentLinkId: 'row_1', tenantId: 'ten_1' },
    summary: 'payment link row_1',
    attributes: { kind: 'payment_link', tenant: 'ten_1', organization: 'org_1' },
  },
  payout: {
    row: { ...ids, id: 'row_1', amount_minor: 1_000n, currency: 'EUR', number: 7, processor: 'b', status: 'scheduled' },
    id: 'payout/row_1',
    input: { payoutId: 'row_1', tenantId: 'ten_1' },
    summary: 'payout 7: 10.00 EUR through processor b',
    attributes: { kind: 'payout', tenant: 'ten_1', organization: 'org_1', status: 'scheduled', provider: 'b' },
  },
};

const names = Object.keys(WORKFLOW) as WorkflowName[];

test.each(names)('%s: its id, its input, and what it is found by', (name) => {
  const flow = FLOWS[name];
  const { row, ...expected } = EXPECTED[name];
  expect(flow.workflow).toBe(name);
  const { id, input, summary, attributes } = flow;
  expect({
    id: id(row),
    input: input(row),
    summary: summary(row),
    attributes: attributes(row),
  }).toEqual(expected);
});

test('a run of reconciliation that somebody asked for goes by its own id, and says by whom', () => {
  const row = { processor: 'a', runId: 'rcr_1', startedBy: 'olga' };
  expect(FLOWS.reconciliation.id(row)).toBe('reconciliation/a/rcr_1');
  expect(FLOWS.reconciliation.summary(row)).toBe('reconciliation with processor a, by olga');
});

test('an id is spent once its flow has ended where a second run could do harm', () => {
  expect(names.filter((name) => FLOWS[name].runs === 'once')).toEqual([
    'payment',
    'topup',
    'refund',
    'settlement',
    'reconciliation',
  ]);
});

test('the request that a flow began with is kept beside it', () => {
  expect(names.filter((name) => FLOWS[name].memo)).toEqual(['payment', 'topup', 'cardVerification']);
  expect(FLOWS.payment.memo?.(payment)).toEqual({ requestId: 'req-1' });
});

test('every flow says how its rows are found, or why there is nothing to find', () => {
  const looksFor = (name: WorkflowName, what: 'unheard' | 'open') => typeof FLOWS[name][what] === 'function';
  expect(names.filter((name) => looksFor(name, 'unheard'))).toEqual([
    'payment',
    'topup',
    'refund',
    'dispute',
    'receipt',
    'unmatchedTransfer',
    'verification',
    'cardVerification',
    'activation',
    'p2p',
    'scheduledTransfer',
    'paymentLink',
    'payout',
    'consent',
  ]);
  expect(names.filter((name) => looksFor(name, 'open'))).toEqual([
    'payment',
    'topup',
    'refund',
    'dispute',
    'receipt',
    'unmatchedTransfer',
    'cardVerification',
    'scheduledTransfer',
  ]);
});

test('a flow that comes late keeps its own time', () => {
  const late = FLOWS.payment.input({ ...payment, has_flow: false });
  expect(late).toEqual({ paymentId: 'pay_1', tenantId: 'ten_1' });
});
