import type { Knex } from 'knex';
import { OWN_BANK } from '../../domain/connector';
import { DomainError, found, refuse } from '../../domain/errors';
import { type Actor, noteDone } from '../../foundation/audit-log/audit-log';
import type { Database } from '../../foundation/db/database';
import { type Page, paged } from '../../foundation/db/page';
import type { PaymentOrder } from '../../money/payments/accept';
import type { PaymentRow } from '../../money/payments/payment';
import type { PaymentService } from '../../money/payments/service';
import type { Catalogue, Method } from '../../money/routing/catalogue';
import type { PaymentRouter } from '../../money/routing/router';
import type { RouteChoice } from '../../money/routing/rules';
import { payableAccount } from '../bank-statements/account';
import { lockOrder } from '../orders/order';
import { extendReservation } from '../orders/steps';
import type { BankEntryRow } from './entry';
import { type BankTransferRequestRow, createRequest, type RequestStatus } from './request';
import { type BankReturnRow, nameAccount, type Returning, type ReturnStatus } from './return';

/** The bank transfer of the method catalogue. */
const METHOD = 61;

export interface TransferScope {
  tenantId: string;
  organizationId?: string;
}

export type TransferOrder = Pick<
  PaymentOrder,
  | 'paymentId'
  | 'tenantId'
  | 'organizationId'
  | 'terminalId'
  | 'merchantTransactionId'
  | 'amountMinor'
  | 'currency'
  | 'requestId'
  | 'by'
> & {
  details: Omit<PaymentOrder['details'], 'threeDS' | 'storeCard' | 'route' | 'instrument'>;
  payerName?: string;
  accountId?: string;
  orderId?: string;
  expiresAt?: Date;
};

export interface TransferFilter extends Page {
  status?: RequestStatus;
  from?: Date;
  to?: Date;
}

/** A payment by bank transfer: what it asks for, what came, and what went back. */
export interface BankTransfer {
  payment: PaymentRow;
  /** Undefined for one that a processor takes. */
  request?: BankTransferRequestRow;
  arrivals: BankEntryRow[];
  returns: BankReturnRow[];
}

interface TransferDependencies extends Returning {
  database: Database;
  payments: PaymentService;
  catalogue: Catalogue;
  router: PaymentRouter;
  /** PAYER_TRANSFER_TTL_MS: how long a payer has who was given no other time. */
  ttlMs: number;
}

/** What sellers do about payments by bank transfer. Each is a payment like every other. */
export class BankTransfers {
  constructor(private readonly deps: TransferDependencies) {}

  /**
   * Asks for a transfer to the tenant's own account in the currency, where it has one; else to one that a processor gives out
   * for the payment. Throws what `PaymentService.create` throws, and `invalid_request` for an account or order that is not
   * there, or does not fit.
   */
  async create(order: TransferOrder): Promise<BankTransfer> {
    const { database, payments, ttlMs } = this.deps;
    const { tenantId, organizationId, currency, amountMinor, accountId, orderId, payerName, details, ...rest } = order;
    const { method, route } = await this.routeOf(order);
    const expiresAt = order.expiresAt ?? new Date(Date.now() + ttlMs);
    const payment = await payments.create({
      ...rest,
      tenantId,
      organizationId,
      currency,
      amountMinor,
      method,
      processor: route.processors[0]!,
      captureMode: 'automatic',
      details: {
        ...details,
        threeDS: 'auto',
        storeCard: false,
        route,
        instrument: { kind: 'bank_transfer', ...(payerName && { payerName }) },
      },
      alongside: async (trx, accepted) => {
        if (orderId) await claimOrder(trx, accepted, orderId, expiresAt);
        if (accepted.processor === OWN_BANK) await createRequest(trx, accepted, { accountId, expiresAt });
      },
    });
    return database.tenant(tenantId, (trx) => wholeOf(trx, payment));
  }

  /** Throws `not_found`. */
  find({ tenantId, organizationId }: TransferScope, paymentId: string): Promise<BankTransfer> {
    return this.deps.database.tenant(tenantId, async (trx) => {
      const rows = trx('payments').where({ id: paymentId, kind: 'bank_transfer' });
      if (organizationId) rows.where({ organization_id: organizationId });
      return wholeOf(trx, found(await rows.first(), 'bank transfer'));
    });
  }

