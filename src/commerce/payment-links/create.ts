import type { Knex } from 'knex';
import type { PaymentKind } from '../../domain/connector';
import { DomainError, refuse } from '../../domain/errors';
import type { PaymentLinkStatus } from '../../domain/states/payment-link';
import { type Actor, noteDone } from '../../foundation/audit-log/audit-log';
import { violates } from '../../foundation/db/database';
import { jsonOf } from '../../foundation/db/json';
import type { OrderRow } from '../orders/order';
import { extendReservation } from '../orders/steps';
import type { CustomField, LinkLine, LinkTokens, PaymentLinkRow } from './payment-link';
import { approvalsNeeded, readLinkSettings } from './settings';
import { advancePaymentLink } from './steps';

/** What a link asks for: one order, these lines, or an amount that the buyer chooses, in minor units. */
export type Asked =
  | { orderId: string }
  | { lines: LinkLine[]; currency: string }
  | { minMinor: bigint; maxMinor: bigint; currency: string };

/** A validated request for a link. */
export interface NewPaymentLink {
  id: string;
  terminalId: string;
  asked: Asked;
  /** Set for a top-up: whose wallet gets the money. */
  customerId?: string;
  title: string;
  description?: string;
  reference?: string;
  maxPayments?: number;
  kinds?: PaymentKind[];
  customFields: CustomField[];
  notificationUrl?: string;
  /** An admin has to approve it, whatever the settings of the tenant say. */
  isApprovalAskedFor: boolean;
  expiresAt: Date;
}

interface Scope {
  tenantId: string;
  organizationId: string;
}

/**
 * Writes a link down, in the caller's transaction: active at once, or waiting for as many approvals as it needs. Throws
 * `invalid_request` (order, item, customer, amount, kinds, currency) and `invalid_state` (the order has a link, or waits no more).
 */
export async function createPaymentLink(
  trx: Knex.Transaction,
  scope: Scope,
  tokens: LinkTokens,
  link: NewPaymentLink,
  by: Actor,
): Promise<PaymentLinkRow> {
  const known: PaymentLinkRow | undefined = await trx('payment_links').where({ id: link.id }).first();
  if (known) return known;
  if (link.expiresAt.getTime() <= Date.now()) refuse('expiresAt', 'must be in the future');
  if (link.customerId) await checkTopup(trx, scope, link, link.customerId);
  const price = await priceOf(trx, scope, link);
  const settings = await readLinkSettings(trx, scope.tenantId);
  const needed = approvalsNeeded(settings, { ...price, isAskedFor: link.isApprovalAskedFor });
  const now = Date.now();
  const row: Omit<PaymentLinkRow, 'created_at' | 'updated_at' | 'lines' | 'custom_fields'> = {
    id: link.id,
    tenant_id: scope.tenantId,
    organization_id: scope.organizationId,
    terminal_id: link.terminalId,
    status: (needed > 0 ? 'pending_approval' : 'active') satisfies PaymentLinkStatus,
    status_detail: BEGINS[needed],
    token_digest: tokens.digest(tokens.of(link.id)),
    purpose: link.customerId ? 'topup' : 'payment',
    customer_id: link.customerId ?? null,
    title: link.title,
    description: link.description ?? null,
    reference: link.reference ?? null,
    currency: price.currency,
    order_id: 'orderId' in link.asked ? link.asked.orderId : null,
    amount_min_minor: 'minMinor' in link.asked ? link.asked.minMinor : null,
    amount_max_minor: 'minMinor' in link.asked ? link.asked.maxMinor : null,
    most_minor: price.mostMinor,
    max_payments: 'orderId' in link.asked ? 1 : (link.maxPayments ?? null),
    kinds: link.kinds ?? null,
    notification_url: link.notificationUrl ?? null,
    approvals_needed: needed,
    remind_at: needed > 0 ? new Date(now + settings.remindAfterMs) : null,
    request_expires_at: needed > 0 ? new Date(now + settings.requestTtlMs) : null,
    expires_at: link.expiresAt,
    look_at: new Date(now),
    created_by: by.id,
  };
  try {
    const [created]: PaymentLinkRow[] = await trx('payment_links')
      .insert({
        ...row,
        lines: 'lines' in link.asked ? jsonOf(link.asked.lines) : null,
        custom_fields: jsonOf(link.customFields),
      })
      .returning('*');
    await noteDone(trx, scope.tenantId, by, 'payment_link.create', link.id);
    return await advancePaymentLink(trx, tokens, created!);
  } catch (error) {
    if (!violates(error, 'payment_links_one_per_order')) throw error;
    throw new DomainError('invalid_state', 'This order has a payment link already');
  }
}

