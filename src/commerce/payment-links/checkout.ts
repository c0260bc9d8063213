import type { Knex } from 'knex';
import type { CardData, PaymentKind, StoredInstrument } from '../../domain/connector';
import { DomainError, found, notFound, refuse } from '../../domain/errors';
import { hasTakenMoney, isClosed } from '../../domain/states/payment';
import { type Database, violates } from '../../foundation/db/database';
import type { PaymentOrder } from '../../money/payments/accept';
import type { MandateOrder } from '../../money/payments/mandates';
import type { PaymentRequestDetails, PaymentRow } from '../../money/payments/payment';
import type { PaymentService } from '../../money/payments/service';
import { topupIdOf } from '../../money/payments/topup';
import type { Catalogue, Method } from '../../money/routing/catalogue';
import type { PaymentRouter } from '../../money/routing/router';
import type { HouseAccounts } from '../../money/topups/house-account';
import type { TopupService } from '../../money/topups/service';
import type { Act, StepUps } from '../../people/customer-access/step-ups';
import { findCustomer, type ProfileSeal } from '../../people/customers/customer';
import type { CustomerRecord } from '../../people/customers/profile';
import { isActiveTenant, requireActiveTenant } from '../../people/identity/tenants';
import { paymentsOf as paymentsOfOrder } from '../orders/steps';
import type { PageThemeRow } from '../page-themes/theme';
import { type Bill, readBill, readPicture } from './bill';
import { busy, claimForOrder, claimLink, keepAnswers, notPayable } from './claim';
import type { LinkTokens, PaymentLinkRow } from './payment-link';
import type { Receipts } from './receipts';

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
  /** The customer who has signed in. */
  customerId?: string;
  /** One of that customer's cards, and what the customer has confirmed. */
  saved?: { cardId: string; stepUpId: string };
  /** The customer wants the card to be saved. */
  storeCard: boolean;
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

/** Who sells, and how the page of that seller looks. */
export interface Seller {
  name: string;
  theme: Pick<PageThemeRow, 'name' | 'accent' | 'ground'>;
  /** Stands for the tenant's logo: another one has another. Null where there is none. */
  logo: string | null;
}