  /** Those to own accounts; one more than the page holds, newest first. */
  list(
    { tenantId, organizationId }: TransferScope,
    { status, from, to, limit, cursor }: TransferFilter,
  ): Promise<{ payment: PaymentRow; request: BankTransferRequestRow }[]> {
    return this.deps.database.tenant(tenantId, async (trx) => {
      const rows = trx('bank_transfer_requests')
        .orderBy('payment_id', 'desc')
        .limit(limit + 1);
      if (organizationId) rows.where({ organization_id: organizationId });
      if (status) rows.where({ status });
      if (cursor) rows.where('payment_id', '<', cursor);
      if (from) rows.where('created_at', '>=', from);
      if (to) rows.where('created_at', '<', to);
      const requests: BankTransferRequestRow[] = await rows;
      const ids = requests.map(({ payment_id }) => payment_id);
      const payments: PaymentRow[] = await trx('payments').whereIn('id', ids);
      const byId = new Map(payments.map((payment) => [payment.id, payment]));
      return requests.map((request) => ({ request, payment: byId.get(request.payment_id)! }));
    });
  }

  /** What goes back, or went; one more than the page holds, newest first. */
  returns(tenantId: string, { status, ...page }: Page & { status?: ReturnStatus }): Promise<BankReturnRow[]> {
    return this.deps.database.tenant(tenantId, async (trx) => {
      const rows = paged(trx('bank_returns'), page);
      if (status) rows.where({ status });
      return rows;
    });
  }

  /** Says where a return goes that waits for it. Throws `not_found` and `invalid_state` (409). */
  nameAccount(
    tenantId: string,
    id: string,
    account: { iban: string; holder: string },
    by: Actor,
  ): Promise<BankReturnRow> {
    return this.deps.database.system.transaction(async (trx) => {
      const row = await nameAccount(trx, this.deps, { tenantId, id }, account);
      await noteDone(trx, tenantId, by, 'bank_transfer.return_account', id, { ibanLast4: row.iban_last4 });
      return row;
    });
  }

  private async routeOf({
    tenantId,
    organizationId,
    currency,
    amountMinor,
    accountId,
  }: TransferOrder): Promise<{ method: Method; route: RouteChoice }> {
    const { database, catalogue, router } = this.deps;
    const method = await catalogue.find(tenantId, METHOD, organizationId);
    if (!method?.enabled) throw new DomainError('method_not_enabled', 'Bank transfer is not enabled');
    const account = await database.tenant(tenantId, (trx) => payableAccount(trx, tenantId, currency, accountId));
    if (accountId && !account) refuse('accountId', 'is no active account of the tenant in this currency');
    if (account) return { method, route: { processors: [OWN_BANK], reason: 'an account of the tenant' } };
    const wanted = { methodId: METHOD, kind: method.kind, amountMinor, currency };
    return { method, route: await router.choose(tenantId, organizationId, wanted, method.processor) };
  }
}

/** The payment pays for the order, whose pieces are held until the payer's time is up. */
async function claimOrder(trx: Knex.Transaction, payment: PaymentRow, orderId: string, until: Date): Promise<void> {
  const own = await trx('orders').where({ id: orderId, organization_id: payment.organization_id }).first('id');
  if (!own) refuse('orderId', 'is no order of yours');
  const order = await lockOrder(trx, orderId);
  if (order.status !== 'open') throw new DomainError('invalid_state', `The order is ${order.status}`);
  if (order.total_minor !== payment.amount_minor || order.currency !== payment.currency)
    refuse('orderId', 'is an order of another amount or currency');
  await extendReservation(trx, order.id, until);
  await trx('payments').where({ id: payment.id }).update({ order_id: order.id });
}

async function wholeOf(trx: Knex.Transaction, payment: PaymentRow): Promise<BankTransfer> {
  const of = { payment_id: payment.id };
  return {
    payment,
    request: await trx('bank_transfer_requests').where(of).first(),
    arrivals: await trx('bank_entries').where(of).whereNot({ status: 'proposed' }).orderBy('id'),
    returns: await trx('bank_returns').where(of).orderBy('id'),
  };
}
