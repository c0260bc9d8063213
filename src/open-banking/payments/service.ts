import type { Knex } from 'knex';
import { DomainError, found, notFound, refuse } from '../../domain/errors';
import type { Actor } from '../../foundation/audit-log/audit-log';
import type { Database } from '../../foundation/db/database';
import { wake } from '../../foundation/temporal/command';
import type { Engine } from '../../foundation/temporal/engine';
import { applyFee } from '../../money/fees/fees';
import { proceedWithTransfer, tellEngine } from '../../money/p2p/flow';
import type { CustomerRow, ProfileSeal } from '../../people/customers/customer';
import { holderName } from '../account-holder';
import type { ConsentRow } from '../consents/consent';
import { proceedWithConsent } from '../consents/flow';
import type { Consents } from '../consents/service';
import type { UsableConsent } from '../consents/usable';
import { refuseByStandard } from '../obie-error';
import { kindOf, moneyOf, type PaymentKind, type PaymentRecord, recordOf, sharesRefundAccount } from './initiation';
import { makePayment, type PayDependencies, type PaymentOrder } from './pay';
import type { BankPayment, RefundAccount } from './payment';
import { refuseUnpayable } from './payment-consents';

export interface BankPaymentDependencies extends PayDependencies {
  database: Database;
  engine: Engine;
  consents: Pick<Consents, 'create' | 'forTpp'>;
  profiles: Pick<ProfileSeal, 'open'>;
}

/** A validated request for a consent to pay. */
export interface PaymentConsentOrder {
  consentId: string;
  tppId: string;
  /** The header `tenantId`. Needed where the third party serves several. */
  tenantId?: string;
  record: PaymentRecord;
  by: Actor;
}

/** Payments that third parties initiate (UK Open Banking 3.1.11, Payment Initiation), made by transfers between customers. */
export class BankPayments {
  constructor(private readonly deps: BankPaymentDependencies) {}

  /**
   * Writes down what a customer is to be asked. The same id again answers the consent that is there. Throws `ObieError` for
   * what could never be paid, `invalid_request` without a tenant, `forbidden` for one that the third party does not serve.
   */
  async createConsent({ consentId, tppId, tenantId, record, by }: PaymentConsentOrder): Promise<ConsentRow> {
    const tenant = await this.tenantFor(tppId, tenantId);
    await this.deps.database.tenant(tenant, (trx) => refuseUnpayable(trx, record));
    const completion = record.Data.Authorisation?.CompletionDateTime;
    return this.deps.consents.create(
      {
        id: consentId,
        tenantId: tenant,
        tppId,
        kind: 'payment',
        record,
        ...(completion && { expiresAt: new Date(completion) }),
      },
      by,
    );
  }

  /** Throws `not_found`, also for one of another kind or of another third party. */
  async findConsent(tppId: string, consentId: string, kind: PaymentKind): Promise<ConsentRow> {
    const consent = await this.deps.consents.forTpp(tppId, consentId);
    if (consent.kind !== 'payment' || kindOf(recordOf(consent)) !== kind) throw notFound('consent');
    return consent;
  }

  /**
   * Whether the payer's account covers the payment and its fee at this moment. Throws `not_found` for a consent that is not
   * that of the token, `ObieError` for one that is not authorised.
   */
  async hasFunds(consent: UsableConsent, consentId: string): Promise<boolean> {
    if (consent.id !== consentId || consent.kind !== 'payment' || kindOf(recordOf(consent)) !== 'domestic')
      throw notFound('consent');
    const { status, tenant_id: tenantId, accounts } = consent;
    if (status !== 'Authorised')
      refuseByStandard(
        'UK.OBIE.Resource.InvalidConsentStatus',
        `The consent is ${status}, not Authorised`,
        'ConsentId',
      );
    const { amountMinor, currency } = moneyOf(recordOf(consent).Data.Initiation);
    return this.deps.database.tenant(tenantId, async (trx) => {
      const balance: { posted_minor: bigint; held_minor: bigint } | undefined = await trx('ledger_balances')
        .where({ account_id: accounts[0]!.account_id })
        .first();
      const fee = await feeOf(trx, { tenantId, currency, amountMinor });
      return (balance ? balance.posted_minor - balance.held_minor : 0n) >= amountMinor + fee;
    });
  }

