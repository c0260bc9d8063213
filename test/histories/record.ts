import { randomUUID } from 'node:crypto';
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { temporal } from '@temporalio/proto';
import { workflowId } from '../../src/domain/flows';
import { newId, newUuid } from '../../src/domain/ids';
import { flowOf } from '../../src/edge/notifications/flow';
import { apiKeyFor } from '../../src/edge/processors/credentials';
import { Consents } from '../../src/open-banking/consents/service';
import type { Platform } from '../../workers/platform';
import {
  type Actors,
  actorsOf,
  CARDS,
  challenge,
  type Json,
  receiptsOf,
  Simulator,
  send,
  signedByA,
  until,
} from '../e2e/client';
import { newEmail, P2P, Transfers } from '../e2e/p2p';
import { ACCOUNTS, PAYOUTS, Seller } from '../e2e/sellers';
import { Topups } from '../e2e/topups';
import { platformOf } from '../faults/inside';
import { projectRoot } from '../setup/project';
import { type Stack, startStack } from '../setup/stack';
import { Receiver } from '../unit/edge/notifications/receiver';
import { HISTORY_CODEC_KEYS } from './keys';

/**
 * Records a history of every branch of every workflow from a platform of its own into `test/histories/*.json`; run by
 * `npm run histories` when a branch is new or a workflow was changed behind `patched`, not on every test run. HISTORIES
 * names the beginning of those to be recorded; the others stay as they are. Those that begin with `begun` are of a platform where
 * the API takes first steps (`PAYMENT_FLOWS=waiting`): they are recorded by themselves, `HISTORIES=begun npm run histories`.
 * Those that begin with `woken` are of flows without timers for payers and merchants, those with `told` of flows that are told
 * what a callback came to; the same branches without it are of the versions before, and are kept as they are.
 */

const FOLDER = join(projectRoot, 'test/histories');
const { HISTORIES = '' } = process.env;
const flows = HISTORIES.startsWith('begun') ? 'waiting' : 'all';
const isWanted = (name: string) => name.startsWith(HISTORIES) && name.startsWith('begun') === (flows === 'waiting');

let stack: Stack;
let actors: Actors;
let platform: Platform;
let p2p: Transfers;
let receiver: Receiver;
let topups: Topups;
let bank: Simulator;

beforeAll(async () => {
  stack = await startStack({
    env: {
      CODEC_KEYS: HISTORY_CODEC_KEYS,
      PAYMENT_FLOWS: flows,
      PROCESSOR_TIMEOUT_MS: '800',
      PROCESSOR_IN_FLIGHT_MS: '1500',
      PROCESSOR_INQUIRY_FIRST_MS: '200',
      PAYER_ACTION_TTL_MS: '4000',
      AUTHORIZATION_TTL_MS: '6000',
      SIMULATOR_CHARGEBACK_AFTER_MS: '500',
      SIMULATOR_DISPUTE_DECISION_AFTER_MS: '500',
      DISPUTE_EVIDENCE_TTL_MS: '4000',
      DISPUTE_INQUIRY_MS: '1000',
      UNMATCHED_TRANSFER_GRACE_MS: '1000',
      NOTIFICATION_RETRY_FIRST_MS: '5000',
      NOTIFICATION_ATTEMPTS: '2',
      ACTIVATION_REMINDER_MS: '1500',
      CONSENT_REMINDER_MS: '2000',
    },
  });
  actors = await actorsOf(stack.credentials);
  topups = new Topups(actors.tenantAdmin);
  bank = new Simulator(stack.credentials.simulatorUrl, 'b');
  platform = await platformOf(stack);
  p2p = new Transfers(actors.tenantAdmin, actors);
  receiver = await new Receiver().listen();
}, 120_000);
afterAll(async () => {
  await receiver?.close();
  await platform?.close();
  await stack?.remove();
}, 30_000);

const pay = async (number: string, overrides = {}): Promise<Json> =>
  (await actors.merchant.pay(number, overrides)).body.data;
const authorized = () => pay(CARDS.visa, { capture: 'manual' });
const ofPayment = ({ paymentId }: Json) => workflowId.payment(paymentId);
const topUp = async (number: string, overrides = {}): Promise<Json> =>
  (await topups.create(stack.credentials.customer.customerId, overrides, number)).body;
const ofTopup = ({ topupId }: Json) => workflowId.topup(topupId);
const ofRefund = ({ body }: Json) => workflowId.refund(body.data.refund.refundId);

function atProcessor(path: string, body: object) {
  return send(`${stack.credentials.simulatorUrl}/a/v1${path}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${apiKeyFor(stack.credentials.processorSecrets.a)}`,
      'idempotency-key': randomUUID(),
    },
    body,
  });
}

