import { setTimeout as sleep } from 'node:timers/promises';
import Router from '@koa/router';
import Joi from 'joi';
import type { Context } from 'koa';
import { koaBody } from 'koa-body';
import { formatAmount, isCurrency, parseAmount } from '../../domain/money';
import type { Books } from './books';
import type { CallbackSender } from './callbacks';
import { CALL_FAULTS, FAULT_TARGETS, type FaultOrder, type Faults, SETTLEMENT_FAULTS } from './faults';
import { type Notice, noticeOf, refundNoticeOf } from './notice';
import type { Desk, Personality } from './personality';
import { type CardChange, type Charge, makeId, paymentStatusOf, type SentTransfer, type Transfer } from './records';

const EVENTS = [
  'authorized',
  'captured',
  'settled',
  'refunded',
  'refund_declined',
  'failed',
  'charged_back',
  'second_presentment',
  'chargeback_won',
  'chargeback_lost',
  'card_updated',
  'card_closed',
] as const;

interface CallbackOrder {
  reference: string;
  event: (typeof EVENTS)[number];
  forge: boolean;
  repeat: number;
  delayMs: number;
  amount?: string;
  currency: string;
  /** On `card_updated`: the issuer has given the card another number. */
  newNumber: boolean;
  expiryMonth?: string;
  expiryYear?: string;
}

function currencyOr(fallback: string): Joi.StringSchema {
  return Joi.string()
    .default(fallback)
    .custom((code: string, helpers) =>
      isCurrency(code) ? code : helpers.message({ custom: '"currency" is unknown' }),
    );
}

const faultSchema = Joi.object<FaultOrder>({
  on: Joi.valid(...FAULT_TARGETS).required(),
  fault: Joi.when('on', {
    is: 'settlement',
    then: Joi.valid(...SETTLEMENT_FAULTS),
    otherwise: Joi.valid(...CALL_FAULTS),
  }).required(),
  times: Joi.number().integer().min(1).max(100_000).default(1),
  delayMs: Joi.number()
    .integer()
    .min(0)
    .max(600_000)
    .default((order: FaultOrder) => (order.fault === 'delay' ? 1_000 : 0)),
  reference: Joi.string().max(255),
});

const callbackSchema = Joi.object<CallbackOrder>({
  reference: Joi.string().min(1).max(255).required(),
  event: Joi.valid(...EVENTS).required(),
  forge: Joi.boolean().default(false),
  repeat: Joi.number().integer().min(1).max(1_000).default(1),
  delayMs: Joi.number().integer().min(0).max(60_000).default(0),
  amount: Joi.string().max(24),
  currency: currencyOr('EUR'),
  newNumber: Joi.boolean().default(false),
  expiryMonth: Joi.string().pattern(/^(0[1-9]|1[0-2])$/),
  expiryYear: Joi.string().pattern(/^\d{4}$/),
});

const transferSchema = Joi.object<{ iban: string; amount: string; currency: string; text: string; payerName?: string }>(
  {
    iban: Joi.string().min(1).max(64).required(),
    amount: Joi.string().max(24).required(),
    currency: currencyOr('EUR'),
    text: Joi.string().allow('').max(500).default(''),
    payerName: Joi.string().max(140),
  },
);

const listSchema = Joi.object<{ reference?: string; limit: number; cursor?: string; after?: string }>({
  reference: Joi.string().max(255),
  limit: Joi.number().integer().min(1).max(1_000).default(50),
  cursor: Joi.string().max(64),
  // In the order of the references, from the first one after this.
  after: Joi.string().allow('').max(255),
});

/** A request to the control endpoints that cannot be understood: 400. */
export class InvalidOrder extends Error {
  override readonly name = 'InvalidOrder';

  constructor(readonly details: { field: string; message: string }[]) {
    super(details.map(({ field, message }) => (field ? `${field}: ${message}` : message)).join('; '));
  }
}

/** What the control endpoints need of one processor. */
export type Controlled = Pick<Desk, 'processor' | 'charges' | 'payers' | 'disputes' | 'transfers' | 'sentTransfers'> &
  Pick<Personality, 'announceCardChange' | 'takesTransfers' | 'sendsTransfers'>;

/** Reads a JSON body. Throws InvalidOrder when it is none. */
export function orderBody(): ReturnType<typeof koaBody> {
  return koaBody({
    urlencoded: false,
    text: false,
    jsonLimit: '64kb',
    onError: () => {
      throw new InvalidOrder([{ field: '', message: 'the body is not JSON' }]);
    },
  });
}

interface Control {
  processors: ReadonlyMap<string, Controlled>;
  books: Books;
  faults: Faults;
  callbacks: CallbackSender;
}

