import Joi from 'joi';
import { formatAmount } from '../../domain/money';
import type { Database } from '../../foundation/db/database';
import { RECEIPT_STATUSES, type ReceiptRow, type ReceiptStatus } from '../../money/payments/receipt';
import { instant, listOf, pageOf, paging } from '../server/conventions';
import { type Route, route } from '../server/route';

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

/** Late money, and how it goes back. */
export function opsRoutes({ database }: { database: Database }): Route[] {
  return [
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
