import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import type { CardData } from '../../../../src/domain/connector';
import { newId } from '../../../../src/domain/ids';
import type { AuthorizeAnswer, PaymentInquiry } from '../../../../src/domain/processor-answers';
import { loadConfig } from '../../../../src/foundation/config/config';
import { type Database, openDatabase } from '../../../../src/foundation/db/database';
import { openAdmin } from '../../../../src/foundation/db/migrate';
import { FirstAnswers } from '../../../../src/foundation/temporal/first-answer';
import { Vault } from '../../../../src/foundation/vault/vault';
import { auditBooks } from '../../../../src/money/books-check/books-check';
import { Ledger } from '../../../../src/money/ledger/ledger';
import { replaceAttemptLimits } from '../../../../src/money/limits/attempt-limits';
import { acceptPayment, type PaymentOrder, withdrawPayment } from '../../../../src/money/payments/accept';
import { Mandates } from '../../../../src/money/payments/mandates';
import { failAbandonedPayments } from '../../../../src/money/payments/orphans';
import type { PaymentRow } from '../../../../src/money/payments/payment';
import { shownCard } from '../../../../src/money/payments/shown-card';
import { type Authorizing, submitPayment } from '../../../../src/money/payments/steps/authorize';
import { bookAnswer } from '../../../../src/money/payments/steps/book-answer';
import { inquirePayment } from '../../../../src/money/payments/steps/inquire';
import { writeCatalogue } from '../../../../src/money/routing/method-catalogue';
import {
  type CardVerificationChange,
  lockCardVerification,
  moveCardVerification,
} from '../../../../src/money/saved-cards/card-verification';
import { ProfileSeal } from '../../../../src/people/customers/customer';
import { CallbackSecrets } from '../../../../src/people/identity/callback-secrets';
import { type SeededTenant, seedSandbox } from '../../../../src/sandbox/seed/tenants';
import { createTestDatabase } from '../../../setup/environment';

/** How long a card lies in the vault, on the real database. What a processor says is given. */

const STAFF = { id: 'an admin', source: '127.0.0.1', requestId: 'req_test' };
const KEYS = `k1:${Buffer.alloc(32, 7).toString('base64')}`;
const DAY = 86_400_000;
const TTL = 7 * DAY;
const CARD: CardData = { number: '4111111111111111', holder: 'A Buyer', expiryMonth: '12', expiryYear: '2030' };
const MONEY = { amountMinor: 1_000n, currency: 'EUR' };
const APPROVED: AuthorizeAnswer = { kind: 'captured', processorReference: 'there', money: MONEY };
const HELD: AuthorizeAnswer = { kind: 'authorized', processorReference: 'there', money: MONEY };
const DECLINED: AuthorizeAnswer = { kind: 'declined', code: 200, detail: 'No.' };
const UNKNOWN: AuthorizeAnswer = { kind: 'unknown', detail: 'no answer' };

let place: Awaited<ReturnType<typeof createTestDatabase>>;
let database: Database;
let owner: Knex;
let tenant: SeededTenant;
let vault: Vault;
let deps: Authorizing;
/** What the processors answer next, and what they were asked. */
let says: { authorize: AuthorizeAnswer[]; inquire: PaymentInquiry[] };
let sent: string[];

beforeAll(async () => {
  place = await createTestDatabase('card-erasure');
  database = openDatabase(place.logins, 6, 'test-card-erasure');
  owner = openAdmin(place.adminUrl);
  await writeCatalogue(database.system);
  tenant = await seedSandbox(database.system, new CallbackSecrets(KEYS));
  vault = new Vault({ keys: KEYS, hmacKey: KEYS.slice(3), cvvTtlMs: 60_000 });
  const connectorOf = (processor: string) => ({
    processor,
    authorize: async () => {
      sent.push(processor);
      return says.authorize.shift()!;
    },
    inquirePayment: async () => says.inquire.shift()!,
  });
  deps = {
    database,
    vault,
    ledger: new Ledger(),
    firstAnswers: new FirstAnswers(),
    mandates: new Mandates(database, vault),
    connectors: { get: (processor: string) => connectorOf(processor) as never },
    timers: { ...loadConfig({}).timers, processorInFlightMs: 0 },
  };
});
beforeEach(() => {
  says = { authorize: [], inquire: [] };
  sent = [];
});
afterEach(async () => expect((await auditBooks(database.ops)).findings.slice(0, 5)).toEqual([]));
afterAll(async () => {
  await owner?.destroy();
  await database?.close();
  await place?.drop();
});