/** Answers the event's id. */
async function tell(reference: string, fields: object, receiver = 'processor_a'): Promise<string> {
  const eventId = `evt-${randomUUID()}`;
  const secret = stack.credentials.processorSecrets.a;
  await send(`${stack.apiUrl}/callbacks/${receiver}`, signedByA(secret, { eventId, reference, ...fields }));
  return eventId;
}

const closed = (id: string) => platform.engine.client.workflow.getHandle(id).result();

const signal = (payment: Json, name: string, more = {}) =>
  platform.engine.client.workflow
    .getHandle(ofPayment(payment))
    .signal(name, { operator: 'test', reason: 'to be recorded', ...more });

const order = (payment: Json, act: object) =>
  actors.ops.post('/ops/1.0.0/interventions', { objectId: payment.paymentId, reason: 'to be recorded', ...act });

/** Each branch by its name: makes it happen and answers the id of its workflow. */
/** Money that arrived for a payment that had ended; the answer to its return is lost. */
async function lateReceipt(fault: string): Promise<string> {
  const payment = await pay(CARDS.declined);
  await closed(ofPayment(payment));
  const money = { amount: '10.00', currency: 'EUR' };
  const card = { number: CARDS.visa, expiryMonth: '12', expiryYear: '2030' };
  await atProcessor('/payments', { reference: payment.paymentId, ...money, capture: true, card });
  await actors.simulator.fault('refund', fault, { reference: payment.paymentId });
  await tell(payment.paymentId, { status: 'CAPTURED', ...money });
  return receiptOf(payment.paymentId);
}

const receiptOf = (paymentId: string): Promise<string> =>
  until('the receipt is written down', async () => (await receiptsOf(actors, paymentId))[0]?.receiptId);

/** A transfer that matched nothing, and what an operator decides about it. */
async function decidedAbout(decide: (transfer: Json) => Promise<[act: string, body: object]>): Promise<string> {
  const list = '/ops/1.0.0/unmatched-transfers';
  const order = { iban: 'PT50999900010000000000099', amount: '10.00', currency: 'EUR' };
  const url = `${stack.credentials.simulatorUrl}/sim/processors/b/transfers`;
  const { transferId } = (await send(url, { method: 'POST', body: order })).body;
  const transfer = await until('it is in suspense', async () =>
    (await actors.ops.get(`${list}?limit=200`)).body.data.find((row: Json) => row.transferId === transferId),
  );
  const [act, body] = await decide(transfer);
  await actors.ops.post(`${list}/${transfer.unmatchedTransferId}/${act}`, { ...body, reason: 'to be recorded' });
  return workflowId.unmatchedTransfer(transfer.unmatchedTransferId);
}

/** A seller with something to pay out to an account. */
async function sellerOn(iban: string): Promise<Seller> {
  const shop = await Seller.create(stack.credentials, actors, iban);
  await shop.sold();
  return shop;
}

/** A payout to an account, once it has come to a status. */
async function paidOut(iban: string, status: string): Promise<string> {
  const shop = await sellerOn(iban);
  const { payoutId } = (await shop.payOut()).body;
  await shop.become(payoutId, status);
  return workflowId.payout(payoutId);
}