  /** Makes the payment of a consent. The same id again answers the payment that is there. Throws as `makePayment` does. */
  async pay(order: PaymentOrder): Promise<BankPayment> {
    const { database, engine, consents } = this.deps;
    const { tenant_id } = await consents.forTpp(order.tppId, order.consentId);
    const { transfer, schedule } = await database.tenant(tenant_id, (trx) => makePayment(trx, this.deps, order));
    if (transfer?.status === 'held') await wake(engine, () => proceedWithTransfer(engine, transfer));
    if (schedule?.untold_since) await wake(engine, () => tellEngine(engine, database.system, schedule));
    const consent = await consents.forTpp(order.tppId, order.consentId);
    await wake(engine, () => proceedWithConsent(engine, consent));
    return this.find(order.tppId, order.paymentId, order.kind);
  }

  /** Throws `not_found`, also for another third party's. */
  async find(tppId: string, paymentId: string, kind: PaymentKind): Promise<BankPayment> {
    const row = await this.first({ 'p.id': paymentId, 'p.tpp_id': tppId, 'p.kind': kind });
    const payment = found<BankPayment>(row, 'payment');
    return sharesRefundAccount(recordOf(payment))
      ? { ...payment, refund: await this.refundAccountOf(payment) }
      : payment;
  }

  /** The payment of a tenant's consent. Undefined while none was made. */
  ofConsent(tenantId: string, consentId: string): Promise<BankPayment | undefined> {
    return this.first({ 'p.tenant_id': tenantId, 'p.consent_id': consentId });
  }

  private async first(narrow: Record<string, string>): Promise<BankPayment | undefined> {
    return this.deps.database
      .system('open_banking_payments as p')
      .join('consents as c', 'c.id', 'p.consent_id')
      .leftJoin('p2p_schedules as s', 's.id', 'p.schedule_id')
      .joinRaw('LEFT JOIN p2p_transfers t ON t.id = p.transfer_id OR t.schedule_id = p.schedule_id')
      .where(narrow)
      .first(
        'p.*',
        'c.record',
        's.status as schedule_status',
        't.fee_minor',
        't.fee_payer',
        't.status as transfer_status',
        't.status_detail as transfer_detail',
        this.deps.database.system.raw('coalesce(t.updated_at, s.updated_at) AS moved_at'),
      );
  }

  /** Undefined for a customer who was erased: nothing can be paid back to that account. */
  private async refundAccountOf({ account_id, customer_id }: BankPayment): Promise<RefundAccount | undefined> {
    const { system } = this.deps.database;
    const customer: CustomerRow = await system('customers').where({ id: customer_id }).first();
    const Name = holderName(this.deps.profiles, customer);
    if (Name === undefined) return undefined;
    const { iban } = await system('ledger_accounts').where({ id: account_id }).first('iban');
    return { SchemeName: 'UK.OBIE.IBAN', Identification: iban, Name };
  }

  private async tenantFor(tppId: string, named: string | undefined): Promise<string> {
    const { system } = this.deps.database;
    const served: string[] = await system('tpp_tenants').where({ tpp_id: tppId }).pluck('tenant_id');
    if (named !== undefined) {
      if (!served.includes(named)) throw new DomainError('forbidden', 'This third party does not serve this tenant');
      return named;
    }
    if (served.length !== 1) refuse('tenantId', 'must be given as a header by those who serve several tenants');
    return served[0]!;
  }
}

/** What the payer pays on top. A fee that leaves nothing for the payee refuses the payment when it is made. */
async function feeOf(
  trx: Knex.Transaction,
  question: { tenantId: string; currency: string; amountMinor: bigint },
): Promise<bigint> {
  try {
    const { feeMinor, payer } = await applyFee(trx, { ...question, operation: 'p2p' });
    return payer === 'sender' ? feeMinor : 0n;
  } catch (error) {
    if (error instanceof DomainError && error.code === 'fee_exceeds_amount') return 0n;
    throw error;
  }
}