const orderOf = (more: Partial<PaymentOrder> = {}, details: object = {}): PaymentOrder => ({
  paymentId: newId('payment'),
  tenantId: tenant.tenantId,
  organizationId: tenant.organizationId,
  terminalId: tenant.terminalId,
  merchantTransactionId: randomUUID(),
  method: { id: 1, kind: 'card', brand: 'VISA' },
  processor: 'a',
  ...MONEY,
  captureMode: 'automatic',
  details: { threeDS: 'auto', storeCard: false, route: { processors: ['a', 'b'] }, ...details } as never,
  card: { ...CARD, cvv: '123' },
  requestId: 'req_test',
  ...more,
});
const accept = async (order = orderOf()): Promise<PaymentRow> => (await acceptPayment(deps, order)).payment;
const inputOf = ({ id, tenant_id }: PaymentRow) => ({ paymentId: id, tenantId: tenant_id });
async function submit(payment: PaymentRow, ...answers: AuthorizeAnswer[]): Promise<PaymentRow> {
  says.authorize.push(...answers);
  await submitPayment(deps, inputOf(payment));
  return read(payment);
}
const read = ({ id }: PaymentRow): Promise<PaymentRow> => database.system('payments').where({ id }).first();
const rowOf = ({ card_id }: PaymentRow) => database.system('vault_cards').where({ id: card_id }).first();
const stands = async (payment: PaymentRow): Promise<boolean> => (await rowOf(payment)).sealed.length > 0;
const cvvs = async ({ card_id }: PaymentRow) => (await database.system('vault_cvvs').where({ card_id })).length;
const age = (payment: PaymentRow, ms: number) =>
  owner('payments')
    .where({ id: payment.id })
    .update({ created_at: new Date(Date.now() - ms) });

test.each<[string, AuthorizeAnswer, string]>([
  ['approved', APPROVED, 'captured'],
  ['authorized', HELD, 'authorized'],
  ['declined', DECLINED, 'failed'],
])('an authorization that is %s takes the card out of the vault; what is shown stays', async (_how, answer, status) => {
  const payment = await submit(await accept(), answer);
  expect(payment.status).toBe(status);
  const row = await rowOf(payment);
  expect([row.sealed.length, row.wrapped_key.length, row.erased_at]).toEqual([0, 0, expect.any(Date)]);
  expect(row.fingerprint).toEqual(vault.fingerprintsOf(CARD.number).fingerprint);
  expect([payment.brand, payment.card_bin, payment.card_last4]).toEqual(['VISA', '41111111', '1111']);
  expect(await cvvs(payment)).toBe(0);
});

test('while the outcome is open the card stays: it may have to be sent again', async () => {
  const payment = await submit(await accept(), UNKNOWN);
  expect([payment.status, await stands(payment)]).toEqual(['pending', true]);
  expect(await vault.sweepCards(database.system, TTL)).toBe(0);
  says.inquire.push({ kind: 'not_found' });
  says.authorize.push(DECLINED);
  await inquirePayment(deps, inputOf(payment), 0);
  expect(sent).toEqual(['a', 'b']);
  expect(await stands(payment)).toBe(false);
});

test('a step that is repeated after the card is gone finds the outcome', async () => {
  const payment = await submit(await accept(), APPROVED);
  expect(await submitPayment(deps, inputOf(payment))).toMatchObject({ status: 'captured' });
  await bookAnswer(deps, inputOf(payment), APPROVED, 'inquiry');
  expect([sent, (await read(payment)).status]).toEqual([['a'], 'captured']);
});

