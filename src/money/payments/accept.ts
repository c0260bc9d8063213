import type { Knex } from 'knex';
import type { CardData, PaymentKind, ProcessorId } from '../../domain/connector';
import { DomainError, refuse } from '../../domain/errors';
import { newId } from '../../domain/ids';
import { RESULT } from '../../domain/result-codes';
import type { Actor } from '../../foundation/audit-log/audit-log';
import { type Database, violates } from '../../foundation/db/database';
import { jsonOf } from '../../foundation/db/json';
import type { KeyClaim } from '../../foundation/db/key-claim';
import { type Send, sendIn, statement } from '../../foundation/db/named-statements';
import { forgetCard, holdCard, type SealedCard, type Vault } from '../../foundation/vault/vault';
import { assertMayTransact, holdCustomer } from '../../people/customers/customer';
import { requireChargeable } from '../../people/customers/sharing';
import { giveBackLowValue, type LowValue, useLowValue } from '../authentication/low-value';
import { giveBackAllowance } from '../limits/allowance';
import { type AttemptSubject, forgetCardAttempt } from '../limits/attempt-limits';
import type { MandateOrder, Mandates } from './mandates';
import type { PaymentRequestDetails, PaymentRow } from './payment';
import { brandOf, type ShownCard, shownCard } from './shown-card';
import { topupIdOf } from './topup';

/** A validated payment request, before anything is stored. */
export interface PaymentOrder {
  paymentId: string;
  tenantId: string;
  organizationId: string;
  terminalId: string;
  merchantTransactionId: string;
  method: { id: number; kind: PaymentKind; brand: string };
  /** The first of the route's processors gets it first. */
  processor: ProcessorId;
  amountMinor: bigint;
  currency: string;
  captureMode: 'automatic' | 'manual';
  details: PaymentRequestDetails;
  /** From a card payment, or out of a wallet token. */
  card?: CardData;
  /** The hash of the wallet token that the card came out of. */
  walletToken?: string;
  cardToken?: string;
  /** Its payer need not authenticate, if the card may still be let off. */
  lowValue?: LowValue;
  /** Default: the merchant. */
  beneficiary?: PaymentRow['beneficiary'];
  /** The payment link that it pays by, and the order that it pays. Both are there when the transaction ends. */
  linkId?: string;
  orderId?: string;
  /** Writes down once what belongs into the same transaction. */
  alongside?: (trx: Knex.Transaction, payment: PaymentRow) => Promise<void>;
  /** A mandate to be written down with the payment that first collects under it. */
  mandate?: MandateOrder;
  requestId: string;
  /** The idempotency key of the request, claimed with it. */
  keyClaim?: KeyClaim;
  /** Who asks for it, for the audit log. Absent where nobody has signed in, or `alongside` notes it. */
  by?: Actor;
}

/** The card as far as it may be shown, and where the rest of it lies. */
interface CardColumns {
  card_id: string;
  brand: string;
  card_bin: string;
  card_last4: string;
  card_holder: string;
  card_expiry_month: string;
  card_expiry_year: string;
  card_token?: string;
}

/** A payment that was written down. */
export interface Accepted {
  payment: PaymentRow;
  /** False: it was there already. */
  fresh: boolean;
  /** The limits on declined attempts that keep it from being sent; empty where it may be. */
  refusedBy: AttemptSubject[];
}

/**
 * Writes down an accepted payment in one transaction: the card into the vault, the payment as `initiated`. From here on
 * nothing is lost, and uniqueness is Postgres's. The same payment id again answers the row that is there (a repeat
 * after a crash). `leaseMs`: the caller sends it, and it is marked as sent; the workers start its flow after so many
 * milliseconds. `hasFlow`: false where none is started before there is something for it to do. Throws
 * `duplicate_transaction`, `wallet_token_used`, `card_token_unusable`, `customer_blocked` and `invalid_request` (original
 * payment, customer).
 */
