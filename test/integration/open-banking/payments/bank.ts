import { randomBytes, randomUUID } from 'node:crypto';
import type Joi from 'joi';
import { newId } from '../../../../src/domain/ids';
import type { Engine } from '../../../../src/foundation/temporal/engine';
import { walletOf } from '../../../../src/money/ledger/accounts';
import { Ledger } from '../../../../src/money/ledger/ledger';
import { transferDependencies } from '../../../../src/money/p2p/dependencies';
import { Membership } from '../../../../src/money/p2p/membership';
import { ScheduledTransfers } from '../../../../src/money/p2p/scheduled-transfers';
import { runSchedule } from '../../../../src/money/p2p/schedules';
import { Transfers } from '../../../../src/money/p2p/transfers';
import { Consents } from '../../../../src/open-banking/consents/service';
import { actOf, type Initiation, kindOf, type PaymentRecord } from '../../../../src/open-banking/payments/initiation';
import { makePayment, type PaymentOrder } from '../../../../src/open-banking/payments/pay';
import { BankPayments } from '../../../../src/open-banking/payments/service';
import type { Act } from '../../../../src/people/customer-access/step-ups';
import { expectPublished } from '../../../interop/obie-3.1.11/published';
import { adjustmentCause } from '../../money/adjustment';
import { ACTOR, openPlace, type Place } from '../../people/customer-access/people-who-sign-in';
import { insertPerson } from '../../people/customers/place';

/** A wallet of a customer. */
export interface Wallet {
  customerId: string;
  accountId: string;
  iban: string;
}

/** The engine is away: all that moves money works without it. */
const ENGINE = { connection: { withDeadline: () => Promise.reject(new Error('away')) } } as unknown as Engine;
const KEYS = { vaultKeys: `k1:${randomBytes(32).toString('base64')}`, hmacKey: randomBytes(32).toString('base64') };

/** A bank with customers who have money, and third parties that may have it moved. */
export class Bank {
  readonly ledger = new Ledger();
  private readonly p2p = transferDependencies(this.ledger, { ...KEYS, transferTtlMs: 7 * 86_400_000 });
  readonly consents: Consents;
  readonly payments: BankPayments;
  readonly membership: Membership;
  readonly transfers: Transfers;
  readonly schedules: ScheduledTransfers;

  private constructor(readonly place: Place) {
    const { database, identity, profiles } = place;
    const settings = { consentTtlMs: 86_400_000, reauthenticationDays: 180 };
    this.consents = new Consents({ database, engine: ENGINE, settings });
    this.payments = new BankPayments({
      database,
      engine: ENGINE,
      p2p: this.p2p,
      stepUps: identity.stepUps,
      consents: this.consents,
      profiles,
    });
    this.membership = new Membership(database, this.p2p.keys);
    this.schedules = new ScheduledTransfers({ database, engine: ENGINE, p2p: this.p2p });
    this.transfers = new Transfers({ database, engine: ENGINE, p2p: this.p2p }, 60_000);
  }

  static async open(name: string): Promise<Bank> {
    return new Bank(await openPlace(name, { CODES_PER_CUSTOMER: '10000', CODES_PER_CLIENT: '100000' }));
  }

  get tenantId(): string {
    return this.place.seeded.tenantId;
  }

  /** The customer who gets codes, and so can pay. */
  get payerId(): string {
    return this.place.seeded.customer.customerId;
  }

  inTenant<T>(work: Parameters<Place['database']['tenant']>[1], tenantId = this.tenantId): Promise<T> {
    return this.place.database.tenant(tenantId, work) as Promise<T>;
  }

  async tpp(...tenants: string[]): Promise<string> {
    const id = newId('tpp');
    const { system } = this.place.database;
    await system('tpps').insert({
      id,
      name: 'Pay by Bank',
      profile: 'fapi1',
      auth_method: 'self_signed_tls_client_auth',
      certificate_thumbprint: randomBytes(32).toString('base64url'),
      certificate_subject: `CN=${id}`,
      certificate_pem: 'none',
      certificate_expires_at: new Date('2040-01-01'),
      redirect_uris: JSON.stringify(['https://tpp.example/back']),
      jwks: JSON.stringify({ keys: [] }),
      iss: id,
    });
    await system('tpp_tenants').insert(tenants.map((tenant_id) => ({ tpp_id: id, tenant_id })));
    return id;
  }

  async person(tenantId = this.tenantId): Promise<string> {
    const { database } = this.place;
    const place = { database, tenantId, otherTenantId: tenantId, close: async () => {} };
    return (await insertPerson(place, 'verified', tenantId)).id;
  }