describe('a card that is kept', () => {
  const saved = (token: string) => database.system('payment_methods').where({ id: token }).first();

  test('saved: it pays again, and leaves with its token although it has paid', async () => {
    const { card_token: token, ...payment } = await submit(await accept(orderOf({}, { storeCard: true })), APPROVED);
    expect(await vault.sweepCards(database.system, TTL)).toBe(0);
    expect(await rowOf(payment as PaymentRow)).toMatchObject({ kept: true, erased_at: null });
    const again = await submit(await accept(orderOf({ card: undefined, cardToken: token! })), APPROVED);
    expect([again.card_id, again.status]).toEqual([payment.card_id, 'captured']);
    await database.tenant(tenant.tenantId, (trx) =>
      trx('payment_methods').where({ id: token }).update({ deleted_at: trx.fn.now() }),
    );
    expect(await stands(again)).toBe(false);
    await expect(accept(orderOf({ card: undefined, cardToken: token! }))).rejects.toMatchObject({
      code: 'card_token_unusable',
    });
  });

  test('saved anew: the number of before leaves', async () => {
    const storing = () => accept(orderOf({ card: { ...CARD, number: '5555555555554444' } }, { storeCard: true }));
    const first = await submit(await storing(), APPROVED);
    await vault.sweepCards(database.system, TTL);
    const second = await submit(await storing(), APPROVED);
    expect(second.card_token).toBe(first.card_token);
    expect((await saved(first.card_token!)).card_id).toBe(second.card_id);
    expect([await stands(first), await stands(second)]).toEqual([false, true]);
  });

  test('removed while a payment with it is open: it leaves with the end of that payment', async () => {
    const { card_token: token } = await submit(await accept(orderOf({}, { storeCard: true })), APPROVED);
    await vault.sweepCards(database.system, TTL);
    const open = await submit(await accept(orderOf({ card: undefined, cardToken: token! })), UNKNOWN);
    await database.tenant(tenant.tenantId, (trx) =>
      trx('payment_methods').where({ id: token }).update({ deleted_at: trx.fn.now() }),
    );
    expect(await rowOf(open)).toMatchObject({ kept: false, erased_at: null });
    expect(await vault.sweepCards(database.system, TTL)).toBe(0);
    await bookAnswer(deps, inputOf(open), DECLINED, 'inquiry');
    expect(await stands(open)).toBe(false);
  });

  test('removed while a payment with it is being written down: nobody waits, and the payment has its card', async () => {
    const { card_token: token } = await submit(await accept(orderOf({}, { storeCard: true })), APPROVED);
    let payment: PaymentRow | undefined;
    const alongside = async (_trx: Knex.Transaction, accepted: PaymentRow) => {
      payment = accepted;
      await database.tenant(tenant.tenantId, (trx) =>
        trx('payment_methods').where({ id: token }).update({ deleted_at: trx.fn.now() }),
      );
      await vault.sweepCards(database.system, TTL);
    };
    await accept(orderOf({ card: undefined, cardToken: token!, alongside }));
    expect(await vault.sweepCards(database.system, TTL)).toBe(0);
    expect((await submit(payment!, APPROVED)).status).toBe('captured');
    expect([sent.length, await stands(payment!)]).toEqual([2, false]);
  });

  test('of a series: for its follow-ups, and not where its beginning was declined', async () => {
    const initial = { recurring: { initial: true } };
    const declined = await submit(await accept(orderOf({}, initial)), DECLINED);
    const first = await submit(await accept(orderOf({}, initial)), APPROVED);
    expect([await stands(declined), await stands(first)]).toEqual([false, true]);
    expect(await vault.sweepCards(database.system, TTL)).toBe(0);
    const next = { recurring: { originalPaymentId: first.id } };
    const follow = await submit(await accept(orderOf({ card: undefined }, next)), APPROVED);
    expect([follow.card_id, follow.status, await stands(follow)]).toEqual([first.card_id, 'captured', true]);
  });
});

