import { randomBytes, randomUUID } from 'node:crypto';
import { COMMERCE_CHECKS } from '../../../../src/commerce/checks';
import { PayoutAccounts } from '../../../../src/commerce/payouts/accounts';
import { type Carried, orderPayout, type PayoutOrder } from '../../../../src/commerce/payouts/order';
import type { PayoutRow } from '../../../../src/commerce/payouts/payout';
import type { PayingOut } from '../../../../src/commerce/payouts/steps';
import type { Connectors, OutgoingTransferRequest, SettlementLine } from '../../../../src/domain/connector';
import { newId } from '../../../../src/domain/ids';
import type { PayoutInquiry, SendPayoutAnswer } from '../../../../src/domain/processor-answers';
import { type Database, openDatabase } from '../../../../src/foundation/db/database';
import { Messenger } from '../../../../src/foundation/messages/messenger';
import { Vault } from '../../../../src/foundation/vault/vault';
import { auditBooks } from '../../../../src/money/books-check/books-check';
import type { Finding } from '../../../../src/money/books-check/check';
import { Ledger } from '../../../../src/money/ledger/ledger';
import { bookBatch } from '../../../../src/money/reconciliation/book-batch';
import { writeCatalogue } from '../../../../src/money/routing/method-catalogue';
import { CallbackSecrets } from '../../../../src/people/identity/callback-secrets';
import { Users } from '../../../../src/people/identity/users/user';
import { type SeededTenant, seedSandbox } from '../../../../src/sandbox/seed/tenants';
import { createTestDatabase } from '../../../setup/environment';
import { capturedPayment } from '../../money/payments/captured';
import { newAccountOf } from './ibans';

const KEYS = `k1:${randomBytes(32).toString('base64')}`;
const HMAC_KEY = randomBytes(32).toString('base64');
export const HOLD_MS = 60_000;
export const EUR = (amountMinor: bigint) => ({ amountMinor, currency: 'EUR' });
export const ADMIN = { id: 'an admin', source: '127.0.0.1', requestId: 'req_1' };

/** A tenant with sellers on the real database, before a processor that answers as each test says. */
export class World {
  readonly ledger = new Ledger();
  readonly vault = new Vault({ keys: KEYS, hmacKey: HMAC_KEY, cvvTtlMs: 1_000 });
  readonly sent: OutgoingTransferRequest[] = [];
  /** What the processor says; by default it knows nothing, and accepts all. */
  inquiry: (reference: string) => PayoutInquiry = () => ({ kind: 'not_found' });
  sending: (request: OutgoingTransferRequest) => SendPayoutAnswer = ({ money }) => ({
    kind: 'accepted',
    processorReference: 'ts_1',
    money,
  });
  readonly reports = new Map<string, SettlementLine[]>();
  readonly messenger = new Messenger(KEYS);
  readonly users: Users;
  readonly accounts: PayoutAccounts;

  private constructor(
    private readonly place: Awaited<ReturnType<typeof createTestDatabase>>,
    readonly database: Database,
    readonly tenant: SeededTenant & { other: SeededTenant },
  ) {
    this.users = new Users(database, KEYS, HMAC_KEY);
    this.accounts = new PayoutAccounts(
      { database, vault: this.vault, messenger: this.messenger, onboarding: { users: this.users } },
      HOLD_MS,
    );
  }

  static async open(name: string): Promise<World> {
    const place = await createTestDatabase(name);
    const database = openDatabase(place.logins, 8, `test-${name}`);
    await writeCatalogue(database.system);
    return new World(place, database, await seedSandbox(database.system, new CallbackSecrets(KEYS)));
  }

  async close(): Promise<void> {
    await this.database.close();
    await this.place.drop();
  }

