import type { Knex } from 'knex';
import type { CardData } from '../../domain/connector';
import { notFound } from '../../domain/errors';
import { ID_PREFIXES } from '../../domain/ids';
import { paymentStatusOf, type TopupStatus } from '../../domain/states/topup';
import type { Actor } from '../../foundation/audit-log/audit-log';
import type { Database } from '../../foundation/db/database';
import { jsonOf } from '../../foundation/db/json';
import { noteCustomer } from '../../people/customers/audit-lines';
import { requireUnblocked } from '../../people/customers/customer';
import { applyFee } from '../fees/fees';
import { spendAllowance } from '../limits/allowance';
import type { PaymentOrder } from '../payments/accept';
import type { Noting } from '../payments/noting';
import type { PaymentRow, RefundRow } from '../payments/payment';
import type { PaymentService } from '../payments/service';
import { paymentIdOf, type Topup, type TopupRow, topupIdOf } from '../payments/topup';
import type { HouseAccounts } from './house-account';

/** A validated request to top up a wallet. */
export interface TopupOrder
  extends Pick<
    PaymentOrder,
    'method' | 'processor' | 'amountMinor' | 'currency' | 'captureMode' | 'requestId' | 'linkId'
  > {
  topupId: string;
  tenantId: string;
  customerId: string;
  details: Omit<PaymentOrder['details'], 'customer'>;
  card?: CardData;
  savedCardId?: string;
  /** Who pays, where that is not the customer whose wallet it is. */
  payer?: Omit<NonNullable<PaymentOrder['details']['customer']>, 'customerId'>;
  /** The organization that sells it by a link. */
  sellerId?: string;
  /** What else belongs into the transaction that accepts it. */
  alongside?: PaymentOrder['alongside'];
}

/** The top-ups that a request may see, and who sent the request. */
export interface TopupScope {
  tenantId: string;
  /** Set for a customer, who sees its own. */
  customerId?: string;
  /** Set for a seller, which sees those that it has sold by links. */
  sellerId?: string;
  actor: Actor;
}

export interface TopupFilter {
  customerId?: string;
  status?: TopupStatus;
  currency?: string;
  /** The link that it was sold by. */
  linkId?: string;
  /** The organization that sold it. */
  sellerId?: string;
  from?: string;
  to?: string;
}

export interface TopupPage extends TopupFilter {
  limit: number;
  /** The top-up after which the page starts. */
  cursor?: string;
}

/** Rows that an export holds in memory at a time. */
const EXPORT_PAGE = 500;

/**
 * What the API does with top-ups: a payment for the wallet of a customer, taken by the tenant's house. Each act
 * leaves a line in the audit log.
 */
export class TopupService {
  constructor(
    private readonly deps: { database: Database },
    private readonly payments: PaymentService,
    private readonly house: HouseAccounts,
  ) {}

  /**
   * Accepts a top-up with its fee and allowance and starts its flow, as `PaymentService.create` does. Throws as that
   * does, `limit_exceeded` and `fee_exceeds_amount`.
   */
  async create(scope: TopupScope, order: TopupOrder): Promise<Topup> {
    const { topupId, tenantId, customerId, savedCardId, details, payer, sellerId, alongside, ...rest } = order;
    const { organizationId, terminalId } = await this.house.of(tenantId);
    await this.payments.create({
      ...rest,
      paymentId: paymentIdOf(topupId),
      tenantId,
      organizationId,
      terminalId,
      merchantTransactionId: topupId,
      beneficiary: 'wallet',
      cardToken: savedCardId,
      details: { ...details, customer: { ...payer, customerId } },
      alongside: async (trx, payment) => {
        await alongside?.(trx, payment);
        await this.writeDown(trx, scope, topupId, payment, sellerId);
        await noting(scope, 'create')(trx, payment, {});
      },
    });
    return this.byId(scope, topupId);
  }