describe('an authorization that has not ended in time', () => {
  test('its card goes, and its outcome stays unknown until the processor says it', async () => {
    const payment = await submit(await accept(orderOf({}, { storeCard: true })), UNKNOWN);
    await age(payment, TTL + 1_000);
    expect(await vault.sweepCards(database.system, TTL)).toBe(1);
    expect([(await read(payment)).status, await stands(payment)]).toEqual(['pending', false]);
    says.inquire.push(UNKNOWN as never, APPROVED as never);
    await inquirePayment(deps, inputOf(payment), 0);
    expect((await read(payment)).status).toBe('pending');
    await inquirePayment(deps, inputOf(payment), 1);
    // Nothing is left that could be saved.
    expect(await read(payment)).toMatchObject({ status: 'captured', card_token: null });
  });

  test('the next processor of its route cannot get it: it ends on the word of the first', async () => {
    const payment = await submit(await accept(), UNKNOWN);
    await age(payment, TTL + 1_000);
    await vault.sweepCards(database.system, TTL);
    says.inquire.push({ kind: 'not_found' });
    await inquirePayment(deps, inputOf(payment), 0);
    expect(await read(payment)).toMatchObject({ status: 'failed', result_code: 501, processor: 'a' });
    expect(sent).toEqual(['a']);
  });

  test('a step that was cut off while it sent asks, and never sends without the card', async () => {
    const payment = await accept();
    await database.app.raw('SELECT * FROM payment_claim_2(?, ?)', [payment.tenant_id, payment.id]);
    await age(payment, TTL + 1_000);
    await vault.sweepCards(database.system, TTL);
    says.inquire.push(APPROVED as never);
    expect((await submit(payment)).status).toBe('captured');
    expect(sent).toEqual([]);
  });

  test('what was never sent has charged nothing', async () => {
    const payment = await accept();
    await age(payment, TTL + 1_000);
    await vault.sweepCards(database.system, TTL);
    expect(await submit(payment)).toMatchObject({ status: 'failed', result_code: 501 });
    expect(sent).toEqual([]);
  });

  test('a saved card and that of a series are not bound by it', async () => {
    const { card_token: token } = await submit(await accept(orderOf({}, { storeCard: true })), APPROVED);
    const open = await submit(await accept(orderOf({ card: undefined, cardToken: token! })), UNKNOWN);
    await age(open, TTL + 1_000);
    expect(await vault.sweepCards(database.system, TTL)).toBe(0);
    expect(await stands(open)).toBe(true);
  });
});

test('a card check that was not answered in time fails, also when the issuer approves later', async () => {
  const { tenantId } = tenant;
  const [customerId, id, cardId] = [newId('customer'), newId('cardVerification'), newId('card')];
  const { cvv: _cvv, cvv_expires_at: _never, ...sealed } = vault.seal(cardId, CARD);
  const move = (change: CardVerificationChange) =>
    database.tenant(tenantId, async (trx) => moveCardVerification(trx, (await lockCardVerification(trx, id))!, change));
  await database.system('customers').insert({
    id: customerId,
    tenant_id: tenantId,
    customer_type: 'Person',
    status: 'new',
    ...new ProfileSeal(KEYS).seal(customerId, { customerType: 'Person', customerName: 'A Holder' }),
  });
  await database.tenant(tenantId, async (trx) => {
    await trx('vault_cards').insert({ id: cardId, tenant_id: tenantId, ...sealed });
    await trx('card_verifications').insert({
      ...shownCard(CARD, 'VISA'),
      id,
      tenant_id: tenantId,
      customer_id: customerId,
      card_id: cardId,
      processor: 'a',
      currency: 'EUR',
      request: '{}',
      status: 'pending',
      result_code: 100,
      status_detail: '',
      request_id: 'req_test',
    });
  });
  expect(await vault.sweepCards(database.system, TTL)).toBe(0);
  await owner('card_verifications')
    .where({ id })
    .update({ created_at: new Date(Date.now() - TTL - 1_000) });
  expect(await vault.sweepCards(database.system, TTL)).toBe(1);
  const moved = await move({ to: 'verified', resultCode: 0, detail: 'The issuer has verified the card.' });
  expect(moved).toMatchObject({ status: 'failed', result_code: 302, payment_method_id: null });
  expect(await database.system('payment_methods').where({ customer_id: customerId })).toEqual([]);
});

test('a request that is taken back, and one that was cut off, leave no card', async () => {
  const withdrawn = await accept();
  expect(await withdrawPayment(database, withdrawn)).toBe(true);
  const abandoned = await accept();
  await age(abandoned, DAY);
  expect(await failAbandonedPayments(database.system, deps.ledger, 0)).toBe(1);
  for (const payment of [withdrawn, abandoned])
    expect([await stands(payment), await cvvs(payment)]).toEqual([false, 0]);
});

