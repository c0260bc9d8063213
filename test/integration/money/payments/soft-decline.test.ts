import { randomUUID } from 'node:crypto';
import type { AuthorizeRequest } from '../../../../src/domain/connector';
import { newId } from '../../../../src/domain/ids';
import type { AuthorizeAnswer, PaymentInquiry } from '../../../../src/domain/processor-answers';
import { loadConfig } from '../../../../src/foundation/config/config';
import { type Database, openDatabase } from '../../../../src/foundation/db/database';
import { FirstAnswers } from '../../../../src/foundation/temporal/first-answer';
import { Vault } from '../../../../src/foundation/vault/vault';
import { auditBooks } from '../../../../src/money/books-check/books-check';
import { Ledger } from '../../../../src/money/ledger/ledger';
import { acceptPayment, type PaymentOrder } from '../../../../src/money/payments/accept';
import { Mandates } from '../../../../src/money/payments/mandates';
import type { PaymentRow } from '../../../../src/money/payments/payment';
import { presentAuthentication } from '../../../../src/money/payments/present';
import { type Authorizing, submitPayment } from '../../../../src/money/payments/steps/authorize';
import { bookAnswer } from '../../../../src/money/payments/steps/book-answer';
import { hearPaymentCallback } from '../../../../src/money/payments/steps/callback';
import { readPayment } from '../../../../src/money/payments/steps/flow-view';
import { inquirePayment } from '../../../../src/money/payments/steps/inquire';
import { writeCatalogue } from '../../../../src/money/routing/method-catalogue';
import { CallbackSecrets } from '../../../../src/people/identity/callback-secrets';
import { type SeededTenant, seedSandbox } from '../../../../src/sandbox/seed/tenants';
import { createTestDatabase } from '../../../setup/environment';

/** An issuer wants 3-D Secure for a payment that was sent without, on the real database. What a processor says is given. */

const KEYS = `k1:${Buffer.alloc(32, 7).toString('base64')}`;
const MONEY = { amountMinor: 1_000n, currency: 'EUR' };
const SOFT: AuthorizeAnswer & PaymentInquiry = { kind: 'soft_declined', detail: 'Not so.', processorReference: 'p_1' };
const CHALLENGE: AuthorizeAnswer & PaymentInquiry = {
  kind: 'challenge',
  processorReference: 'p_1',
  action: { type: 'redirect', url: 'https://acs.example', expiresAt: '2099-01-01T00:00:00.000Z' },
};
const APPROVED: AuthorizeAnswer = { kind: 'captured', processorReference: 'p_1', money: MONEY };
const UNKNOWN: AuthorizeAnswer & PaymentInquiry = { kind: 'unknown', detail: 'no answer' };

let place: Awaited<ReturnType<typeof createTestDatabase>>;
let database: Database;
let tenant: SeededTenant;
let vault: Vault;
let deps: Authorizing;
/** What the processor answers next; `died` in place of an answer: the process dies there. */
let says: { authorize: (AuthorizeAnswer | 'died')[]; inquire: PaymentInquiry[] };
let sent: AuthorizeRequest[];

beforeAll(async () => {
  place = await createTestDatabase('soft-decline');
  database = openDatabase(place.logins, 6, 'test-soft-decline');
  await writeCatalogue(database.system);
  tenant = await seedSandbox(database.system, new CallbackSecrets(KEYS));
  vault = new Vault({ keys: KEYS, hmacKey: KEYS.slice(3), cvvTtlMs: 60_000 });
  const connectorOf = (processor: string) => ({
    processor,
    authorize: async (request: AuthorizeRequest) => {
      sent.push(request);
      const answer = says.authorize.shift()!;
      if (answer === 'died') throw new Error('the process died');
      return answer;
    },
    inquirePayment: async () => says.inquire.shift()!,
  });
  deps = {
    ...{ database, vault, ledger: new Ledger(), firstAnswers: new FirstAnswers() },
    mandates: new Mandates(database, vault),
    connectors: { get: (processor: string) => connectorOf(processor) as never },
    timers: { ...loadConfig({}).timers, processorInFlightMs: 0 },
  };
});
beforeEach(async () => {
  says = { authorize: [], inquire: [] };
  sent = [];
  deps.timers = { ...deps.timers, processorInFlightMs: 0 };
  await database.system('low_value_runs').delete();
});
afterEach(async () => {
  expect((await auditBooks(database.ops)).findings.slice(0, 5)).toEqual([]);
  expect(says).toEqual({ authorize: [], inquire: [] });
});
afterAll(async () => {
  await database?.close();
  await place?.drop();
});

