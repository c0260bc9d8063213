import type { Knex } from 'knex';
import type { CardData, PaymentKind, StoredInstrument } from '../../domain/connector';
import { DomainError, found, notFound, refuse } from '../../domain/errors';
import { hasTakenMoney, isClosed } from '../../domain/states/payment';
import { type Database, violates } from '../../foundation/db/database';
import { jsonOf } from '../../foundation/db/json';
import type { PaymentOrder } from '../../money/payments/accept';
import type { MandateOrder } from '../../money/payments/mandates';
import type { PaymentRequestDetails, PaymentRow } from '../../money/payments/payment';
import type { PaymentService } from '../../money/payments/service';
import type { Catalogue, Method } from '../../money/routing/catalogue';
import type { PaymentRouter } from '../../money/routing/router';
import { imagesOf, thumbnailOf } from '../inventory/images';
import { linesOf, lockOrder, type OrderedLine, type OrderLineRow, type OrderRow } from '../orders/order';
import { createOrder, extendReservation, paymentsOf as paymentsOfOrder } from '../orders/steps';
import { digestOf } from '../page-themes/service';
import type { PageThemeRow } from '../page-themes/theme';
import type { LinkLine, LinkTokens, PaymentLinkRow } from './payment-link';
import type { Receipts } from './receipts';
import { paymentsOf } from './steps';

/** What a buyer chose on the page, validated. */
export interface Choice {
  /** Made once for each form that is shown: the same one again is the same payment. */
  paymentId: string;
  /** Of the buyer's own order, where the link has none. */
  orderId: string;
  /** Where the buyer chooses the amount: minor units. */
  amountMinor?: bigint;
  method: Method;
  instrument?: StoredInstrument;
  card?: CardData;
  mandate?: MandateOrder;
  buyer: NonNullable<PaymentRequestDetails['customer']>;
  browser?: Record<string, unknown>;
  /** By the name of the custom field. */
  answers: Record<string, string>;
  /** Where the buyer comes back to from pages of others. */
  returnUrl: string;
  /** In which the buyer reads, as BCP 47. */
  locale: string;
  requestId: string;
}

/** `imageId`: the first picture of the item. */
export interface BillLine extends Pick<OrderLineRow, 'item_id' | 'description' | 'unit_minor' | 'quantity'> {
  imageId?: string;
}

/** Who sells, and how the page of that seller looks. */
export interface Seller {
  name: string;
  theme: Pick<PageThemeRow, 'name' | 'accent' | 'ground'>;
  /** Stands for the tenant's logo: another one has another. Null where there is none. */
  logo: string | null;
}

/** What a buyer is to pay for. Amounts in minor units. */
export interface Bill {
  lines: BillLine[];
  /** Undefined where the buyer chooses it. */
  totalMinor?: bigint;
}

interface CheckoutParts {
  database: Database;
  payments: PaymentService;
  catalogue: Catalogue;
  router: PaymentRouter;
  tokens: LinkTokens;
  receipts: Receipts;
  /** ORDER_RESERVATION_MS: how long pieces are held for a buyer who has begun to pay. */
  reservationMs: number;
}

/** What buyers do with a link: read it, choose how to pay, pay. The payment is one like any other, with its link noted. */
export class Checkout {
  constructor(private readonly parts: CheckoutParts) {}

  /** The link of an address. Throws `not_found`; a link that waits for an approval is nobody's to see. */
  async open(token: string): Promise<PaymentLinkRow> {
    const { database, tokens } = this.parts;
    const link: PaymentLinkRow | undefined = await database
      .system('payment_links')
      .where({ token_digest: tokens.digest(token) })
      .first();
    if (!link || link.status === 'pending_approval') throw notFound('payment link');
    return link;
  }

  async seller(link: PaymentLinkRow): Promise<Seller> {
    const row = await this.parts.database
      .system('organizations')
      .leftJoin('page_themes', 'page_themes.tenant_id', 'organizations.tenant_id')
      .where({ 'organizations.id': link.organization_id })
      .first('organizations.name as seller', 'page_themes.*');
    const { seller, name, accent, ground, logo } = row;
    return { name: seller, theme: { name, accent, ground }, logo: logo && digestOf(logo) };
  }

  bill(link: PaymentLinkRow): Promise<Bill> {
    return this.parts.database.tenant(link.tenant_id, async (trx) => {
      const { lines, totalMinor } = await billOf(trx, link);
      const images = await imagesOf(trx, itemsOf(lines));
      return { lines: lines.map((line) => ({ ...line, imageId: images.get(line.item_id ?? '')?.[0] })), totalMinor };
    });
  }

