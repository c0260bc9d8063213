import { randomBytes } from 'node:crypto';
import { pino } from 'pino';
import { createActivities } from '../../../../activities';
import type { LinkTokens } from '../../../../src/commerce/payment-links/payment-link';
import type { Reminders } from '../../../../src/commerce/payment-links/reminders';
import type { Connector, ProcessorId } from '../../../../src/domain/connector';
import { newId } from '../../../../src/domain/ids';
import type {
  AuthorizeAnswer,
  CaptureAnswer,
  PaymentInquiry,
  RefundAnswer,
  RefundInquiry,
  VoidAnswer,
} from '../../../../src/domain/processor-answers';
import { loadConfig } from '../../../../src/foundation/config/config';
import { type Database, openDatabase, violates } from '../../../../src/foundation/db/database';
import { openAdmin } from '../../../../src/foundation/db/migrate';
import { FirstAnswers } from '../../../../src/foundation/temporal/first-answer';
import { Vault } from '../../../../src/foundation/vault/vault';
import { EvidenceSeal } from '../../../../src/money/disputes/evidence';
import type { LedgerCause } from '../../../../src/money/ledger/causes';
import { Ledger } from '../../../../src/money/ledger/ledger';
import { transferDependencies } from '../../../../src/money/p2p/dependencies';
import { acceptPayment } from '../../../../src/money/payments/accept';
import { Mandates } from '../../../../src/money/payments/mandates';
import type { PaymentRow } from '../../../../src/money/payments/payment';
import { reserveRefund } from '../../../../src/money/payments/refunds';
import { FirstSteps } from '../../../../src/money/payments/steps/first-steps';
import { writeCatalogue } from '../../../../src/money/routing/method-catalogue';
import { savedCardDependencies } from '../../../../src/money/saved-cards/dependencies';
import { consentDependencies } from '../../../../src/open-banking/consents/steps';
import { CallbackSecrets } from '../../../../src/people/identity/callback-secrets';
import { Users } from '../../../../src/people/identity/users/user';
import { kycDependencies } from '../../../../src/people/kyc/steps';
import { activationDependencies } from '../../../../src/people/onboarding/activation-steps';
import { type SeededTenant, seedSandbox } from '../../../../src/sandbox/seed/tenants';
import { createTestDatabase } from '../../../setup/environment';
import { CommitProxy, type Cut } from './commit-proxy';

/** Faults 4 and 5: what a lost COMMIT, a lost answer to it, and a COMMIT that fails do to the books. */

const KEYS = `k1:${randomBytes(32).toString('base64')}`;
const HMAC_KEY = randomBytes(32).toString('base64');
const ledger = new Ledger();
const vault = new Vault({ keys: KEYS, hmacKey: HMAC_KEY, cvvTtlMs: 60_000 });

let place: Awaited<ReturnType<typeof createTestDatabase>>;
let direct: Database;
let proxied: Database;
let proxy: CommitProxy;
let seeded: SeededTenant;

beforeAll(async () => {
  // Knex says on the console that a connection ended, which here is what was ordered.
  jest.spyOn(console, 'log').mockImplementation(() => undefined);
  place = await createTestDatabase('commit');
  direct = openDatabase(place.logins, 8, 'test-direct');
  const through = await CommitProxy.before(place.url);
  proxy = through.proxy;
  proxied = openDatabase({ url: through.url }, 8, 'test-proxied');
  await writeCatalogue(direct.system);
  seeded = await seedSandbox(direct.system, new CallbackSecrets(KEYS));
});
afterAll(async () => {
  await proxied?.close();
  await direct?.close();
  await proxy?.close();
  await place?.drop();
});

const tenantOf = () => seeded.tenantId;
const movements = async (cause: string): Promise<{ cause: string; phase: string }[]> =>
  direct.tenant(tenantOf(), (trx) => trx('ledger_transfers').whereRaw('starts_with(cause, ?)', [cause]).orderBy('id'));
const book = (database: Database, cause: string) =>
  database.tenant(tenantOf(), (trx) =>
    ledger.book(trx, tenantOf(), 'EUR', [
      {
        phase: 'posted',
        debit: { kind: 'bank_clearing', owner: 'a' },
        credit: { kind: 'customer_wallet', owner: 'ann' },
        amountMinor: 100n,
        cause: cause as LedgerCause,
      },
    ]),
  );