interface CheckoutParts {
  database: Database;
  payments: PaymentService;
  catalogue: Catalogue;
  router: PaymentRouter;
  tokens: LinkTokens;
  topups: TopupService;
  house: HouseAccounts;
  stepUps: StepUps;
  profiles: ProfileSeal;
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
      .first('organizations.name as seller', 'page_themes.name', 'accent', 'ground', 'logo_digest as logo');
    const { seller, name, accent, ground, logo } = row;
    return { name: seller, theme: { name, accent, ground }, logo };
  }

  /** Whose wallet a top-up is for, in letters that tell no stranger more: `A… L…`. Throws `not_found` for one who is gone. */
  async walletOwner(link: PaymentLinkRow): Promise<string> {
    const { database, profiles } = this.parts;
    const customer = await database.tenant(link.tenant_id, (trx) => findCustomer(trx, link.customer_id!));
    const { customerName } = profiles.open(customer) as CustomerRecord;
    return customerName
      .trim()
      .split(/\s+/)
      .map((part) => `${[...part][0] ?? ''}…`)
      .join(' ');
  }

  bill(link: PaymentLinkRow): Promise<Bill> {
    return readBill(this.parts.database, link);
  }

  /** A picture of something on the bill, small, as WebP. Throws `not_found`. */
  picture(link: PaymentLinkRow, imageId: string): Promise<Buffer> {
    return readPicture(this.parts.database, link, imageId);
  }

  /** The methods that serve a link, in the order of the catalogue; one stands for all cards, and one for all pages of others. None while the tenant is suspended. */
  async methods(link: PaymentLinkRow): Promise<Method[]> {
    const { catalogue, database, router } = this.parts;
    if (!(await isActiveTenant(database.system, link.tenant_id))) return [];
    const isTopup = link.purpose === 'topup';
    // The tenant itself takes what is for its wallets.
    const all = await catalogue.list(link.tenant_id, isTopup ? undefined : link.organization_id);
    const seen = new Set<PaymentKind>();
    return all.filter((method) => {
      const { kind, currencies, enabled, processor } = method;
      if (!enabled || !ON_PAGE[kind] || !router.serves(processor, kind)) return false;
      if (isTopup && kind !== 'card') return false;
      if (link.kinds && !link.kinds.includes(kind)) return false;
      if (currencies.length > 0 && !currencies.includes(link.currency)) return false;
      if ((kind === 'card' || kind === 'hosted_page') && seen.has(kind)) return false;
      seen.add(kind);
      return true;
    });
  }

  /** Whether a payment was accepted already. */
  async isKnown(link: PaymentLinkRow, paymentId: string): Promise<boolean> {
    const row = await this.parts.database.tenant(link.tenant_id, (trx) =>
      trx('payments').where({ id: paymentId, link_id: link.id }).first('id'),
    );
    return row !== undefined;
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
   * was sent), `tenant_suspended`, `out_of_stock`, `step_up_refused`, and what `PaymentService.create` and `TopupService.create` throw.
   */
  async pay(link: PaymentLinkRow, choice: Choice): Promise<PaymentRow> {
    const { payments, router, reservationMs } = this.parts;
    await requireActiveTenant(this.parts.database.system, link.tenant_id);
    const amountMinor = await this.amountOf(link, choice);
    if (link.purpose === 'topup') return this.topUp(link, choice, amountMinor);
    const { method, buyer, customerId, saved } = choice;
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
        storeCard: choice.storeCard && customerId !== undefined,
        browser: choice.browser,
        locale: choice.locale,
        instrument: choice.instrument,
        route,
        customer: { ...buyer, ...(customerId && { customerId }) },
      },
      card: choice.card,
      cardToken: saved?.cardId,
      mandate: choice.mandate,
      alongside: async (trx, payment) => {
        await this.useStepUp(trx, link, choice, payment);
        await claimForOrder(trx, link, payment, choice, new Date(Date.now() + reservationMs));
      },
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

  /** A payment into the wallet of a customer: the tenant takes it, as any top-up, and the seller of the link gets it. */
  private async topUp(link: PaymentLinkRow, choice: Choice, amountMinor: bigint): Promise<PaymentRow> {
    const { topups, house, router } = this.parts;
    const { tenant_id: tenantId, currency, organization_id: sellerId } = link;
    const { method, buyer, saved, requestId } = choice;
    const isOwner = choice.customerId === link.customer_id;
    if (saved && !isOwner) throw new DomainError('forbidden', 'A saved card tops up the wallet of its own customer');
    const { organizationId } = await house.of(tenantId);
    const wanted = { methodId: method.id, kind: method.kind, country: buyer.country, amountMinor, currency };
    const route = await router.choose(tenantId, organizationId, wanted, method.processor);
    const actor = { id: link.id, source: buyer.ipAddress ?? '', requestId };
    const { payment } = await topups.create(
      { tenantId, ...(isOwner && { customerId: link.customer_id! }), actor },
      {
        topupId: topupIdOf(choice.paymentId),
        tenantId,
        customerId: link.customer_id!,
        method,
        processor: route.processors[0]!,
        amountMinor,
        currency,
        captureMode: 'automatic',
        card: choice.card,
        savedCardId: saved?.cardId,
        payer: buyer,
        sellerId,
        linkId: link.id,
        details: {
          descriptor: (await this.seller(link)).name.slice(0, 64),
          notificationUrl: link.notification_url ?? undefined,
          returnUrl: choice.returnUrl,
          threeDS: 'auto',
          storeCard: choice.storeCard && isOwner,
          browser: choice.browser,
          locale: choice.locale,
          route,
        },
        alongside: async (trx, accepted) => {
          await this.useStepUp(trx, link, choice, accepted);
          await claimLink(trx, link);
          await keepAnswers(trx, link, accepted, choice);
        },
        requestId,
      },
    );
    return payment;
  }

  /** What a buyer is to pay, in minor units. Throws `invalid_request` for an amount outside the span of the link. */
  async amountOf(link: PaymentLinkRow, choice: Pick<Choice, 'amountMinor'>): Promise<bigint> {
    return (await this.bill(link)).totalMinor ?? chosenAmount(link, choice);
  }

  /** What a customer confirms who pays by this link with a saved card. */
  async actOf(link: PaymentLinkRow, customerId: string, amountMinor: bigint): Promise<Act> {
    const { tenant_id: tenantId, currency, organization_id: id } = link;
    const { name } = await this.seller(link);
    return { tenantId, customerId, purpose: PURPOSES[link.purpose], amountMinor, currency, payee: { id, name } };
  }

  private async useStepUp(
    trx: Knex.Transaction,
    link: PaymentLinkRow,
    { saved, customerId }: Choice,
    payment: PaymentRow,
  ): Promise<void> {
    if (!saved) return;
    if (!customerId) throw new DomainError('forbidden', 'Only a customer who has signed in pays with a saved card');
    const act = await this.actOf(link, customerId, payment.amount_minor);
    await this.parts.stepUps.consume(trx, act, saved.stepUpId, payment.id);
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

const PURPOSES: Record<PaymentLinkRow['purpose'], Act['purpose']> = { payment: 'card_payment', topup: 'topup' };

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

function chosenAmount(
  { amount_min_minor, amount_max_minor }: PaymentLinkRow,
  { amountMinor = 0n }: Pick<Choice, 'amountMinor'>,
): bigint {
  if (amountMinor < amount_min_minor! || amountMinor > amount_max_minor!)
    refuse('amount', 'is not in the span of the link');
  return amountMinor;
}