const CARD = { number: '4111111111111111', holder: 'A Buyer', expiryMonth: '12', expiryYear: '2030', cvv: '123' };
const exempted = () => ({
  details: { threeDS: 'none', storeCard: false, authentication: { asked: 'none', exemption: 'low_value' } } as const,
  lowValue: { card: vault.fingerprintsOf(CARD.number), otherwise: 'required' as const },
});
async function accept(more: Partial<PaymentOrder> = {}): Promise<PaymentRow> {
  const order: PaymentOrder = {
    paymentId: newId('payment'),
    tenantId: tenant.tenantId,
    organizationId: tenant.organizationId,
    terminalId: tenant.terminalId,
    merchantTransactionId: randomUUID(),
    method: { id: 1, kind: 'card', brand: 'VISA' },
    processor: 'a',
    ...MONEY,
    captureMode: 'automatic',
    card: CARD,
    requestId: 'req_test',
    ...exempted(),
    ...more,
  };
  return (await acceptPayment(deps, order)).payment;
}
const inputOf = ({ id, tenant_id }: PaymentRow) => ({ paymentId: id, tenantId: tenant_id });
const read = ({ id }: PaymentRow): Promise<PaymentRow> => database.system('payments').where({ id }).first();
const attempts = ({ id }: PaymentRow) =>
  database.system('payment_attempts').where({ payment_id: id }).select('processor', 'status', 'sends');
const runs = () => database.system('low_value_runs').select('uses');
async function submit(payment: PaymentRow, ...answers: (AuthorizeAnswer | 'died')[]): Promise<PaymentRow> {
  says.authorize.push(...answers);
  await submitPayment(deps, inputOf(payment));
  return read(payment);
}
/** The request without 3-D Secure, and the one with. */
const expectBoth = ({ id }: PaymentRow) =>
  expect(sent).toMatchObject([
    { threeDS: 'none', exemption: 'low_value', idempotencyKey: `payment/${id}/authorize` },
    {
      ...{ threeDS: 'required', exemption: undefined, idempotencyKey: `payment/${id}/authorize/authenticated` },
      ...{ reference: id, softDeclined: { processorReference: 'p_1' }, instrument: { card: { cvv: '123' } } },
    },
  ]);

test('it is sent once more with 3-D Secure: one payment, one attempt, and the low value is given back', async () => {
  const accepted = await accept();
  expect(await runs()).toEqual([{ uses: 1 }]);
  const asked = await submit(accepted, SOFT, CHALLENGE);
  expect(asked).toMatchObject({ status: 'requires_action', result_code: 101 });
  expectBoth(asked);
  expect(await attempts(asked)).toEqual([{ processor: 'a', status: 'requires_action', sends: 2 }]);
  expect(await runs()).toEqual([]);
  expect(presentAuthentication(asked)).toEqual({
    asked: 'none',
    applied: 'required',
    softDeclined: true,
    refusedExemption: 'low_value',
  });
  await bookAnswer(deps, inputOf(asked), APPROVED, 'authenticate' as never);
  expect(await read(asked)).toMatchObject({ status: 'captured', captured_minor: 1_000n });
  expect(sent).toHaveLength(2);
});

test('without a policy too', async () => {
  const details = { threeDS: 'none', storeCard: false } as const;
  const asked = await submit(await accept({ details, lowValue: undefined }), SOFT, CHALLENGE);
  expect(asked.status).toBe('requires_action');
  expect(presentAuthentication(asked)).toEqual({ asked: 'none', applied: 'required', softDeclined: true });
});

test('an issuer that says so twice has declined it', async () => {
  const ended = await submit(await accept(), SOFT, SOFT);
  expect(ended).toMatchObject({ status: 'failed', result_code: 300 });
  expect(sent).toHaveLength(2);
});