  /** A picture of something on the bill, small, as WebP. Throws `not_found`. */
  picture(link: PaymentLinkRow, imageId: string): Promise<Buffer> {
    return this.parts.database.tenant(link.tenant_id, async (trx) => {
      const { lines } = await billOf(trx, link);
      return thumbnailOf(trx, itemsOf(lines), imageId);
    });
  }

  /** The methods that serve a link, in the order of the catalogue; one stands for all cards, and one for all pages of others. */
  async methods(link: PaymentLinkRow): Promise<Method[]> {
    const { catalogue, router } = this.parts;
    const all = await catalogue.list(link.tenant_id, link.organization_id);
    const seen = new Set<PaymentKind>();
    return all.filter((method) => {
      const { kind, currencies, enabled, processor } = method;
      if (!enabled || !ON_PAGE[kind] || !router.serves(processor, kind)) return false;
      if (link.kinds && !link.kinds.includes(kind)) return false;
      if (currencies.length > 0 && !currencies.includes(link.currency)) return false;
      if ((kind === 'card' || kind === 'hosted_page') && seen.has(kind)) return false;
      seen.add(kind);
      return true;
    });
  }

  /** A payment by this link. Throws `not_found` for any other. */
  async payment(link: PaymentLinkRow, paymentId: string): Promise<PaymentRow> {
    const row: PaymentRow | undefined = await this.parts.database.tenant(link.tenant_id, (trx) =>
      trx('payments').where({ id: paymentId, link_id: link.id }).first(),
    );
    if (!row) throw notFound('payment');
    return row;
  }

  /**
   * Takes the payment; answers it as soon as there is something to tell. Throws `link_not_payable`, `link_busy` (nothing
   * was sent), `out_of_stock`, and what `PaymentService.create` throws.
   */
  async pay(link: PaymentLinkRow, choice: Choice): Promise<PaymentRow> {
    const { payments, router, reservationMs } = this.parts;
    const bill = await this.bill(link);
    const amountMinor = bill.totalMinor ?? chosenAmount(link, choice);
    const { method, buyer } = choice;
    const wanted = {
      methodId: method.id,
      kind: method.kind,
      country: buyer.country,
      amountMinor,
      currency: link.currency,
    };
    const route = await router.choose(link.tenant_id, link.organization_id, wanted, method.processor);
    const order: PaymentOrder = {
      paymentId: choice.paymentId,
      tenantId: link.tenant_id,
      organizationId: link.organization_id,
      terminalId: link.terminal_id,
      merchantTransactionId: choice.paymentId,
      method,
      processor: route.processors[0]!,
      amountMinor,
      currency: link.currency,
      linkId: link.id,
      orderId: link.order_id ?? choice.orderId,
      captureMode: 'automatic',
      details: {
        descriptor: (await this.seller(link)).name.slice(0, 64),
        remark: link.reference ?? undefined,
        notificationUrl: link.notification_url ?? undefined,
        returnUrl: choice.returnUrl,
        threeDS: 'auto',
        storeCard: false,
        browser: choice.browser,
        locale: choice.locale,
        instrument: choice.instrument,
        route,
        customer: buyer,
      },
      card: choice.card,
      mandate: choice.mandate,
      alongside: (trx, payment) => claim(trx, link, payment, choice, new Date(Date.now() + reservationMs)),
      requestId: choice.requestId,
    };
    try {
      return await payments.create(order);
    } catch (error) {
      if (violates(error, 'payments_one_per_order')) throw await this.whyTaken(link, order.orderId!);
      throw error;
    }
  }

  /** Another payment of its order stands in the way of one: it has paid, or is about to. */
  private async whyTaken({ tenant_id }: PaymentLinkRow, orderId: string): Promise<DomainError> {
    const others = await this.parts.database.tenant(tenant_id, (trx) => paymentsOfOrder(trx, orderId));
    return others.some(({ status }) => hasTakenMoney(status)) ? notPayable() : busy();
  }

  /** Sends the receipt of a payment by this link once more. Throws `not_found`, `invalid_state`. */
  mailReceipt(link: PaymentLinkRow, paymentId: string): Promise<void> {
    const { database, receipts } = this.parts;
    return database.tenant(link.tenant_id, async (trx) => {
      const payment = await trx('payments').where({ id: paymentId, link_id: link.id }).forUpdate().first();
      await receipts.sendAgain(trx, found<PaymentRow>(payment, 'payment'));
    });
  }

  /** The one payment that a link with one payment is waiting for, if there is one. */
  async current(link: PaymentLinkRow): Promise<PaymentRow | undefined> {
    if (link.max_payments !== 1) return undefined;
    const rows: PaymentRow[] = await this.parts.database.tenant(link.tenant_id, (trx) =>
      trx('payments').where({ link_id: link.id }).orderBy('id', 'desc'),
    );
    return rows.find(({ status }) => !isClosed(status)) ?? rows.find(({ captured_minor }) => captured_minor > 0n);
  }
}