export async function acceptPayment(
  { database, vault, mandates }: { database: Database; vault: Vault; mandates: Mandates },
  order: PaymentOrder,
  { leaseMs, hasFlow = true }: { leaseMs?: number; hasFlow?: boolean } = {},
): Promise<Accepted> {
  const sent = { leaseMs, hasFlow };
  try {
    const customerId = order.details.customer?.customerId;
    // Most payments are a card and nothing else: one round trip.
    if (order.card && !customerId && !order.alongside && !order.lowValue)
      return await insertWithCard(database.named.app.send, vault, order, order.card, sent);
    return await database.tenant(order.tenantId, async (trx) => {
      const counted = await countLowValue(trx, order);
      const accepted = order.card
        ? await insertWithCard(sendIn(trx), vault, counted, order.card, sent)
        : await insertWithStored(trx, mandates, counted, sent);
      // Afterwards: a repeat of what was accepted is found out before anybody is asked whether it may be.
      if (customerId) await requireCustomer(trx, order, customerId);
      await order.alongside?.(trx, accepted.payment);
      return accepted;
    });
  } catch (error) {
    if (!ONCE.some((constraint) => violates(error, constraint))) throw error;
    const known: PaymentRow | undefined = await database.tenant(order.tenantId, (trx) =>
      trx('payments').where({ id: order.paymentId }).first(),
    );
    if (known) return { payment: known, fresh: false, refusedBy: [] };
    throw await duplicateOf(database, order);
  }
}

/** Who sends it, and whether a flow is started for it. */
interface Sent {
  leaseMs: number | undefined;
  hasFlow: boolean;
}

/** What a payment has for itself alone. */
const ONCE = ['payments_pkey', 'payments_transaction_once', 'payments_wallet_token_once'];

/** The order as it is where its card is let off once more; else with what holds without the exemption. */
async function countLowValue(trx: Knex.Transaction, order: PaymentOrder): Promise<PaymentOrder> {
  const { lowValue, details } = order;
  if (!lowValue || (await useLowValue(trx, order, lowValue))) return order;
  const { exemption, ...authentication } = details.authentication!;
  return { ...order, details: { ...details, threeDS: lowValue.otherwise, authentication } };
}

/** A merchant charges its own customers. Customers who pay by a link, or top up, do so by themselves. */
async function requireCustomer(trx: Knex.Transaction, order: PaymentOrder, customerId: string): Promise<void> {
  const isWallet = order.beneficiary === 'wallet';
  const field = isWallet ? 'customerId' : 'customer.customerId';
  const customer = await holdCustomer(trx, customerId, field);
  if (!isWallet && !order.linkId) await requireChargeable(trx, customer, order.organizationId, field);
  // Last: whether it is blocked is for those who may charge it.
  assertMayTransact(customer);
}

async function duplicateOf(database: Database, { tenantId, ...order }: PaymentOrder): Promise<DomainError> {
  const earlier = await database.tenant(tenantId, (trx) =>
    trx('payments')
      .where({ organization_id: order.organizationId, merchant_transaction_id: order.merchantTransactionId })
      .first('id'),
  );
  if (!earlier && order.walletToken)
    return new DomainError('wallet_token_used', 'This walletToken was used before. Ask the wallet for a new one');
  return new DomainError(
    'duplicate_transaction',
    `This merchantTransactionId was used for payment ${earlier?.id}. Ask for its status, or use a new one`,
  );
}

function insertWithCard(send: Send, vault: Vault, order: PaymentOrder, card: CardData, sent: Sent): Promise<Accepted> {
  const cardId = newId('card');
  const { method } = order;
  const brand = (method.kind === 'card' && brandOf(card.number)) || method.brand;
  const columns = columnsOf(cardId, shownCard(card, brand));
  return insert(send, order, columns, sent, vault.seal(cardId, card));
}