const BRANCHES: Record<string, () => Promise<string>> = {
  'payment-captured': async () => ofPayment(await pay(CARDS.frictionless)),
  'payment-declined': async () => ofPayment(await pay(CARDS.declined)),
  'payment-authenticated': async () => {
    const payment = await pay(CARDS.challenge);
    await challenge(payment.action.url, 'authenticated');
    return ofPayment(payment);
  },
  'begun-payment-authenticated': async () => {
    const payment = await pay(CARDS.challenge);
    await challenge(payment.action.url, 'authenticated');
    return ofPayment(payment);
  },
  'begun-payment-captured-by-hand': async () => {
    const payment = await authorized();
    await actors.merchant.capture(payment.paymentId);
    return ofPayment(payment);
  },
  'begun-payment-unknown-then-captured': async () => ofPayment(await pay(CARDS.neverAnswers)),
  'begun-payment-abandoned-by-payer': async () => ofPayment(await pay(CARDS.challenge)),
  'begun-topup-captured-by-hand': async () => {
    const topup = await topUp(CARDS.visa, { capture: 'manual' });
    await topups.act(topup.topupId, 'capture');
    return ofTopup(topup);
  },
  'woken-payment-authenticated': async () => {
    const payment = await pay(CARDS.challenge);
    await challenge(payment.action.url, 'authenticated');
    return ofPayment(payment);
  },
  'told-payment-authenticated': async () => {
    const payment = await pay(CARDS.challenge);
    await challenge(payment.action.url, 'authenticated');
    return ofPayment(payment);
  },
  'told-payment-authorized-then-captured': async () => {
    const payment = await pay(CARDS.challenge, { capture: 'manual' });
    await challenge(payment.action.url, 'authenticated');
    await actors.merchant.until(payment.paymentId, 'authorized');
    await actors.merchant.capture(payment.paymentId);
    return ofPayment(payment);
  },
  'woken-payment-abandoned-by-payer': async () => ofPayment(await pay(CARDS.challenge)),
  'woken-payment-authorization-expired': async () => ofPayment(await authorized()),
  'woken-topup-abandoned-by-payer': async () => ofTopup(await topUp(CARDS.challenge)),
  'payment-refused-by-payer': async () => {
    const payment = await pay(CARDS.challenge);
    await challenge(payment.action.url, 'failed');
    return ofPayment(payment);
  },
  'payment-abandoned-by-payer': async () => ofPayment(await pay(CARDS.challenge)),
  'payment-unknown-then-captured': async () => ofPayment(await pay(CARDS.neverAnswers)),
  'payment-unknown-then-not-found': async () => {
    await actors.simulator.fault('authorize', 'drop');
    return ofPayment(await pay(CARDS.visa));
  },
  'payment-captured-by-hand': async () => {
    const payment = await authorized();
    await actors.merchant.capture(payment.paymentId);
    return ofPayment(payment);
  },
  'payment-captured-in-part': async () => {
    const payment = await authorized();
    await actors.merchant.capture(payment.paymentId, { amount: '6.00' });
    return ofPayment(payment);
  },
  'payment-capture-refused': async () => {
    const payment = await authorized();
    await actors.merchant.capture(payment.paymentId, { amount: '11.00' });
    await actors.merchant.capture(payment.paymentId);
    return ofPayment(payment);
  },
  'payment-capture-unknown': async () => {
    const payment = await authorized();
    await actors.simulator.fault('capture', 'close_after', { reference: payment.paymentId });
    await actors.merchant.capture(payment.paymentId);
    return ofPayment(payment);
  },
  'payment-captured-by-callback': async () => {
    const payment = await authorized();
    await atProcessor(`/payments/${payment.paymentId}/captures`, { amount: '10.00', currency: 'EUR' });
    await tell(payment.paymentId, { status: 'CAPTURED', amount: '10.00', currency: 'EUR' });
    return ofPayment(payment);
  },
  'payment-cancelled': async () => {
    const payment = await authorized();
    await actors.merchant.cancel(payment.paymentId);
    return ofPayment(payment);
  },
  'payment-authorization-expired': async () => ofPayment(await authorized()),
  'payment-asked-by-operator': async () => {
    const payment = await authorized();
    await signal(payment, 'retryNow');
    await until('noted', async () => (await actors.merchant.events(payment.paymentId)).length > 2);
    await actors.merchant.cancel(payment.paymentId);
    return ofPayment(payment);
  },
  'payment-cancelled-by-operator': async () => {
    const payment = await authorized();
    await order(payment, { act: 'cancel' });
    return ofPayment(payment);
  },
  'payment-signalled-past-the-api': async () => {
    const payment = await authorized();
    // Without our codec, as from the engine's own tools, and with it.
    const connection = await Connection.connect({ address: stack.credentials.temporalAddress });
    const stranger = new Client({ connection }).workflow.getHandle(ofPayment(payment));
    await stranger.signal('callbackArrived', 'cin_forged');
    await stranger.signal('cancelNow', { operator: 'eve', reason: 'none' });
    await connection.close();
    await signal(payment, 'resolveUnknown', { outcome: 'captured' });
    await until('both are recorded', async () => {
      const { body } = await actors.ops.get(`/identity/1.0.0/audit?target=${payment.paymentId}`);
      return body.data.length >= 2;
    });
    await actors.merchant.cancel(payment.paymentId);
    return ofPayment(payment);
  },
  'payment-resolved-by-operator': async () => {
    const payment = await pay(CARDS.neverAnswers);
    await actors.simulator.fault('inquiry', 'close_before', { reference: payment.paymentId, times: 1_000 });
    await order(payment, { act: 'resolve', outcome: 'captured' });
    return ofPayment(payment);
  },
  'topup-captured': async () => ofTopup(await topUp(CARDS.visa)),
  'topup-declined': async () => ofTopup(await topUp(CARDS.declined)),
  'topup-authenticated': async () => {
    const topup = await topUp(CARDS.challenge);
    await challenge(topup.action.url, 'authenticated');
    return ofTopup(topup);
  },
  'topup-abandoned-by-payer': async () => ofTopup(await topUp(CARDS.challenge)),
  'topup-captured-in-part': async () => {
    const topup = await topUp(CARDS.visa, { capture: 'manual' });
    await topups.act(topup.topupId, 'capture', { amount: '6.00' });
    return ofTopup(topup);
  },
  'topup-cancelled': async () => {
    const topup = await topUp(CARDS.visa, { capture: 'manual' });
    await topups.act(topup.topupId, 'cancel');
    return ofTopup(topup);
  },
  refund: async () => ofRefund(await actors.merchant.refund((await pay(CARDS.visa)).paymentId)),
  'refund-declined': async () => ofRefund(await actors.merchant.refund((await pay(CARDS.refundDeclined)).paymentId)),
  'refund-unknown': async () => {
    const { paymentId } = await pay(CARDS.visa);
    await actors.simulator.fault('refund', 'close_after', { reference: paymentId });
    return ofRefund(await actors.merchant.refund(paymentId, { amount: '1.00' }));
  },
  'dispute-won': async () => {
    const { paymentId } = await pay(CARDS.chargedBack);
    await actors.merchant.until(paymentId, 'charged_back');
    await actors.simulator.callback({ reference: paymentId, event: 'chargeback_won' });
    return disputeOf(paymentId);
  },
  'dispute-lost': async () => {
    const { paymentId } = await pay(CARDS.chargedBack);
    await actors.merchant.until(paymentId, 'charged_back');
    await actors.simulator.callback({ reference: paymentId, event: 'chargeback_lost' });
    return disputeOf(paymentId);
  },
  'dispute-contested': async () => {
    const paymentId = await chargedBack();
    const path = await disputePath(paymentId);
    await actors.merchant.post(`${path}/evidence`, { text: 'It was delivered.' });
    await actors.merchant.post(`${path}/second-presentment`);
    return disputeOf(paymentId);
  },
  'dispute-given-up': async () => {
    const paymentId = await chargedBack();
    await actors.simulator.fault('dispute', 'close_after', { reference: paymentId });
    await actors.merchant.post(`${await disputePath(paymentId)}/accept`);
    return disputeOf(paymentId);
  },
  'dispute-evidence-overdue-then-asked': async () => {
    const paymentId = await chargedBack();
    await actors.simulator.fault('callback', 'drop', { reference: paymentId, times: 20 });
    await actors.merchant.post(`${await disputePath(paymentId)}/evidence`, { text: 'Please.' });
    return disputeOf(paymentId);
  },
  'dispute-flagged': async () => {
    const { paymentId } = await pay(CARDS.refundDeclined);
    await actors.simulator.fault('callback', 'delay', { reference: paymentId, delayMs: 1_000 });
    await actors.merchant.refund(paymentId, { amount: '1.00' });
    const caseId = randomUUID();
    const money = { type: 'chargeback', caseId, amount: '10.00', currency: 'EUR' };
    await tell(paymentId, { ...money, status: 'CHARGEBACK' }, 'processor_a-chargeback');
    await until('it fits', async () => (await actors.merchant.status(paymentId)).transactionStatus === 'charged_back');
    await tell(paymentId, { ...money, status: 'CHARGEBACK_CONFIRMED' }, 'processor_a-chargeback');
    return disputeOf(paymentId);
  },
  settlement: async () => {
    const { paymentId } = await pay(CARDS.visa);
    await actors.merchant.until(paymentId, 'settled');
    const event = (await actors.merchant.events(paymentId)).find(({ to }) => to === 'settled');
    // `settlement a/<batch>`
    const [processor, batchId] = event.cause.split(' ')[1].split('/');
    return workflowId.settlement(processor, batchId);
  },
  reconciliation: async () => {
    const { body } = await actors.ops.post('/reconciliation/1.0.0/runs', { processor: 'a' });
    return workflowId.reconciliation('a', body.runId);
  },
  'late-callback-flagged': async () => {
    const payment = await pay(CARDS.visa);
    await closed(ofPayment(payment));
    return workflowId.lateCallback(
      'a',
      await tell(payment.paymentId, { status: 'CAPTURED', amount: '11.00', currency: 'EUR' }),
    );
  },
  'late-callback-money-returned': async () => {
    const payment = await pay(CARDS.declined);
    await closed(ofPayment(payment));
    const money = { amount: '10.00', currency: 'EUR' };
    const card = { number: CARDS.visa, expiryMonth: '12', expiryYear: '2030' };
    await atProcessor('/payments', { reference: payment.paymentId, ...money, capture: true, card });
    await actors.simulator.fault('refund', 'close_after', { reference: payment.paymentId });
    return workflowId.lateCallback('a', await tell(payment.paymentId, { status: 'CAPTURED', ...money }));
  },
  'receipt-returned': async () => {
    const receipt = await lateReceipt('close_after');
    return workflowId.receipt(receipt);
  },
  'receipt-refused': async () => {
    const payment = await pay(CARDS.declined);
    await closed(ofPayment(payment));
    // The processor has no such money to give back.
    await tell(payment.paymentId, { status: 'CAPTURED', amount: '10.00', currency: 'EUR' });
    return workflowId.receipt(await receiptOf(payment.paymentId));
  },
  'unmatched-transfer-matched': () =>
    decidedAbout(async (transfer) => {
      const { body } = await actors.merchant.pay(undefined, { bankTransfer: {} }, { path: '61' });
      await bank.fault('capture', 'close_after', { reference: transfer.transferId });
      return ['match', { paymentId: body.data.paymentId }];
    }),
  'unmatched-transfer-returned': () =>
    decidedAbout(async ({ transferId }) => {
      await bank.fault('refund', 'close_before', { reference: transferId });
      return ['return', {}];
    }),
  'unmatched-transfer-refused': () =>
    decidedAbout(async ({ transferId }) => {
      await bank.fault('refund', 'status_400', { reference: transferId });
      return ['return', {}];
    }),
  'verification-verified': async () => {
    const { flow, path } = await underVerification();
    await actors.tenantAdmin.post(`${path}/reject`, { reason: 'too dark' });
    await actors.tenantAdmin.post(`${path}/approve`);
    return flow;
  },
  'verification-expired-then-renewed': async () => {
    const { customerId, flow, path } = await underVerification();
    await actors.tenantAdmin.post(`${path}/approve`, { expiresAt: new Date(Date.now() + 2_000).toISOString() });
    await until('it has expired', async () => {
      const { body } = await actors.tenantAdmin.get(`/customer/1.0.0/fetch/${customerId}`);
      return body.customerStatus === 'under_investigation';
    });
    await fetch(`${stack.apiUrl}${path}/file`, {
      method: 'PUT',
      headers: { ...actors.tenantAdmin.headers, 'content-type': 'application/pdf' },
      body: '%PDF-1.7',
    });
    await actors.tenantAdmin.post(`${path}/approve`);
    return flow;
  },
  'verification-of-an-erased-customer': async () => {
    const { customerId, flow } = await underVerification();
    await send(`${stack.apiUrl}/customer/1.0.0/delete/${customerId}`, {
      method: 'DELETE',
      headers: actors.tenantAdmin.headers,
    });
    return flow;
  },
  'activation-approved': () => applied(0, 'approve', { reason: 'known to us' }),
  'activation-rejected': () => applied(1, 'reject', { reason: 'no documents' }),
  'card-verification-verified': async () => ofVerification((await addCard(CARDS.neverAnswers)).body),
  'card-verification-authenticated': async () => {
    const { body } = await addCard(CARDS.challenge);
    await challenge(body.action.url, 'authenticated');
    return ofVerification(body);
  },
  'card-verification-abandoned': async () => ofVerification((await addCard(CARDS.challenge)).body),
  'card-update': async () => {
    const { body } = await addCard(CARDS.challenge);
    await challenge(body.action.url, 'authenticated');
    await closed(ofVerification(body));
    const eventId = await tell(body.cardVerificationId, {
      type: 'card_update',
      status: 'CARD_CLOSED',
      updateId: 'upd',
    });
    return workflowId.cardUpdate('a', eventId);
  },
  'card-expiry': async () => {
    const schedule = platform.engine.client.schedule.getHandle(workflowId.cardExpiry('schedule'));
    await schedule.trigger();
    const { workflow } = await until(
      'it has run',
      async () => (await schedule.describe()).info.recentActions[0]?.action,
    );
    return workflow.workflowId;
  },
  'p2p-transfer-accepted': async () => {
    const { transferId } = await heldTransfer();
    await p2p.act(transferId, 'accept');
    return workflowId.p2p(transferId);
  },
  'p2p-transfer-expired': async () => {
    const { transferId } = await heldTransfer({ expiresAt: soon() });
    return workflowId.p2p(transferId);
  },
  'p2p-invitation-joined': async () => {
    const sender = await p2p.member('5.00');
    const email = newEmail();
    const { body } = await p2p.send(sender.customerId, email);
    await p2p.enroll((await p2p.member()).customerId, email);
    return workflowId.p2p(body.transferId);
  },
  'p2p-request-paid': async () => {
    const requestId = await askedFor({});
    await actors.tenantAdmin.post(`${P2P}/requests/${requestId}/accept`);
    return workflowId.p2p(requestId);
  },
  'p2p-request-expired': async () => workflowId.p2p(await askedFor({ expiresAt: soon() })),
  'scheduled-transfer-settled': () => scheduled('5.00'),
  'scheduled-transfer-failed': () => scheduled(),
  'notifications-delivered': () => told('localhost', () => true),
  'notifications-refused-then-delivered': () => told('127.0.0.1', (count) => count > 1),
  'notifications-given-up': () => told('127.0.0.2', () => false),
  'payment-link-approved-disabled-enabled-expired': async () => {
    const link = await paymentLink({ approval: 'required', expiresAt: soon(20_000) });
    await actors.tenantAdmin.post(`${LINKS}/${link.linkId}/approve`);
    await actors.merchant.post(`${LINKS}/${link.linkId}/disable`);
    await actors.merchant.post(`${LINKS}/${link.linkId}/enable`);
    await actors.merchant.post(`${LINKS}/${link.linkId}/expiry`, { expiresAt: soon() });
    return workflowId.paymentLink(link.linkId);
  },
  'payment-link-rejected': async () => {
    const link = await paymentLink({ approval: 'required' });
    await actors.tenantAdmin.post(`${LINKS}/${link.linkId}/reject`, { reason: 'not now' });
    return workflowId.paymentLink(link.linkId);
  },
  'payment-link-paid': async () => {
    const link = await paymentLink({ maxPayments: 1 });
    const card = { number: CARDS.visa, expiry: '12/40', cvv: '123', holder: 'Ana Silva', email: 'ana@example.com' };
    const body = new URLSearchParams({ ...card, amount: '10.00', method: '1', attempt: newUuid() });
    const { status } = await fetch(link.url, { method: 'POST', body, redirect: 'manual' });
    if (status !== 303) throw new Error(`not paid: ${status}`);
    return workflowId.paymentLink(link.linkId);
  },
  'payout-settled': () => paidOut(ACCOUNTS.settles, 'settled'),
  'payout-refused': () => paidOut(ACCOUNTS.refused, 'failed'),
  'payout-returned': () => paidOut(ACCOUNTS.comesBack, 'returned'),
  'payout-answer-lost': () => paidOut(ACCOUNTS.neverAnswers, 'settled'),
  'payout-returned-after-it-was-credited': async () => {
    const id = await paidOut(ACCOUNTS.settles, 'settled');
    await closed(id);
    const payoutId = id.slice('payout/'.length);
    const url = `${stack.credentials.simulatorUrl}/sim/processors/b/payouts/${payoutId}/return`;
    await send(url, { method: 'POST' });
    await until('it came back', async () => {
      const { body } = await actors.tenantAdmin.get(`${PAYOUTS}/payouts/${payoutId}`);
      return body.status === 'returned';
    });
    return id;
  },
  'payout-cancelled': async () => {
    const shop = await sellerOn(ACCOUNTS.settles);
    const sendAt = new Date(Date.now() + 3_600_000).toISOString();
    const { payoutId } = (await shop.payOut({ sendAt })).body;
    await shop.merchant.post(`${PAYOUTS}/payouts/${payoutId}/cancel`);
    return workflowId.payout(payoutId);
  },
  'payout-later': async () => {
    const shop = await sellerOn(ACCOUNTS.settles);
    const { payoutId } = (await shop.payOut({ sendAt: soon() })).body;
    await shop.become(payoutId, 'settled');
    return workflowId.payout(payoutId);
  },
  'consent-authorised-then-revoked': async () => {
    const { consents, id } = await askedConsent();
    await consents.authorise(APP, id, { ...(await chosen()), grantId: newUuid() });
    await consents.authorise(APP, id, { ...(await chosen()), grantId: newUuid() });
    const revoked = await actors.tenantAdmin.post(`/consents/1.0.0/consents/${id}/revoke`, {
      reason: 'to be recorded',
    });
    if (revoked.status !== 200) throw new Error(`not revoked: ${revoked.status}`);
    return workflowId.consent(id);
  },
  'consent-reminded-then-expired': async () => {
    const { consents, id } = await askedConsent(15_000);
    await consents.authorise(APP, id, { ...(await chosen()), grantId: newUuid() });
    return workflowId.consent(id);
  },
  'consent-never-authorised': async () => workflowId.consent((await askedConsent(HOUR_MS, 2_000)).id),
  'consent-rejected': async () => {
    const { consents, id } = await askedConsent();
    await consents.noteFailure(APP, id, 'to be recorded');
    await consents.delete(APP, id, AS_APP);
    return workflowId.consent(id);
  },
};