  private async writeDown(
    trx: Knex.Transaction,
    scope: TopupScope,
    topupId: string,
    payment: PaymentRow,
    sellerId: string | undefined,
  ): Promise<void> {
    const { tenant_id: tenantId, currency, amount_minor: amountMinor } = payment;
    const moved = { tenantId, operation: 'topup', currency, amountMinor } as const;
    const customerId = payment.customer_id!;
    const { feeMinor, terms } = await applyFee(trx, moved);
    await spendAllowance(trx, { ...moved, customerId, cause: topupId });
    await trx('topups').insert({
      id: topupId,
      tenant_id: tenantId,
      customer_id: customerId,
      payment_id: payment.id,
      currency,
      fee_terms: terms && jsonOf(terms),
      fee_minor: feeMinor,
      created_by: scope.actor.id,
      seller_id: sellerId ?? null,
    });
  }

  /** Captures; throws `not_found`, `invalid_state` and `capture_exceeds_authorized`. */
  async capture(
    scope: TopupScope,
    topupId: string,
    operationId: string,
    amountFor?: (payment: PaymentRow) => bigint,
  ): Promise<Topup> {
    const { payment } = await this.changeable(scope, topupId);
    const note = noting(scope, 'capture');
    await this.payments.capture(scopeOf(payment), payment.id, { operationId, amountFor, note });
    return this.byId(scope, topupId);
  }

  /** Cancels before capture; throws `not_found` and `invalid_state`. */
  async cancel(scope: TopupScope, topupId: string, operationId: string): Promise<Topup> {
    const { payment } = await this.byId(scope, topupId);
    await this.payments.cancel(scopeOf(payment), payment.id, { operationId, note: noting(scope, 'cancel') });
    return this.byId(scope, topupId);
  }

  /**
   * Takes money back out of the wallet onto the card. Throws `not_found`, `invalid_state`, `refund_exceeds_captured`,
   * `insufficient_funds` and, to a customer who is blocked, `customer_blocked`.
   */
  async refund(
    scope: TopupScope,
    topupId: string,
    order: { refundId: string; reason?: string; amountFor?: (payment: PaymentRow) => bigint },
  ): Promise<Topup & { refund: RefundRow }> {
    const { payment } = await this.changeable(scope, topupId);
    const { refund } = await this.payments.refund(scopeOf(payment), {
      ...order,
      tenantId: payment.tenant_id,
      organizationId: payment.organization_id,
      paymentId: payment.id,
      note: noting(scope, 'refund'),
    });
    return { ...(await this.byId(scope, topupId)), refund };
  }

  /** The top-up, unless it is a blocked customer who wants to move money. */
  private async changeable(scope: TopupScope, topupId: string): Promise<Topup> {
    const { tenantId, customerId } = scope;
    const found = await this.byId(scope, topupId);
    if (customerId) await this.deps.database.tenant(tenantId, (trx) => requireUnblocked(trx, customerId));
    return found;
  }

  /** One top-up of the scope. Throws `not_found` for anybody else's. */
  async byId(scope: TopupScope, topupId: string): Promise<Topup> {
    const [found] = await this.deps.database.tenant(scope.tenantId, (trx) =>
      load(trx, (rows) => {
        rows.where({ 't.id': topupId });
        if (scope.customerId) rows.where({ 't.customer_id': scope.customerId });
        if (scope.sellerId) rows.where({ 't.seller_id': scope.sellerId });
      }),
    );
    if (!found) throw notFound('top-up');
    return found;
  }

  /** Its refunds, newest first. */
  refunds({ payment }: Topup): Promise<RefundRow[]> {
    return this.deps.database.tenant(payment.tenant_id, (trx) =>
      trx('refunds').where({ payment_id: payment.id }).orderBy('id', 'desc'),
    );
  }

  /** One more than the page holds, newest first. */
  list(scope: TopupScope, page: TopupPage): Promise<Topup[]> {
    return this.deps.database.tenant(scope.tenantId, (trx) =>
      load(trx, (rows) => chosen(rows, scope, page).limit(page.limit + 1)),
    );
  }