const BEGINS = {
  0: 'Buyers can pay.',
  1: 'Waits for the approval of an admin.',
  2: 'Waits for the approval of two people.',
};

/** The currency, and the most that one buyer may pay, in minor units. An order holds its pieces as long as its link lives. */
async function priceOf(
  trx: Knex.Transaction,
  { organizationId }: Scope,
  { asked, expiresAt }: Pick<NewPaymentLink, 'asked' | 'expiresAt'>,
): Promise<{ currency: string; mostMinor: bigint }> {
  if ('minMinor' in asked) return { currency: asked.currency, mostMinor: asked.maxMinor };
  if ('lines' in asked) return { currency: asked.currency, mostMinor: await sumOf(trx, organizationId, asked) };
  const order: OrderRow | undefined = await trx('orders')
    .where({ id: asked.orderId, organization_id: organizationId })
    .forUpdate()
    .first();
  if (!order) refuse('orderId', 'is no order of this organization');
  if (order.status !== 'open')
    throw new DomainError('invalid_state', `This order is ${order.status}: nobody can pay it any more`);
  await extendReservation(trx, order.id, expiresAt);
  return { currency: order.currency, mostMinor: order.total_minor };
}

async function sumOf(
  trx: Knex.Transaction,
  organizationId: string,
  { lines, currency }: { lines: LinkLine[]; currency: string },
): Promise<bigint> {
  let sum = 0n;
  for (const [index, line] of lines.entries()) {
    const price =
      'itemId' in line ? await itemPrice(trx, organizationId, line.itemId, currency, index) : line.unitMinor;
    sum += BigInt(price) * BigInt(line.quantity);
  }
  return sum;
}

async function itemPrice(
  trx: Knex.Transaction,
  organizationId: string,
  itemId: string,
  currency: string,
  index: number,
): Promise<bigint> {
  const item: { price_minor: bigint; currency: string; status: string } | undefined = await trx('items')
    .where({ id: itemId, organization_id: organizationId })
    .first('price_minor', 'currency', 'status');
  const field = `lines[${index}].itemId`;
  if (!item) refuse(field, 'is no item of this organization');
  if (item.status !== 'approved') refuse(field, 'is not approved');
  if (item.currency !== currency) refuse(field, 'has a price in another currency');
  return item.price_minor;
}

/** A seller tops up the wallets of its own customers, and of those that belong to no seller; with an amount, by card. */
async function checkTopup(
  trx: Knex.Transaction,
  { organizationId }: Scope,
  { asked, kinds }: Pick<NewPaymentLink, 'asked' | 'kinds'>,
  customerId: string,
): Promise<void> {
  if (!('minMinor' in asked)) refuse('amount', 'is required of a top-up');
  if (kinds?.some((kind) => kind !== 'card')) refuse('kinds', 'must be card alone for a top-up');
  const known = await trx('customers')
    .where({ id: customerId })
    .whereNull('deleted_at')
    .where((own) => own.whereNull('organization_id').orWhere({ organization_id: organizationId }))
    .first('id');
  if (!known) refuse('customerId', 'is no customer of this organization');
}