const ON_PAGE: Record<PaymentKind, boolean> = {
  card: true,
  // Their token comes from a device, by the wallet's own script.
  wallet: false,
  upi: true,
  qr: true,
  apm: true,
  bank_transfer: true,
  direct_debit: true,
  crypto: true,
  hosted_page: true,
};

function chosenAmount({ amount_min_minor, amount_max_minor }: PaymentLinkRow, { amountMinor = 0n }: Choice): bigint {
  if (amountMinor < amount_min_minor! || amountMinor > amount_max_minor!)
    refuse('amount', 'is not in the span of the link');
  return amountMinor;
}

/**
 * Lets a payment that has just been accepted pay by the link, in the same transaction: while the link is locked, no other
 * one can be accepted. What it pays for is held for it.
 */
async function claim(
  trx: Knex.Transaction,
  link: PaymentLinkRow,
  payment: PaymentRow,
  choice: Choice,
  heldUntil: Date,
): Promise<void> {
  const rows = trx('payment_links').where({ id: link.id });
  // Links that take any number of payments do not make their buyers wait for each other.
  const current: PaymentLinkRow = await (link.max_payments === null ? rows.forShare() : rows.forUpdate()).first();
  if (current.status !== 'active' || current.expires_at.getTime() <= Date.now()) throw notPayable();
  if (current.max_payments !== null) {
    // This payment is one of those that are open.
    const { paid, open } = await paymentsOf(trx, link);
    if (paid >= current.max_payments) throw notPayable();
    if (paid + open > current.max_payments) throw busy();
  }
  const order = await orderOf(trx, current, payment, choice, heldUntil);
  if (order.status !== 'open') throw notPayable();
  if (order.total_minor !== payment.amount_minor)
    throw new DomainError('link_not_payable', 'The price has changed meanwhile. Open the link again');
  await extendReservation(trx, order.id, heldUntil);
  if (Object.keys(choice.answers).length > 0)
    await trx('payment_link_answers').insert({
      payment_id: payment.id,
      tenant_id: link.tenant_id,
      link_id: link.id,
      answers: jsonOf(choice.answers),
    });
}

/** The order of the link, or the buyer's own. */
async function orderOf(
  trx: Knex.Transaction,
  link: PaymentLinkRow,
  payment: PaymentRow,
  { orderId }: Choice,
  reservedUntil: Date,
): Promise<OrderRow> {
  if (link.order_id) return lockOrder(trx, link.order_id);
  const order = await createOrder(trx, {
    id: orderId,
    tenantId: link.tenant_id,
    organizationId: link.organization_id,
    currency: link.currency,
    lines: link.lines?.map(orderedLine) ?? [{ description: link.title, unitMinor: payment.amount_minor, quantity: 1 }],
    reference: link.reference ?? undefined,
    reservedUntil,
    linkId: link.id,
    createdBy: link.created_by,
  });
  if (order.link_id !== link.id) throw notPayable();
  return lockOrder(trx, order.id);
}

function orderedLine(line: LinkLine): OrderedLine {
  return 'itemId' in line ? line : { ...line, unitMinor: BigInt(line.unitMinor) };
}

async function billOf(trx: Knex.Transaction, link: PaymentLinkRow): Promise<Bill> {
  if (link.order_id) {
    const order: OrderRow = await trx('orders').where({ id: link.order_id }).first();
    return { lines: await linesOf(trx, [order.id]), totalMinor: order.total_minor };
  }
  if (!link.lines) return { lines: [] };
  const lines = await Promise.all(link.lines.map((line) => shownLine(trx, line)));
  const totalMinor = lines.reduce((sum, { unit_minor, quantity }) => sum + unit_minor * BigInt(quantity), 0n);
  return { lines, totalMinor };
}

const itemsOf = (lines: BillLine[]) => lines.flatMap(({ item_id }) => item_id ?? []);

async function shownLine(trx: Knex.Transaction, line: LinkLine): Promise<BillLine> {
  if (!('itemId' in line))
    return {
      item_id: null,
      description: line.description,
      unit_minor: BigInt(line.unitMinor),
      quantity: line.quantity,
    };
  const { name, price_minor } = await trx('items').where({ id: line.itemId }).first('name', 'price_minor');
  return { item_id: line.itemId, description: name, unit_minor: price_minor, quantity: line.quantity };
}

const notPayable = () => new DomainError('link_not_payable', 'Nobody can pay by this link any more');
const busy = () => new DomainError('link_busy', 'Somebody else is paying by this link right now');