test('one that was marked as sent with its acceptance is taken back with all of it, as long as nobody has it', async () => {
  await database.tenant(tenant.tenantId, (trx) =>
    replaceAttemptLimits(trx, tenant.tenantId, STAFF, [{ per: 'card', declined: 9, windowSeconds: 60 }]),
  );
  const marked = async () => (await acceptPayment(deps, orderOf(), { leaseMs: 20_000 })).payment;
  const attemptsOf = async ({ id }: PaymentRow) => [
    (await database.system('payment_attempts').where({ payment_id: id })).length,
    (await database.system('card_attempts').where({ attempt_id: id })).length > 0,
  ];
  const withdrawn = await marked();
  expect([withdrawn.attempts, await attemptsOf(withdrawn)]).toEqual([1, [1, true]]);
  expect(await withdrawPayment(database, withdrawn)).toBe(true);
  expect([await read(withdrawn), await attemptsOf(withdrawn)]).toEqual([undefined, [0, false]]);
  expect([await stands(withdrawn), await cvvs(withdrawn)]).toEqual([false, 0]);

  // A flow has it by now.
  const sentElsewhere = await marked();
  says.inquire.push({ kind: 'not_found' });
  await submit(sentElsewhere, UNKNOWN);
  expect(await withdrawPayment(database, sentElsewhere)).toBe(false);
  // It was ordered meanwhile that it is cancelled.
  const ordered = await marked();
  await owner('payments').where({ id: ordered.id }).increment('version');
  expect(await withdrawPayment(database, ordered)).toBe(false);
  for (const payment of [sentElsewhere, ordered]) {
    expect([(await read(payment)).attempts > 0, await attemptsOf(payment)]).toEqual([true, [1, true]]);
    await expect(
      database.tenant(tenant.tenantId, (trx) => trx('payment_attempts').where({ payment_id: payment.id }).delete()),
    ).rejects.toMatchObject({ code: '23000' });
  }
  await database.tenant(tenant.tenantId, (trx) => replaceAttemptLimits(trx, tenant.tenantId, STAFF, []));
});

test('a wallet token pays once; a request that was taken back has used nothing', async () => {
  const walletToken = 'ab'.repeat(32);
  const order = orderOf({ walletToken });
  const withdrawn = await accept(order);
  await withdrawPayment(database, withdrawn);
  const { payment } = await acceptPayment(deps, order);
  expect(await acceptPayment(deps, order)).toMatchObject({
    payment: { id: payment.id, wallet_token: walletToken },
    fresh: false,
  });
  await expect(accept(orderOf({ walletToken }))).rejects.toMatchObject({ code: 'wallet_token_used' });
  await submit(payment, DECLINED);
  await expect(accept(orderOf({ walletToken }))).rejects.toMatchObject({ code: 'wallet_token_used' });
  const { merchantTransactionId } = order;
  await expect(accept(orderOf({ walletToken, merchantTransactionId }))).rejects.toMatchObject({
    code: 'duplicate_transaction',
  });
});

test('cards of before the rule leave by the sweep, however many', async () => {
  const ids = Array.from({ length: 1_203 }, () => newId('card'));
  await database.tenant(tenant.tenantId, (trx) =>
    trx.batchInsert(
      'vault_cards',
      ids.map((id) => {
        const { fingerprint, key_id, wrapped_key, sealed } = vault.seal(id, CARD);
        return { id, tenant_id: tenant.tenantId, fingerprint, key_id, wrapped_key, sealed };
      }),
    ),
  );
  const open = await submit(await accept(), UNKNOWN);
  await owner('vault_cards').update({ created_at: new Date(Date.now() - DAY) });
  const findings = (await auditBooks(database.ops)).findings.filter(({ check }) => check.startsWith('no card'));
  expect(findings.length).toBe(1_000);
  expect(ids).toEqual(expect.arrayContaining(findings.map(({ subject }) => subject)));
  expect(await vault.sweepCards(database.system, TTL)).toBe(ids.length);
  expect(await stands(open)).toBe(true);
});