const HOUR_MS = 3_600_000;
/** A third party that has no certificate: its consents are made without the entrance. */
const APP = newId('tpp');
const AS_APP = { id: APP, source: '127.0.0.1', requestId: 'req_recorded' };

/** A consent that the third party asks for. Times are milliseconds from now. */
async function askedConsent(
  expiresInMs = HOUR_MS,
  consentTtlMs = HOUR_MS,
): Promise<{ consents: Consents; id: string }> {
  const { database, engine } = platform;
  const { tenantId, customer } = stack.credentials;
  await database
    .system('tpps')
    .insert({
      id: APP,
      name: 'Budget Bear',
      profile: 'fapi1',
      auth_method: 'self_signed_tls_client_auth',
      certificate_thumbprint: 'r'.repeat(43),
      certificate_subject: 'CN=recorded',
      certificate_pem: '',
      certificate_expires_at: new Date(),
      redirect_uris: '[]',
      jwks: '{"keys":[]}',
      iss: APP,
    })
    .onConflict()
    .ignore();
  const consents = new Consents({ database, engine, settings: { consentTtlMs, reauthenticationDays: 180 } });
  const expiresAt = new Date(Date.now() + expiresInMs);
  const order = {
    id: newId('consent'),
    tenantId,
    tppId: APP,
    kind: 'account' as const,
    customerId: customer.customerId,
    permissions: ['ReadAccountsBasic'],
    record: {},
    sharingFrom: expiresAt,
    sharingTo: expiresAt,
    expiresAt,
  };
  return { consents, id: (await consents.create(order, AS_APP)).id };
}