/** A payment with what is kept already: a saved card, a mandate, or nothing at all. Within a transaction of the tenant. */
async function insertWithStored(
  trx: Knex.Transaction,
  mandates: Mandates,
  order: PaymentOrder,
  sent: Sent,
): Promise<Accepted> {
  const { tenantId, organizationId, paymentId, details, mandate } = order;
  const instrument = details.instrument;
  if (instrument?.kind === 'direct_debit' && !mandate) await mandates.check(trx, organizationId, instrument.mandateId);
  const accepted = await insert(sendIn(trx), order, await storedCard(trx, order), sent);
  if (mandate)
    await mandates.create(
      trx,
      { tenantId, organizationId, paymentId, customerId: details.customer?.customerId },
      mandate,
    );
  return accepted;
}

type AcceptedColumns = Pick<PaymentRow, 'created_at' | 'updated_at' | 'attempts' | 'flow_due_at'>;

const ACCEPT = statement('payment_accept_2', 'SELECT * FROM payment_accept_2($1, $2, $3, $4, $5, $6, $7, $8, $9)');

async function insert(
  send: Send,
  order: PaymentOrder,
  card: CardColumns | undefined,
  { leaseMs, hasFlow }: Sent,
  sealed?: SealedCard,
): Promise<Accepted> {
  const payment = { ...freshPayment(order, card), has_flow: hasFlow };
  const bindings = [
    order.tenantId,
    jsonOf({
      ...payment,
      ...(order.by && { audit: lineOf(order.by) }),
      ...(order.keyClaim && { idempotency: order.keyClaim.row }),
      ...othersOf(sealed),
    }),
    sealed?.fingerprint ?? null,
    sealed?.key_id ?? null,
    sealed?.wrapped_key ?? null,
    sealed?.sealed ?? null,
    sealed?.cvv ?? null,
    sealed?.cvv_expires_at ?? null,
    leaseMs ?? null,
  ];
  const [row] = await send<AcceptedColumns & { refused_by: AttemptSubject[] }>(ACCEPT, bindings);
  if (order.keyClaim) order.keyClaim.isTaken = true;
  const { refused_by: refusedBy, ...written } = row!;
  return { payment: { ...payment, ...written }, fresh: true, refusedBy };
}

/** Fingerprints under other keys than the newest, in hex. Nothing where there is one key. */
function othersOf(sealed: SealedCard | undefined): { otherFingerprints?: string[] } {
  if (!sealed?.other_fingerprints.length) return {};
  return { otherFingerprints: sealed.other_fingerprints.map((other) => other.toString('hex')) };
}

const lineOf = ({ id, source, requestId }: Actor) => ({ actor: id, source, detail: { requestId } });

/** The row of a payment that was only just accepted. */
function freshPayment(
  order: PaymentOrder,
  card: CardColumns | undefined,
): Omit<PaymentRow, 'created_at' | 'updated_at' | 'has_flow'> {
  return {
    id: order.paymentId,
    tenant_id: order.tenantId,
    organization_id: order.organizationId,
    terminal_id: order.terminalId,
    merchant_transaction_id: order.merchantTransactionId,
    method_id: order.method.id,
    kind: order.method.kind,
    brand: order.method.brand,
    processor: order.processor,
    currency: order.currency,
    amount_minor: order.amountMinor,
    capture_mode: order.captureMode,
    status: 'initiated',
    result_code: RESULT.pending,
    status_detail: 'Accepted; on its way to the processor.',
    authorized_minor: 0n,
    captured_minor: 0n,
    refunded_minor: 0n,
    refund_reserved_minor: 0n,
    charged_back_minor: 0n,
    contested_minor: 0n,
    settled_at: null,
    request: order.details,
    customer_id: order.details.customer?.customerId ?? null,
    beneficiary: order.beneficiary ?? 'merchant',
    link_id: order.linkId ?? null,
    order_id: order.orderId ?? null,
    card_id: null,
    card_bin: null,
    card_last4: null,
    card_holder: null,
    card_expiry_month: null,
    card_expiry_year: null,
    card_token: null,
    wallet_token: order.walletToken ?? null,
    action: null,
    waits_until: null,
    attempts: 0,
    version: 1,
    flow_due_at: null,
    unknown_since: null,
    review_reason: null,
    review_since: null,
    request_id: order.requestId,
    ...card,
  };
}

