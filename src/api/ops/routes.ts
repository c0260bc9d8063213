import Joi from 'joi';
import { formatAmount } from '../../domain/money';
import type { Database } from '../../foundation/db/database';
import { RECEIPT_STATUSES, type ReceiptRow, type ReceiptStatus } from '../../money/payments/receipt';
import { instant, listOf, pageOf, paging } from '../server/conventions';
import { type Route, route } from '../server/route';

const STATES = ['stored', 'applied', 'ignored', 'unmatched', 'flagged'] as const;

interface InboxQuery {
  limit: number;
  cursor?: string;
  state?: string;
  reference?: string;
}

const callbackSchema = Joi.object({
  callbackId: Joi.string().required(),
  processor: Joi.string().required(),
  receiver: Joi.string().required(),
  eventId: Joi.string().required(),
  reference: Joi.string().allow('').required(),
  type: Joi.string().required(),
  state: Joi.string()
    .valid(...STATES)
    .required(),
  note: Joi.string(),
  receivedAt: instant().required(),
});

const receiptSchema = Joi.object({
  receiptId: Joi.string().required(),
  paymentId: Joi.string().required(),
  organizationId: Joi.string().required(),
  processor: Joi.string().required(),
  amount: Joi.string().required(),
  currency: Joi.string().required(),
  taken: Joi.boolean().required().description('False: the processor only holds it'),
  status: Joi.string()
    .valid(...RECEIPT_STATUSES)
    .required(),
  detail: Joi.string().required(),
  returnReference: Joi.string().required().description('The processor knows the return by this reference'),
  createdAt: instant().required(),
  updatedAt: instant().required(),
  reviewSince: instant(),
});

interface ReceiptsQuery {
  limit: number;
  cursor?: string;
  paymentId?: string;
  status?: ReceiptStatus;
}

/** What operators read in addition to the engine's UI. */
export function opsRoutes({ database }: { database: Database }): Route[] {
  return [
    route<unknown, InboxQuery>({
      method: 'GET',
      path: '/ops/1.0.0/callbacks',
      area: 'Operations',
      summary: 'The callback inbox: each callback and its outcome, newest first',
      roles: ['ops'],
      query: Joi.object({ ...paging(), state: Joi.string().valid(...STATES), reference: Joi.string().max(100) }),
      responses: { 200: { description: 'A page of callbacks', schema: listOf(callbackSchema) } },
      handler: async (ctx) => {
        const { limit, cursor, state, reference } = ctx.query;
        const query = database
          .ops('callback_inbox')
          .orderBy('id', 'desc')
          .limit(limit + 1);
        if (cursor) query.where('id', '<', cursor);
        if (state) query.where({ state });
        if (reference) query.where({ reference });
        const page = pageOf(await query, limit, (row) => row.id);
        const data = page.data.map((row) => ({
          callbackId: row.id,
          processor: row.processor,
          receiver: row.receiver,
          eventId: row.event_id,
          reference: row.reference,
          type: row.type,
          state: row.state,
          note: row.note ?? undefined,
          receivedAt: row.received_at,
        }));
        return { status: 200, body: { ...page, data } };
      },
    }),
    route<unknown, ReceiptsQuery>({
      method: 'GET',
      path: '/ops/1.0.0/receipts',
      area: 'Operations',
      summary: 'Money that nobody asked for, and how it goes back, newest first',
      description:
        'A processor took or holds it after its payment had ended, or although another processor serves the payment.',
      roles: ['ops'],
      query: Joi.object({
        ...paging(),
        paymentId: Joi.string().max(100),
        status: Joi.string().valid(...RECEIPT_STATUSES),
      }),
      responses: { 200: { description: 'A page of receipts', schema: listOf(receiptSchema) } },
      handler: async (ctx) => {
        const { limit, cursor, paymentId, status } = ctx.query;
        const query = database
          .ops('unapplied_receipts')
          .orderBy('id', 'desc')
          .limit(limit + 1);
        if (cursor) query.where('id', '<', cursor);
        if (paymentId) query.where({ payment_id: paymentId });
        if (status) query.where({ status });
        const page = pageOf<ReceiptRow>(await query, limit, (row) => row.id);
        return { status: 200, body: { ...page, data: page.data.map(presentReceipt) } };
      },
    }),
  ];
}

function presentReceipt(receipt: ReceiptRow) {
  return {
    receiptId: receipt.id,
    paymentId: receipt.payment_id,
    organizationId: receipt.organization_id,
    processor: receipt.processor,
    amount: formatAmount(receipt.amount_minor, receipt.currency),
    currency: receipt.currency,
    taken: receipt.is_taken,
    status: receipt.status,
    detail: receipt.status_detail,
    returnReference: receipt.reference,
    createdAt: receipt.created_at,
    updatedAt: receipt.updated_at,
    reviewSince: receipt.review_since ?? undefined,
  };
}