/** The customer, and the wallets that it lets the third party read. */
async function chosen(): Promise<{ customerId: string; accountIds: string[] }> {
  const { customerId } = stack.credentials.customer;
  await closed(ofTopup(await topUp(CARDS.visa)));
  const wallets = () =>
    platform.database.system('ledger_accounts').where({ kind: 'customer_wallet', owner: customerId }).pluck('id');
  // The wallet is opened when the processor has settled.
  const ids = await until('there is a wallet', async () => {
    const found = await wallets();
    return found.length > 0 && found;
  });
  return { customerId, accountIds: ids.map(String) };
}

const soon = (inMs = 2_000) => new Date(Date.now() + inMs).toISOString();

const LINKS = '/payment-links/1.0.0/links';
const paymentLink = async (body: object): Promise<Json> =>
  (await actors.merchant.post(LINKS, { title: 'A gift', currency: 'EUR', amount: GIFT, ...body })).body;
const GIFT = { min: '5.00', max: '500.00' };

async function heldTransfer(overrides = {}): Promise<Json> {
  const sender = await p2p.member('5.00');
  const recipient = await p2p.member(undefined, { acceptEach: true });
  return (await p2p.send(sender.customerId, recipient.handle, overrides)).body;
}

async function askedFor(overrides: object): Promise<string> {
  const [requester, payer] = [await p2p.member(), await p2p.member('5.00')];
  const order = { requesterId: requester.customerId, payer: payer.handle, amount: '1.00', currency: 'EUR' };
  return (await actors.tenantAdmin.post(`${P2P}/requests`, { ...order, ...overrides })).body.requestId;
}