  /** Adds money to a customer's wallet, which is there from then on. */
  async fund(customerId: string, amountMinor: bigint, currency = 'EUR', tenantId = this.tenantId): Promise<Wallet> {
    const cause = await adjustmentCause(this.place.database, tenantId);
    return this.inTenant(async (trx) => {
      const debit = { kind: 'bank_clearing', owner: 'test' } as const;
      const credit = walletOf(customerId);
      await this.ledger.book(trx, tenantId, currency, [{ phase: 'posted', debit, credit, amountMinor, cause }]);
      const row = await trx('ledger_accounts').where({ kind: 'customer_wallet', owner: customerId, currency }).first();
      return { customerId, accountId: String(row.id), iban: row.iban };
    }, tenantId);
  }

  async available({ accountId }: Wallet): Promise<bigint> {
    const row = await this.inTenant<{ posted_minor: bigint; held_minor: bigint }>((trx) =>
      trx('ledger_balances').where({ account_id: accountId }).first(),
    );
    return row.posted_minor - row.held_minor;
  }

  createConsent(tppId: string, record: PaymentRecord, tenantId?: string) {
    return this.payments.createConsent({ consentId: newId('consent'), tppId, tenantId, record, by: ACTOR });
  }

  /** A confirmation of the payer, of the act of this consent unless `act` says otherwise. */
  async confirmed(record: PaymentRecord, act: Partial<Act> = {}): Promise<string> {
    const { stepUps } = this.place.identity;
    const consent = { tenant_id: this.tenantId, record: record as unknown as Record<string, unknown> };
    const asked = { ...actOf(consent, this.payerId), ...act };
    const { stepUpId } = await stepUps.ask(asked);
    await stepUps.confirm(asked, stepUpId, await this.place.newestCode());
    return stepUpId;
  }

  /** A consent that the payer has authorised, with the confirmation of its own amount and payee unless `stepUpId` says so. */
  async authorised(tppId: string, record: PaymentRecord, payer: Wallet, stepUpId?: string): Promise<string> {
    const { id } = await this.createConsent(tppId, record);
    await this.consents.authorise(tppId, id, {
      customerId: this.payerId,
      accountIds: [payer.accountId],
      grantId: randomUUID(),
      stepUpId: stepUpId ?? (await this.confirmed(record)),
    });
    return id;
  }

  /** What the flow of a scheduled payment does when it is due. */
  runSchedule(scheduleId: string, at: Date) {
    return runSchedule(this.place.database, this.p2p, { scheduleId, tenantId: this.tenantId, at });
  }

  /** Makes a payment, and loses the connection before the transaction ends: as where the process is killed. */
  payAndLose(order: PaymentOrder): Promise<unknown> {
    return this.inTenant(async (trx) => {
      await makePayment(trx, { p2p: this.p2p, stepUps: this.place.identity.stepUps }, order);
      await trx.raw('SELECT pg_terminate_backend(pg_backend_pid())');
    });
  }

  usable(tppId: string, consentId: string) {
    return this.consents.usable(tppId, consentId, new Date());
  }

  close(): Promise<void> {
    return this.place.close();
  }
}

/** Throws where the answer is not as the published schema says, and as our own says, that the route shows. */
export function expectShown(operations: string[], status: number, own: Joi.Schema, body: unknown): void {
  for (const operation of operations) expectPublished('payment-initiation', operation, status, body);
  const { error } = own.validate(JSON.parse(JSON.stringify(body)), { abortEarly: false, convert: false });
  if (error) throw error;
}

/** A request for a consent to pay. */
export function recordTo(creditor: Wallet, amount = '10.00', more: Partial<Initiation> = {}): PaymentRecord {
  return {
    Data: {
      Initiation: {
        InstructionIdentification: 'INSTR-1',
        EndToEndIdentification: 'E2E-1',
        InstructedAmount: { Amount: amount, Currency: 'EUR' },
        CreditorAccount: { SchemeName: 'UK.OBIE.IBAN', Identification: creditor.iban, Name: 'Corner Shop' },
        RemittanceInformation: { Unstructured: 'Two loaves', Reference: 'ORDER-7' },
        ...more,
      },
    },
    Risk: { PaymentContextCode: 'PartyToParty', DeliveryAddress: { TownName: 'Lisboa', Country: 'PT' } },
  };
}

/** A request for a consent to pay later. */
export function scheduledTo(creditor: Wallet, due: Date, amount = '10.00'): PaymentRecord {
  const record = recordTo(creditor, amount, { RequestedExecutionDateTime: due.toISOString() });
  record.Data.Permission = 'Create';
  return record;
}

/** The request for the payment of a consent, as its record says. */
export function orderOf(tppId: string, consentId: string, record: PaymentRecord): PaymentOrder {
  return {
    paymentId: newId('domesticPayment'),
    kind: kindOf(record),
    tppId,
    consentId,
    initiation: structuredClone(record.Data.Initiation),
    risk: structuredClone(record.Risk),
    by: { ...ACTOR, id: tppId },
  };
}