/**
 * Takes back a payment as it was accepted, which nobody has sent: one that was marked as sent with its acceptance is sent by
 * the process alone that accepted it. False when somebody has it already.
 */
export async function withdrawPayment(database: Database, payment: PaymentRow): Promise<boolean> {
  return database.tenant(payment.tenant_id, async (trx) => {
    if (payment.attempts === 1 && !(await unmark(trx, payment))) return false;
    const removed = await trx('payments').where({ id: payment.id, status: 'initiated', attempts: 0 }).delete();
    if (removed === 1 && payment.beneficiary === 'wallet')
      await giveBackAllowance(trx, { tenantId: payment.tenant_id, cause: topupIdOf(payment.id) });
    if (removed === 1 && payment.kind === 'bank_transfer')
      await giveBackAllowance(trx, { tenantId: payment.tenant_id, cause: payment.id });
    if (removed === 1) await giveBackLowValue(trx, payment);
    if (removed === 1 && payment.card_id) await forgetCard(trx, payment.card_id);
    return removed === 1;
  });
}

/** Takes away what marks a payment as sent. False: it is no longer as it was accepted. */
async function unmark(trx: Knex.Transaction, { id, version }: PaymentRow): Promise<boolean> {
  const unmarked = await trx('payments')
    .where({ id, status: 'initiated', attempts: 1, version })
    .update({ attempts: 0, submitted_at: null });
  if (unmarked === 0) return false;
  await trx('payment_attempts').where({ payment_id: id }).delete();
  await forgetCardAttempt(trx, id);
  return true;
}

function columnsOf(cardId: string, card: ShownCard): CardColumns {
  return {
    card_id: cardId,
    brand: card.brand,
    card_bin: card.bin,
    card_last4: card.last4,
    card_holder: card.holder,
    card_expiry_month: card.expiry_month,
    card_expiry_year: card.expiry_year,
  };
}

async function storedCard(trx: Knex.Transaction, order: PaymentOrder): Promise<CardColumns | undefined> {
  if (order.cardToken) return savedCard(trx, order, order.cardToken);
  const originalId = order.details.recurring?.originalPaymentId;
  return originalId ? originalCard(trx, order, originalId) : undefined;
}

/** A token is good for its customer, else for its organization. */
async function savedCard(trx: Knex.Transaction, order: PaymentOrder, token: string): Promise<CardColumns> {
  const customerId = order.details.customer?.customerId;
  const saved = await trx('payment_methods')
    .where({ id: token, deleted_at: null })
    .andWhere((scope) => {
      scope.where({ organization_id: order.organizationId, customer_id: null });
      if (customerId) scope.orWhere({ customer_id: customerId });
    })
    .first();
  if (!saved || !(await holdCard(trx, saved.card_id)))
    throw new DomainError('card_token_unusable', 'This cardToken is unknown or no longer good');
  return { ...columnsOf(saved.card_id, saved), card_token: saved.id };
}

/** A follow-up charges the card of an approved payment that was marked as the first of a series. */
async function originalCard(trx: Knex.Transaction, order: PaymentOrder, originalId: string): Promise<CardColumns> {
  const original: PaymentRow | undefined = await trx('payments')
    .where({ id: originalId, organization_id: order.organizationId })
    .first();
  const agreed = original?.request.recurring?.initial === true && original.authorized_minor > 0n;
  if (!original || !agreed || !original.card_id)
    refuse('recurring.originalPaymentId', 'is not an approved initial recurring payment');
  if (!(await holdCard(trx, original.card_id)))
    throw new DomainError('card_token_unusable', 'The card of the original payment was erased');
  return {
    card_id: original.card_id,
    brand: original.brand,
    card_bin: original.card_bin!,
    card_last4: original.card_last4!,
    card_holder: original.card_holder!,
    card_expiry_month: original.card_expiry_month!,
    card_expiry_year: original.card_expiry_year!,
  };
}