/** The run of a schedule whose sender has so much. */
async function scheduled(balance?: string): Promise<string> {
  const [sender, recipient] = [await p2p.member(balance), await p2p.member()];
  const order = { senderId: sender.customerId, recipient: recipient.handle, amount: '1.00', currency: 'EUR' };
  const { body } = await actors.tenantAdmin.post(`${P2P}/schedules`, { ...order, frequency: 'once', startsAt: soon() });
  return `${workflowId.p2p(body.scheduleId)}/run-${body.startsAt.replace('.000Z', 'Z')}`;
}

/** A customer with a document to be reviewed, and the flow that waits for that. */
async function underVerification(): Promise<{ customerId: string; flow: string; path: string }> {
  const documents = [{ purpose: 'KYC', documentType: 'ID front side' }];
  const person = { firstName: { name: 'Eve' }, lastName: { name: 'M' }, email: 'eve@example.com', documents };
  const record = { customerType: 'Person', customerName: 'Eve', person };
  const { customerId } = (await actors.tenantAdmin.post('/customer/1.0.0/create', record)).body;
  const change = { customerStatus: 'under_verificaiton', reason: 'to be recorded' };
  await actors.tenantAdmin.post(`/customer/1.0.0/status/${customerId}`, change);
  const { body } = await actors.tenantAdmin.get(`/customer/1.0.0/${customerId}/documents`);
  const path = `/customer/1.0.0/${customerId}/documents/${body.data[0].documentId}`;
  return { customerId, flow: workflowId.verification(customerId), path };
}