  private readonly connector = {
    processor: 'b',
    payouts: {
      send: async (request: OutgoingTransferRequest) => {
        this.sent.push(request);
        return this.sending(request);
      },
      inquire: async (reference: string) => this.inquiry(reference),
    },
    settlementReport: async (batchId: string) => ({
      batchId,
      closedAt: new Date().toISOString(),
      lines: this.reports.get(batchId)!,
    }),
    settlementBatches: async () => [...this.reports.keys()],
  };

  get connectors() {
    return { get: () => this.connector, all: () => [this.connector] } as unknown as Connectors;
  }

  get paying(): PayingOut {
    const timers = {
      inquiryFirstMs: 1_000,
      inquiryMaxMs: 60_000,
      processorInFlightMs: 5_000,
      reviewAfterMs: 3_600_000,
    };
    const firstAnswers = { announce: async () => undefined };
    const { database, ledger, vault, connectors } = this;
    return { database, ledger, vault, connectors, timers, firstAnswers };
  }

  /** Another seller of the tenant, with a verified account unless told otherwise. */
  async seller({ withAccount = true } = {}): Promise<SeededTenant> {
    const organizationId = newId('organization');
    const { tenantId } = this.tenant;
    await this.database.system('organizations').insert({ id: organizationId, tenant_id: tenantId, name: 'A Shop' });
    const seller = { ...this.tenant, organizationId };
    if (withAccount) {
      await this.accounts.change(seller, { iban: newAccountOf(), holder: 'A Shop' }, ADMIN);
      await this.accounts.verify(seller, ADMIN);
    }
    return seller;
  }

  /** A captured payment of the seller; settled by a report of its processor unless told otherwise. Answers its id. */
  async paid(seller: SeededTenant, amountMinor: bigint, { settled = true } = {}): Promise<string> {
    const id = await capturedPayment(this.database, this.ledger, seller, { amountMinor });
    if (settled)
      await this.settle('a', { kind: 'capture', reference: id, paymentReference: id, money: EUR(amountMinor) });
    return id;
  }

  /** A report of a processor with these lines. */
  async settle(processor: 'a' | 'b', ...lines: Omit<SettlementLine, 'lineId' | 'feeMinor'>[]) {
    const batchId = randomUUID();
    this.reports.set(
      batchId,
      lines.map((line) => ({ ...line, lineId: randomUUID(), feeMinor: 0n })),
    );
    const { system } = this.database;
    return bookBatch(
      { database: { system }, ledger: this.ledger, connectors: this.connectors },
      { processor, batchId },
      false,
    );
  }

  order(seller: SeededTenant, order: Partial<PayoutOrder> = {}, now = new Date()): Promise<PayoutRow | Carried> {
    const whole: PayoutOrder = {
      id: newId('payout'),
      origin: 'on_demand',
      processor: 'b',
      sendAt: now,
      by: ADMIN.id,
      ...order,
    };
    const { tenantId, organizationId } = seller;
    return this.database.tenant(tenantId, (trx) =>
      orderPayout(trx, this.ledger, { tenantId, organizationId, currency: 'EUR' }, whole, now),
    );
  }

  async ordered(seller: SeededTenant, order: Partial<PayoutOrder> = {}, now = new Date()): Promise<PayoutRow> {
    const made = await this.order(seller, order, now);
    if ('carried' in made) throw new Error(`carried: ${made.carried}`);
    return made;
  }

  async row(id: string): Promise<PayoutRow> {
    return this.database.system('payouts').where({ id }).first();
  }

  /** The credit balance of an account of the seller, in minor units. */
  async balance(
    seller: SeededTenant,
    kind: 'merchant_payable' | 'merchant_reserve' | 'payout_clearing',
  ): Promise<bigint> {
    const ref = { kind, owner: seller.organizationId };
    return this.database.tenant(
      seller.tenantId,
      async (trx) => -(await this.ledger.balance(trx, seller.tenantId, 'EUR', ref)),
    );
  }

  async findings(): Promise<Finding[]> {
    return (await auditBooks(this.database.ops, COMMERCE_CHECKS)).findings;
  }
}