describe('one movement', () => {
  test('fault 4, the reply to COMMIT is lost: an error, and one set of entries however often it is tried', async () => {
    const cause = newId('payment');
    proxy.cutAt('after COMMIT');
    await expect(book(proxied, cause)).rejects.toThrow();
    expect(await movements(cause)).toHaveLength(1);
    const again = await book(proxied, cause).catch((error: unknown) => error);
    expect(violates(again, 'ledger_transfers_cause_once')).toBe(true);
    expect(await movements(cause)).toHaveLength(1);
  });

  test('fault 4, the COMMIT itself is lost: an error, nothing is booked, and trying again books it once', async () => {
    const cause = newId('payment');
    proxy.cutAt('before COMMIT');
    await expect(book(proxied, cause)).rejects.toThrow();
    expect(await movements(cause)).toEqual([]);
    await book(proxied, cause);
    expect(await movements(cause)).toHaveLength(1);
  });

  test('fault 5, COMMIT fails: an error, never a success', async () => {
    const cause = newId('payment');
    await failingCommits(async () => {
      await expect(book(direct, cause)).rejects.toThrow('refused at COMMIT');
    });
    expect(await movements(cause)).toEqual([]);
    await book(direct, cause);
    expect(await movements(cause)).toHaveLength(1);
  });
});

/** Runs `work` while every transaction that books something fails at its COMMIT. */
async function failingCommits(work: () => Promise<void>): Promise<void> {
  const admin = openAdmin(place.adminUrl);
  try {
    await admin.raw(`CREATE FUNCTION refuse_commit() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE EXCEPTION 'refused at COMMIT'; END $$`);
    await admin.raw(`CREATE CONSTRAINT TRIGGER refuse_commit AFTER INSERT ON ledger_transfers
      DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION refuse_commit()`);
    await work();
  } finally {
    await admin.raw('DROP TRIGGER IF EXISTS refuse_commit ON ledger_transfers');
    await admin.raw('DROP FUNCTION IF EXISTS refuse_commit()');
    await admin.destroy();
  }
}

/** A processor that remembers: it charges, captures and refunds once per key and answers inquiries from its books. */
type Kept = Extract<CaptureAnswer | VoidAnswer | RefundAnswer | PaymentInquiry, { processorReference: string }>;

class RememberingProcessor {
  readonly done = new Map<string, Kept>();
  calls = 0;

  readonly connector = {
    processor: 'a',
    authorize: async ({ idempotencyKey, money, capture }: Parameters<Connector['authorize']>[0]) =>
      this.once(idempotencyKey, { kind: capture ? 'captured' : 'authorized', processorReference: 'p', money }),
    capture: async ({ idempotencyKey, money }: Parameters<Connector['capture']>[0]) =>
      this.once(idempotencyKey, { kind: 'captured', processorReference: 'p', money }),
    void: async ({ idempotencyKey }: Parameters<Connector['void']>[0]) =>
      this.once(idempotencyKey, { kind: 'voided', processorReference: 'p' }),
    refund: async ({ idempotencyKey, money }: Parameters<Connector['refund']>[0]) =>
      this.once(idempotencyKey, { kind: 'refunded', processorReference: 'r', money }),
    inquirePayment: async () => this.last(),
    inquireRefund: async () => this.last('refund/'),
  } as unknown as Connector;

  private once(key: string, answer: Kept): Kept {
    this.calls += 1;
    if (!this.done.has(key)) this.done.set(key, answer);
    return this.done.get(key)!;
  }

  private last(prefix = ''): PaymentInquiry | RefundInquiry {
    const found = [...this.done].filter(([key]) => key.startsWith(prefix)).at(-1);
    return found?.[1] ?? { kind: 'not_found' };
  }
}

