import Joi from 'joi';
import { formatAmount } from '../../domain/money';
import { moneyOf } from '../../edge/callbacks/inbox';
import { type ReportedRow, reportsOf } from '../../edge/callbacks/of-payment';
import type { Database } from '../../foundation/db/database';
import { ACTS, type Act, actsOn } from '../../money/payments/acts';
import { EFFECTS, entriesOf, type PaymentEntry } from '../../money/payments/entries';
import { receiptOf } from '../../money/payments/payer-receipt';
import type { PaymentRow } from '../../money/payments/payment';
import type { PaymentService } from '../../money/payments/service';
import { currency, instant, listOf, type Paging, pageOf, paging } from '../server/conventions';
import { PDF, pdfAnswer } from '../server/pdf';
import { type Route, route } from '../server/route';
import { type PaymentParams, paymentParams } from './schema';
import { READING, scopeOf } from './scope';

const BASE = '/ipg/1.0.0/payment/payments/{paymentId}';

export interface PaymentDetailDependencies {
  payments: PaymentService;
  database: Database;
}

const money = () => Joi.string().example('10.00');

const actSchema = Joi.object({
  act: Joi.string()
    .valid(...ACTS)
    .required(),
  allowed: Joi.boolean().required(),
  maxAmount: money().description('The most that it can be about. Present if it is allowed'),
  currency: currency().required(),
  code: Joi.string().description('The code of the error that it would answer now'),
  reason: Joi.string().description('Why it is not allowed, in one sentence'),
});

const entrySchema = Joi.object({
  entryId: Joi.string().required(),
  bookedAt: instant().required(),
  meaning: Joi.string().required().description('What happened, in one sentence'),
  effect: Joi.string()
    .valid(...EFFECTS)
    .required()
    .description(
      'What it does to the money of whom the payment is for. `hold` and `release` move nothing: they set money apart and end that',
    ),
  amount: money().required(),
  currency: currency().required(),
  reference: Joi.string().required().description('The payment, refund, dispute or late receipt that it is about'),
  debitAccount: Joi.string().required().example('provider_receivable').description('Kind of the account that gives'),
  creditAccount: Joi.string().required().example('merchant_payable').description('Kind of the account that gets'),
});

const reportSchema = Joi.object({
  callbackId: Joi.string().required(),
  processor: Joi.string().required(),
  type: Joi.string().required().example('captured').description('What the processor told, in our words'),
  processorStatus: Joi.string().allow('').description('The same in the words of the processor'),
  amount: money().description('The amount that the processor named'),
  currency: currency(),
  state: Joi.string()
    .valid('stored', 'applied', 'ignored', 'unmatched', 'flagged')
    .required()
    .description(
      '`stored`: not handled yet. `applied`: it has been taken in. `ignored`: it changed nothing. `unmatched`: it waits for ' +
        'what it is about. `flagged`: an operator looks at it',
    ),
  note: Joi.string().description('Why it changed nothing, or what is wrong with it'),
  receivedAt: instant().required(),
  handledAt: instant(),
});

/** Everything about one payment beside its status: what may be done, what was booked, what processors told. */
export function paymentDetailRoutes({ payments, database }: PaymentDetailDependencies): Route[] {
  const common = { ...READING, params: paymentParams };
  return [
    route<unknown, unknown, PaymentParams>({
      ...common,
      path: `${BASE}/acts`,
      summary: 'What may be done with a payment now: capture, cancel, refund',
      description:
        'By the rules that the act itself follows. It can change until you act. A refund of a top-up also needs the ' +
        'money to be in the wallet.',
      responses: { 200: { description: 'Each act, with its limit or the reason why not', schema: listOf(actSchema) } },
      handler: async (ctx) => {
        const payment = await payments.byId(scopeOf(ctx), ctx.params.paymentId);
        const acts = await database.tenant(ctx.tenantId, (trx) => actsOn(trx, payment));
        return { status: 200, body: { data: acts.map((act) => presentAct(act, payment)), nextCursor: null } };
      },
    }),
    route<unknown, unknown, PaymentParams>({
      ...common,
      path: `${BASE}/entries`,
      summary: 'What the ledger has of a payment, its refunds and its disputes',
      responses: { 200: { description: 'Oldest first', schema: listOf(entrySchema) } },
      handler: async (ctx) => {
        const payment = await payments.byId(scopeOf(ctx), ctx.params.paymentId);
        const entries = await database.tenant(ctx.tenantId, (trx) => entriesOf(trx, payment));
        return { status: 200, body: { data: entries.map(presentEntry), nextCursor: null } };
      },
    }),
    route<unknown, Paging, PaymentParams>({
      ...common,
      path: `${BASE}/callbacks`,
      summary: 'What processors told about a payment and its refunds',
      query: Joi.object<Paging>(paging()),
      responses: { 200: { description: 'Newest first', schema: listOf(reportSchema) } },
      handler: async (ctx) => {
        const payment = await payments.byId(scopeOf(ctx), ctx.params.paymentId);
        const rows = await reportsOf(database, payment, ctx.query);
        const page = pageOf(rows, ctx.query.limit, ({ id }) => id);
        return { status: 200, body: { ...page, data: page.data.map(presentReport) } };
      },
    }),
    route<unknown, unknown, PaymentParams>({
      ...common,
      path: `${BASE}/receipt`,
      summary: 'Receipt of a payment and its refunds, as PDF',
      description: 'The answer is 409 for a payment that took no money.',
      errors: [409],
      responses: { 200: { description: 'The receipt', contentType: PDF } },
      handler: async (ctx) => {
        const payment = await payments.byId(scopeOf(ctx), ctx.params.paymentId);
        const receipt = await database.tenant(ctx.tenantId, (trx) => receiptOf(trx, payment));
        return pdfAnswer(`receipt-${payment.id}`, receipt);
      },
    }),
  ];
}

function presentAct({ act, mostMinor, refusal }: Act, { currency: code }: PaymentRow) {
  return {
    act,
    allowed: mostMinor !== undefined,
    maxAmount: mostMinor === undefined ? undefined : formatAmount(mostMinor, code),
    currency: code,
    code: refusal?.code,
    reason: refusal?.message,
  };
}

function presentEntry(entry: PaymentEntry) {
  return {
    entryId: `${entry.id}`,
    bookedAt: entry.at,
    meaning: entry.meaning,
    effect: entry.effect,
    amount: formatAmount(entry.amountMinor, entry.currency),
    currency: entry.currency,
    reference: entry.reference,
    debitAccount: entry.debit,
    creditAccount: entry.credit,
  };
}

function presentReport(row: ReportedRow) {
  const told = moneyOf(row.event);
  return {
    callbackId: row.id,
    processor: row.processor,
    type: row.type,
    processorStatus: row.event.processorStatus,
    amount: told && formatAmount(told.amountMinor, told.currency),
    currency: told?.currency,
    state: row.state,
    note: row.note ?? undefined,
    receivedAt: row.received_at,
    handledAt: row.handled_at ?? undefined,
  };
}