/** What a test or a person tells the simulator: `/sim/processors/{p}/charges`, `/faults`, `/callbacks`. */
export function controlRouter({ processors, books, faults, callbacks }: Control): Router {
  const router = new Router({ prefix: '/sim/processors/:p' });
  const json = orderBody();
  const chosen = (ctx: Context & { params: Record<string, string> }) => {
    const found = processors.get(ctx.params.p ?? '');
    if (!found) ctx.throw(404, 'this processor is not simulated');
    return found as NonNullable<typeof found>;
  };

  router.get('/charges', (ctx) => {
    const { processor } = chosen(ctx);
    const { reference, limit, cursor, after } = validated(listSchema, ctx.query);
    if (after !== undefined) {
      const references = books.referencesAfter(processor, after, limit);
      const charges = references.flatMap((each) => books.charges(processor, each));
      const nextAfter = references.length === limit ? references.at(-1) : null;
      ctx.body = { data: charges.map((charge) => presentCharge(books, charge)), nextAfter };
      return;
    }
    if (reference) {
      ctx.body = { data: books.charges(processor, reference).map((charge) => presentCharge(books, charge)) };
      return;
    }
    const all = [...books.all('charge')].filter((charge) => charge.processor === processor).reverse();
    const start = cursor ? all.findIndex(({ id }) => id === cursor) + 1 : 0;
    const page = all.slice(start, start + limit);
    const nextCursor = start + limit < all.length ? (page.at(-1)?.id ?? null) : null;
    ctx.body = { data: page.map((charge) => presentCharge(books, charge)), nextCursor };
  });

  router.post('/faults', json, (ctx) => {
    const { processor } = chosen(ctx);
    ctx.status = 201;
    ctx.body = faults.order(processor, validated(faultSchema, ctx.request.body));
  });
  router.get('/faults', (ctx) => {
    ctx.body = { data: faults.list(chosen(ctx).processor) };
  });
  router.delete('/faults', (ctx) => {
    faults.clear(chosen(ctx).processor);
    ctx.status = 204;
  });

  router.post('/callbacks', json, async (ctx) => {
    const found = chosen(ctx);
    const order = validated(callbackSchema, ctx.request.body);
    const amountMinor = amountOf(order);
    if (order.delayMs > 0) await sleep(order.delayMs);
    const { event } = order;
    ctx.status = 201;
    ctx.body =
      event === 'card_updated' || event === 'card_closed'
        ? await announce(order, found, books, callbacks)
        : await callbacks.sendNow(noticeFor({ ...order, event }, amountMinor, found, books), order);
  });

  const accountsOf = (ctx: Context & { params: Record<string, string> }) => {
    const { takesTransfers, transfers } = chosen(ctx);
    return takesTransfers ? transfers : ctx.throw(404, 'this processor has no accounts');
  };
  router.post('/transfers', json, (ctx) => {
    const transfers = accountsOf(ctx);
    const { amount, ...order } = validated(transferSchema, ctx.request.body);
    const amountMinor = amountOf({ amount, currency: order.currency })!;
    if (amountMinor <= 0n) throw new InvalidOrder([{ field: 'amount', message: 'must be more than zero' }]);
    ctx.status = 201;
    ctx.body = presentTransfer(transfers.arrive({ ...order, amountMinor }).transfer);
  });
  router.get('/transfers', (ctx) => {
    ctx.body = { data: accountsOf(ctx).list().map(presentTransfer) };
  });

  const sentBy = (ctx: Context & { params: Record<string, string> }) => {
    const { sendsTransfers, sentTransfers } = chosen(ctx);
    return sendsTransfers ? sentTransfers : ctx.throw(404, 'this processor sends no transfers');
  };
  router.get('/payouts', (ctx) => {
    const { reference } = validated(listSchema, ctx.query);
    ctx.body = {
      data: sentBy(ctx)
        .list(reference)
        .map((sent) => presentSentTransfer(books, sent)),
    };
  });
  router.post('/payouts/:reference/return', (ctx) => {
    ctx.status = 201;
    ctx.body = presentSentTransfer(books, sentBy(ctx).giveBack(ctx.params.reference ?? ''));
  });
  return router;
}

/** Writes down what the issuer has done with a card, and announces it. */
async function announce(
  { reference, event, newNumber, expiryMonth, expiryYear, ...options }: CallbackOrder,
  { processor, announceCardChange }: Controlled,
  books: Books,
  callbacks: CallbackSender,
) {
  if (!announceCardChange) throw new InvalidOrder([{ field: 'event', message: 'is none that this processor has' }]);
  const change: CardChange = {
    id: makeId('upd'),
    processor,
    reference,
    kind: event === 'card_closed' ? 'closed' : newNumber ? 'replaced' : 'renewed',
    expiryMonth: expiryMonth ?? '12',
    expiryYear: expiryYear ?? String(new Date().getUTCFullYear() + 4),
  };
  if (!options.forge) books.save('cardChange', change);
  return callbacks.sendRendered(processor, (secret) => announceCardChange(change, secret), options);
}