  /** All of them, newest first, a page in memory at a time. What is made meanwhile is not among them. */
  async *export(scope: TopupScope, filter: TopupFilter): AsyncGenerator<Topup> {
    let cursor: string | undefined;
    do {
      const page = await this.list(scope, { ...filter, limit: EXPORT_PAGE, cursor });
      yield* page.slice(0, EXPORT_PAGE);
      cursor = page.length > EXPORT_PAGE ? page[EXPORT_PAGE - 1]!.topup.id : undefined;
    } while (cursor);
  }
}

/** Notes an act on a top-up, with the customer: who looks at a customer sees it. */
function noting({ tenantId, actor }: TopupScope, action: string): Noting {
  return (trx, payment, detail) =>
    noteCustomer(trx, tenantId, actor, `customer.topup_${action}`, payment.customer_id, {
      topupId: topupIdOf(payment.id),
      ...detail,
    });
}

const scopeOf = ({ tenant_id, organization_id }: PaymentRow) => ({
  tenantId: tenant_id,
  organizationId: organization_id,
});

function chosen(rows: Knex.QueryBuilder, scope: TopupScope, page: TopupPage): Knex.QueryBuilder {
  const { cursor, status, currency, linkId, from, to } = page;
  const customerId = scope.customerId ?? page.customerId;
  const sellerId = scope.sellerId ?? page.sellerId;
  rows.where({ 't.tenant_id': scope.tenantId });
  if (customerId) rows.where({ 't.customer_id': customerId });
  if (sellerId) rows.where({ 't.seller_id': sellerId });
  if (linkId) rows.where({ 'p.link_id': linkId });
  if (currency) rows.where({ 't.currency': currency });
  if (from) rows.where('t.created_at', '>=', from);
  if (to) rows.where('t.created_at', '<', to);
  return status ? withStatus(rows, scope, status, cursor) : paged(rows, 't.id', cursor);
}

/**
 * The status stands on the payment: the list is read along the payments of the tenant's house, whose index has the status.
 * The ids of a top-up and of its payment sort alike.
 */
function withStatus(
  rows: Knex.QueryBuilder,
  { tenantId }: TopupScope,
  status: TopupStatus,
  cursor: string | undefined,
): Knex.QueryBuilder {
  rows.where({ 'p.status': paymentStatusOf(status) });
  rows.where('p.organization_id', (house: Knex.QueryBuilder) =>
    house.from('organizations').where({ tenant_id: tenantId, house: true }).select('id'),
  );
  return paged(rows, 'p.id', cursor?.replace(ID_PREFIXES.topup, ID_PREFIXES.payment));
}

function paged(rows: Knex.QueryBuilder, id: 't.id' | 'p.id', cursor: string | undefined): Knex.QueryBuilder {
  if (cursor) rows.where(id, '<', cursor);
  return rows.orderBy(id, 'desc');
}

async function load(trx: Knex.Transaction, choose: (rows: Knex.QueryBuilder) => unknown): Promise<Topup[]> {
  const query = trx('topups as t')
    .join('payments as p', 'p.id', 't.payment_id')
    .select('p.*', ...BESIDE, { topup_id: 't.id', topup_created_at: 't.created_at' });
  choose(query);
  return (await query).map(apart);
}

/** What a top-up has beside its payment. */
const BESIDE = [
  't.fee_terms',
  't.fee_minor',
  't.fee_returned_minor',
  't.incoming_minor',
  't.created_by',
  't.seller_id',
];

type Joined = PaymentRow & Omit<TopupRow, keyof PaymentRow> & { topup_id: string; topup_created_at: Date };

function apart(row: Joined): Topup {
  const { topup_id, topup_created_at, fee_terms, fee_minor, fee_returned_minor, ...more } = row;
  const { incoming_minor, created_by, seller_id, ...payment } = more;
  const topup: TopupRow = {
    id: topup_id,
    tenant_id: payment.tenant_id,
    customer_id: payment.customer_id!,
    payment_id: payment.id,
    currency: payment.currency,
    fee_terms,
    fee_minor,
    fee_returned_minor,
    incoming_minor,
    created_by,
    seller_id,
    created_at: topup_created_at,
  };
  return { topup, payment };
}