/** An application of a new merchant, decided after operators were reminded of it so many times. */
async function applied(reminders: number, decision: 'approve' | 'reject', body: object): Promise<string> {
  const { tenantAdmin, ops } = actors;
  const technicalContact = { name: 'Tess Tea', email: `${randomUUID()}@shop.example` };
  const merchant = await tenantAdmin.post('/onboarding/1.0.0/merchants', { businessName: 'Tea', technicalContact });
  const { organizationId } = merchant.body;
  const path = '/onboarding/1.0.0/activations';
  const { activationId } = (await tenantAdmin.post(path, { organizationId, checklist: {} })).body;
  const row = () => platform.database.ops('activations').where({ id: activationId }).first();
  await until('it is under review', async () => (await row()).status === 'in_review');
  if (reminders > 0) await until('operators were reminded', async () => (await row()).reminded_at);
  await ops.post(`${path}/${activationId}/${decision}`, body);
  return workflowId.activation(organizationId, 1);
}

const ofVerification = ({ cardVerificationId }: Json) => workflowId.cardVerification(cardVerificationId);

/** Has a card of a new customer verified. */
async function addCard(number: string) {
  const person = { firstName: { name: 'Eve' }, lastName: { name: 'M' }, email: 'eve@example.com' };
  const record = { customerType: 'Person', customerName: 'Eve', person };
  const { customerId } = (await actors.tenantAdmin.post('/customer/1.0.0/create', record)).body;
  return actors.tenantAdmin.post(`/customer/1.0.0/${customerId}/paymentMethods`, {
    card: { number, holder: 'Eve M', expiryMonth: '12', expiryYear: '2030' },
  });
}