test.each<[string, object]>([
  ['a later payment of a series', { recurring: { originalPaymentId: 'pay_x' } }],
  ['one that was sent with 3-D Secure', { threeDS: 'required' }],
])('%s ends as declined: its payer cannot be asked', async (_title, details) => {
  const order = { details: { threeDS: 'none', storeCard: false, ...details } as never, lowValue: undefined };
  const ended = await submit(await accept(order), SOFT);
  expect(ended).toMatchObject({ status: 'failed', result_code: 300 });
  expect(sent).toHaveLength(1);
});

test('it goes to the next processor with 3-D Secure where the first turns it away then', async () => {
  const route = { processors: ['a', 'b'] as never, reason: 'test' };
  const details = { ...exempted().details, route };
  const asked = await submit(await accept({ details }), SOFT, { kind: 'not_charged', detail: 'busy' }, CHALLENGE);
  expect([asked.status, asked.processor]).toEqual(['requires_action', 'b']);
  expect(sent.at(-1)).toMatchObject({ threeDS: 'required', softDeclined: undefined });
});

describe('when an answer is lost, or a process dies', () => {
  test('the answer to the request without 3-D Secure: it is found, and the payment goes on', async () => {
    const pending = await submit(await accept(), UNKNOWN);
    says.inquire.push(SOFT);
    says.authorize.push(CHALLENGE);
    await inquirePayment(deps, inputOf(pending), 0);
    expect((await read(pending)).status).toBe('requires_action');
    expectBoth(pending);
  });

  test('the answer to the one with: while it may be on its way nothing is sent, then the same once more', async () => {
    const pending = await submit(await accept(), SOFT, UNKNOWN);
    expect(pending).toMatchObject({ status: 'pending', result_code: 500 });
    deps.timers = { ...deps.timers, processorInFlightMs: 3_600_000 };
    says.inquire.push(SOFT);
    expect(await inquirePayment(deps, inputOf(pending), 0)).toMatchObject({ status: 'pending', waitsFor: 'provider' });
    expect(sent).toHaveLength(2);
    deps.timers = { ...deps.timers, processorInFlightMs: 0 };
    says.inquire.push(SOFT);
    says.authorize.push(CHALLENGE);
    await inquirePayment(deps, inputOf(pending), 1);
    expect((await read(pending)).status).toBe('requires_action');
    expect(sent.map(({ idempotencyKey }) => idempotencyKey.split('/').at(-1))).toEqual([
      ...['authorize', 'authenticated', 'authenticated'],
    ]);
    expect(await runs()).toEqual([]);
  });

  test('the process, with the second request on its way: it is asked, and sent under the same key', async () => {
    const accepted = await accept();
    await expect(submit(accepted, SOFT, 'died')).rejects.toThrow('died');
    says.inquire.push(SOFT);
    const asked = await submit(await read(accepted), CHALLENGE);
    expect(asked).toMatchObject({ status: 'requires_action', attempts: 2 });
    expect(sent[2]).toEqual(sent[1]);
  });

  test('the process, with the second request taken: nothing is sent again', async () => {
    const accepted = await accept();
    await expect(submit(accepted, SOFT, 'died')).rejects.toThrow('died');
    says.inquire.push(CHALLENGE);
    expect((await submit(await read(accepted))).status).toBe('requires_action');
    expect(sent).toHaveLength(2);
  });

  test('the card has had its time: it ends as declined', async () => {
    const pending = await submit(await accept(), UNKNOWN);
    expect(await vault.sweepCards(database.system, 0)).toBeGreaterThan(0);
    says.inquire.push(SOFT);
    await inquirePayment(deps, inputOf(pending), 0);
    expect(await read(pending)).toMatchObject({ status: 'failed', result_code: 300 });
  });
});

test('a callback about the request without 3-D Secure does not end the payment that its payer authenticates', async () => {
  const asked = await submit(await accept(), SOFT, CHALLENGE);
  says.inquire.push(CHALLENGE);
  const event = {
    eventId: 'evt_1',
    reference: asked.id,
    type: 'failed',
    processorStatus: 'REFUSED',
    code: 300,
  } as const;
  const callback = { inboxId: 'inb_1', processor: 'a', receiver: 'processor_a', event: { ...event, isSoft: true } };
  const standing = await readPayment(deps, inputOf(asked));
  expect(await hearPaymentCallback(deps, inputOf(asked), callback as never, standing)).toMatchObject({
    end: 'applied',
  });
  expect((await read(asked)).status).toBe('requires_action');
});