describe('the steps of a payment, repeated after the error as the engine does', () => {
  let processor: RememberingProcessor;
  let payment: PaymentRow;

  const steps = (database: Database) =>
    createActivities({
      database,
      ledger,
      vault,
      evidence: new EvidenceSeal(KEYS),
      paymentLinks: { reminders: {} as Reminders, tokens: {} as LinkTokens },
      consents: consentDependencies(KEYS, 'https://bank.example', { reauthenticationDays: 180, reminderMs: 0 }),
      verification: kycDependencies(KEYS, 0),
      savedCards: savedCardDependencies(database, vault, { vaultKeys: KEYS, expiryNoticeMs: 0 }),
      activation: activationDependencies(new Users(database, KEYS, KEYS), KEYS, {
        notifications: { ping: async () => Promise.reject(new Error('nobody is pinged')) },
        reminderMs: 0,
      }),
      p2p: transferDependencies(ledger, { vaultKeys: KEYS, hmacKey: KEYS.slice(3), transferTtlMs: 1 }),
      mandates: new Mandates(database, vault),
      connectors: { get: () => processor.connector },
      timers: loadConfig({}).timers,
      log: pino({ level: 'silent' }),
      firstAnswers: new FirstAnswers(),
      firstSteps: new FirstSteps(),
    });
  const accept = async (captureMode: 'automatic' | 'manual', storeCard = true, processors: ProcessorId[] = ['a']) => {
    processor = new RememberingProcessor();
    ({ payment } = await acceptPayment(
      { database: direct, vault, mandates: new Mandates(direct, vault) },
      {
        paymentId: newId('payment'),
        tenantId: tenantOf(),
        organizationId: seeded.organizationId,
        terminalId: seeded.terminalId,
        merchantTransactionId: newId('request'),
        method: { id: 1, kind: 'card', brand: 'VISA' },
        processor: 'a',
        amountMinor: 1000n,
        currency: 'EUR',
        captureMode,
        details: { threeDS: 'auto', storeCard, route: { processors, reason: 'test' } },
        card: { number: '4111111111111111', holder: 'A Buyer', expiryMonth: '12', expiryYear: '2030', cvv: '123' },
        requestId: 'req',
      },
    ));
    return { paymentId: payment.id, tenantId: tenantOf() };
  };
  const row = async (): Promise<PaymentRow> =>
    direct.tenant(tenantOf(), (trx) => trx('payments').where({ id: payment.id }).first());
  const eventsOf = async (to: string) =>
    direct.tenant(tenantOf(), (trx) => trx('payment_events').where({ payment_id: payment.id, to_status: to }));

  /** Tries until it works, as the engine does with an activity. Answers how many tries failed. */
  async function insistently<T>(step: () => Promise<T>): Promise<{ failed: number; result: T }> {
    for (let failed = 0; failed < 5; failed += 1)
      try {
        return { failed, result: await step() };
      } catch {
        // The engine tries again.
      }
    throw new Error('it never worked');
  }

  const CUTS: [Cut, number][] = [
    ['before COMMIT', 1],
    ['after COMMIT', 1],
    ['before COMMIT', 2],
    ['after COMMIT', 2],
  ];

  // Claiming, and booking an outcome that keeps no card, are single statements; keeping a card takes a transaction.
  const STEPS: [Cut, string, boolean][] = (['payment_claim_2', 'payment_move', 'COMMIT'] as const).flatMap((word) =>
    (['before COMMIT', 'after COMMIT'] as const).map((cut): [Cut, string, boolean] => [cut, word, word === 'COMMIT']),
  );

  test.each(STEPS)('fault 4: submitting, cut %s of %s: charged once, booked once', async (cut, word, storeCard) => {
    // The first booking of a tenant creates its accounts, in a longer transaction.
    await steps(direct).submitPayment(await accept('automatic', false));
    const input = await accept('automatic', storeCard);
    const { submitPayment } = steps(proxied);
    const before = proxy.cuts;
    proxy.cutAt(cut, 1, word);
    const { failed, result } = await insistently(() => submitPayment(input));
    expect([failed, proxy.cuts - before]).toEqual([1, 1]);
    expect(result).toMatchObject({ status: 'captured', resultCode: 0 });
    expect(processor.done.size).toBe(1);
    expect(processor.calls).toBe(1);
    expect(await row()).toMatchObject({ status: 'captured', captured_minor: 1000n });
    expect((await movements(payment.id)).map(({ cause }) => cause)).toEqual([`${payment.id}/capture`]);
    expect(await eventsOf('captured')).toHaveLength(1);
  });

  test.each<[string, AuthorizeAnswer]>([
    ['that cannot send', { kind: 'not_charged', detail: 'the circuit is open' }],
    ['whose request is refused', { kind: 'declined', code: 400, detail: 'The payment data is not accepted.' }],
  ])('fault 28: a process died right after sending; the repeat %s is no word on it', async (_, answer) => {
    const input = await accept('automatic', false, ['a', 'c']);
    await direct.app.raw('SELECT payment_claim_2(?, ?)', [input.tenantId, input.paymentId]);
    processor.connector.authorize = async () => answer as never;
    const view = await steps(direct).submitPayment(input);
    expect(view).toMatchObject({ status: 'pending', resultCode: 500, waitsFor: 'provider' });
    expect(await row()).toMatchObject({ processor: 'a' });
    // What the dead process sent arrives.
    processor.done.set('late', {
      kind: 'captured',
      processorReference: 'p',
      money: { amountMinor: 1000n, currency: 'EUR' },
    });
    expect(await steps(direct).inquirePayment(input, 0)).toMatchObject({ status: 'captured' });
  });

  test.each(CUTS)('fault 4: capturing a part, cut %s of transaction %d', async (cut, commit) => {
    const input = await accept('manual');
    await steps(direct).submitPayment(input);
    const { capturePayment } = steps(proxied);
    proxy.cutAt(cut, commit);
    const order = { operationId: newId('capture'), amountMinor: 400n };
    const { failed, result } = await insistently(() => capturePayment(input, order));
    expect(failed).toBe(1);
    expect(result).toMatchObject({ status: 'captured' });
    expect(processor.done.size).toBe(2);
    expect(await row()).toMatchObject({ status: 'captured', authorized_minor: 1000n, captured_minor: 400n });
    expect((await movements(payment.id)).map(({ phase }) => phase)).toEqual(['pending', 'post']);
  });

  test.each(CUTS)('fault 4: refunding, cut %s of transaction %d', async (cut, commit) => {
    const input = await accept('automatic');
    await steps(direct).submitPayment(input);
    const refundId = newId('refund');
    await reserveRefund(direct.tenant, ledger, {
      refundId,
      tenantId: tenantOf(),
      organizationId: seeded.organizationId,
      paymentId: payment.id,
      amountFor: () => 300n,
    });
    const { submitRefund } = steps(proxied);
    proxy.cutAt(cut, commit);
    const { failed, result } = await insistently(() => submitRefund({ refundId, ...input }));
    expect(failed).toBe(1);
    expect(result).toMatchObject({ status: 'succeeded' });
    expect(processor.done.size).toBe(2);
    expect(await row()).toMatchObject({ refunded_minor: 300n, refund_reserved_minor: 0n });
    expect((await movements(refundId)).map(({ phase }) => phase)).toEqual(['pending', 'post']);
  });

  test.each(['before COMMIT', 'after COMMIT'] as const)(
    'fault 4: reserving a refund, cut %s: the same refund again is one reservation',
    async (cut) => {
      await steps(direct).submitPayment(await accept('automatic'));
      const order = {
        refundId: newId('refund'),
        tenantId: tenantOf(),
        organizationId: seeded.organizationId,
        paymentId: payment.id,
        amountFor: () => 600n,
      };
      proxy.cutAt(cut);
      const { failed } = await insistently(() => reserveRefund(proxied.tenant, ledger, order));
      expect(failed).toBe(1);
      expect(await row()).toMatchObject({ refund_reserved_minor: 600n });
      expect(await movements(order.refundId)).toHaveLength(1);
    },
  );

  test('fault 5: the COMMIT of the outcome fails: an error; when it works again, charged once, booked once', async () => {
    const input = await accept('automatic');
    const { submitPayment } = steps(direct);
    await failingCommits(async () => {
      await expect(submitPayment(input)).rejects.toThrow();
      await expect(submitPayment(input)).rejects.toThrow();
    });
    expect(await row()).toMatchObject({ status: 'initiated', captured_minor: 0n, attempts: 2 });
    expect(await movements(payment.id)).toEqual([]);
    expect(await submitPayment(input)).toMatchObject({ status: 'captured' });
    expect(processor.calls).toBe(1);
    expect(await movements(payment.id)).toHaveLength(1);
  });
});