type PaymentEvent = Exclude<CallbackOrder['event'], 'card_updated' | 'card_closed'>;
type PaymentOrder = CallbackOrder & { event: PaymentEvent };

/** What the callback says: what the books know of the payment, and otherwise what the order says. */
function noticeFor(
  order: PaymentOrder,
  amountMinor: bigint | undefined,
  { processor, ...chosen }: Controlled,
  books: Books,
): Notice {
  const given = amountMinor === undefined ? {} : { amountMinor, currency: order.currency };
  const refund =
    books.refund(processor, order.reference) ??
    books
      .charges(processor, order.reference)
      .flatMap((charge) => books.refundsOf(charge))
      .at(-1);
  if ((order.event === 'refunded' || order.event === 'refund_declined') && refund) {
    if (!order.forge) chosen.charges.changeRefund(refund, order.event === 'refunded' ? 'refunded' : 'declined');
    return { ...refundNoticeOf(order.event, refund), ...given };
  }
  const charge = books.charge(processor, order.reference);
  if (!charge)
    return {
      eventId: makeId('evt'),
      processor,
      event: order.event,
      reference: order.reference,
      paymentReference: order.reference,
      processorReference: makeId(`p${processor}`),
      amountMinor: amountMinor ?? 100n,
      currency: order.currency,
      reason: reasonFor(order),
      caseId: isOfDispute(order.event) ? makeId('case') : undefined,
      occurredAt: new Date().toISOString(),
    };
  const booked = order.forge ? undefined : book(order, amountMinor, chosen, charge);
  return { ...noticeOf(order.event, charge), reason: reasonFor(order), ...booked, ...given };
}

/** What is said of a dispute, or becomes of a payment without a card, is real in the processor's books; a forger books nothing. */
function book(
  order: PaymentOrder,
  amountMinor: bigint | undefined,
  { charges, payers, disputes }: Omit<Controlled, 'processor'>,
  charge: Charge,
) {
  switch (order.event) {
    case 'charged_back':
      return charges.chargeBack(charge, amountMinor);
    case 'second_presentment':
    case 'chargeback_won':
    case 'chargeback_lost':
      return disputes.step(charge, order.event);
    case 'captured':
    case 'authorized':
    case 'failed':
      payers.settleElsewhere(charge, order.event);
      return undefined;
    default:
      return undefined;
  }
}

function isOfDispute(event: PaymentEvent): boolean {
  return event === 'second_presentment' || event.startsWith('charge');
}

function reasonFor({ event }: PaymentOrder): string | undefined {
  if (event === 'failed') return 'do_not_honour';
  return event === 'charged_back' ? 'goods_not_received' : undefined;
}

function amountOf({ amount, currency }: Pick<CallbackOrder, 'amount' | 'currency'>): bigint | undefined {
  if (amount === undefined) return undefined;
  try {
    return parseAmount(amount, currency);
  } catch (error) {
    throw new InvalidOrder([{ field: 'amount', message: (error as Error).message }]);
  }
}

function presentTransfer({ id: transferId, amountMinor, processor: _, ...transfer }: Transfer) {
  return { transferId, amount: formatAmount(amountMinor, transfer.currency), ...transfer };
}

function presentSentTransfer(books: Books, sent: SentTransfer) {
  const { processor: _, amountMinor, ...transfer } = sent;
  return { ...transfer, amount: formatAmount(amountMinor, sent.currency), requests: books.requestsOf(sent) };
}

function presentCharge(books: Books, charge: Charge) {
  const { currency } = charge;
  return {
    reference: charge.reference,
    idempotencyKey: charge.idempotencyKey,
    amount: formatAmount(charge.amountMinor, currency),
    currency,
    status: paymentStatusOf(charge),
    captured: formatAmount(charge.capturedMinor, currency),
    refunded: formatAmount(charge.refundedMinor, currency),
    requests: books.requestsOf(charge),
    exemption: charge.exemption,
    refusedExemption: charge.refusedExemption,
  };
}

/** The order in a query or a body. Throws InvalidOrder with every bad field. */
export function validated<T>(schema: Joi.ObjectSchema<T>, input: unknown): T {
  const { value, error } = schema.validate(input ?? {}, { abortEarly: false, convert: typeof input === 'object' });
  if (!error) return value;
  throw new InvalidOrder(
    error.details.map(({ path, message }) => ({ field: path.join('.'), message: message.replaceAll('"', '') })),
  );
}