const deciders = new Map<string, (count: number) => boolean>();

/** A payment that is told to a host of its own, which takes the requests that `takes` says. */
async function told(host: string, takes: (count: number) => boolean): Promise<string> {
  const path = `/${host}`;
  deciders.set(path, takes);
  receiver.behave = (request, response) => {
    const decide = deciders.get(request.path)!;
    response.writeHead(decide(receiver.at(request.path).length) ? 204 : 503).end();
  };
  await pay(CARDS.declined, { notificationUrl: receiver.url(path, host) });
  await until('it is told', async () => receiver.at(path).length > 0);
  const { organizationId } = stack.credentials;
  return flowOf({ organizationId, endpoint: new URL(receiver.url(path, host)).origin });
}

async function chargedBack(): Promise<string> {
  const { paymentId } = await pay(CARDS.visa);
  await actors.simulator.callback({ reference: paymentId, event: 'charged_back' });
  await actors.merchant.until(paymentId, 'charged_back');
  return paymentId;
}

async function disputePath(paymentId: string): Promise<string> {
  const list = '/disputes/1.0.0/disputes';
  return `${list}/${(await actors.merchant.get(`${list}?paymentId=${paymentId}`)).body.data[0].disputeId}`;
}

/** The dispute's workflow, found by what it left in the payment's inbox. */
async function disputeOf(paymentId: string): Promise<string> {
  const database = platform.database.ops;
  const row = await database('disputes').where({ payment_id: paymentId }).first('processor', 'case_id');
  return workflowId.dispute(row.processor, row.case_id);
}

const { History } = temporal.api.history.v1;

/** As JSON. Who ran it is nobody's business, and no part of what is replayed. */
function textOf(history: temporal.api.history.v1.IHistory): string {
  const plain = History.toObject(History.create(history), { longs: String, enums: String, bytes: String });
  return `${JSON.stringify(plain, (name, value) => (name === 'identity' ? 'recorded' : value), 1)}\n`;
}

test('a history of every branch', async () => {
  const ids: [string, string][] = [];
  // One after the other, so that an ordered fault meets the branch that ordered it.
  const branches = Object.entries(BRANCHES).filter(([name]) => isWanted(name));
  for (const [name, run] of branches) ids.push([name, await run()]);
  for (const name of readdirSync(FOLDER)) if (name.endsWith('.json') && isWanted(name)) rmSync(join(FOLDER, name));
  for (const [name, id] of ids) {
    await until(`${name} has begun`, () =>
      platform.engine.client.workflow
        .getHandle(id)
        .describe()
        .catch(() => false),
    );
    await closed(id);
    const history = await platform.engine.client.workflow.getHandle(id).fetchHistory();
    writeFileSync(join(FOLDER, `${name}.json`), textOf(history));
  }
  expect(ids).toHaveLength(branches.length);
}, 180_000);
