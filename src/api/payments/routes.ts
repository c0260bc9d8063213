import Joi from 'joi';
import { RESULT_DESCRIPTIONS, type ResultCode } from '../../domain/result-codes';
import { listAttempts } from '../../money/payments/attempt-list';
import { noting } from '../../money/payments/noting';
import type { PaymentRow, RefundRow } from '../../money/payments/payment';
import { isRunning, presentPayment, presentRefund } from '../../money/payments/present';
import type { PaymentService } from '../../money/payments/service';
import { paymentById, paymentByTransactionId } from '../../money/payments/visible';
import { type AmountBody, cancelBody, captureBody, refundBody } from '../records/amount-body';
import { attemptSchema } from '../records/attempt';
import { envelopeSchema } from '../records/payment';
import { refundSchema } from '../records/refund';
import { actorOf } from '../server/actor';
import { amountOf } from '../server/amount';
import { listOf } from '../server/conventions';
import { type Route, route } from '../server/route';
import { paymentDetailRoutes } from './detail-routes';
import { type PaymentListDependencies, paymentListRoutes } from './list-routes';
import { eventSchema, type PaymentParams, paymentParams, statusByTransactionBody } from './schema';
import { scopeOf } from './scope';

const BASE = '/ipg/1.0.0/payment/payments';
const AREA = 'Payments';

export interface PaymentDependencies extends PaymentListDependencies {
  payments: PaymentService;
}

/** Payments: status, list, timeline, attempts, capture, cancellation and refund; and the method catalogue. */
export function paymentRoutes(deps: PaymentDependencies): Route[] {
  const { payments, database, catalogue } = deps;
  const common = {
    area: AREA,
    roles: ['merchant', 'tenant_admin', 'ops'] as const,
    identity: 'organizationId' as const,
  };
  const acting = { ...common, roles: ['merchant', 'tenant_admin'] as const, idempotent: true, optionalBody: true };
  const found = { 200: { description: 'The payment', schema: envelopeSchema } };
  const enveloped = (payment: PaymentRow, extra: object = {}) => ({ data: { ...presentPayment(payment), ...extra } });

  return [
    route<{ transactionId: string }>({
      ...common,
      method: 'POST',
      path: `${BASE}/status-by-transaction-id`,
      summary: 'Payment status by merchant transaction id',
      body: statusByTransactionBody,
      responses: found,
      handler: async (ctx) => ({
        status: 200,
        body: enveloped(await paymentByTransactionId(database, scopeOf(ctx), ctx.body.transactionId)),
      }),
    }),
    route<unknown, unknown, PaymentParams>({
      ...common,
      method: 'GET',
      path: `${BASE}/{paymentId}/status-by-payment-id`,
      summary: 'Payment status by payment id',
      params: paymentParams,
      responses: found,
      handler: async (ctx) => ({
        status: 200,
        body: enveloped(await paymentById(database, scopeOf(ctx), ctx.params.paymentId)),
      }),
    }),
    route<AmountBody, unknown, PaymentParams>({
      ...acting,
      method: 'POST',
      path: `${BASE}/{paymentId}/refund`,
      summary: 'Refund a payment',
      description:
        'Without a body we refund everything that is left. The payment changes when the refund has succeeded.',
      params: paymentParams,
      body: refundBody,
      responses: {
        201: { description: 'The refund succeeded or was declined', schema: envelopeSchema },
        202: { description: 'The processor is working on the refund', schema: envelopeSchema },
      },
      handler: async (ctx) => {
        const scope = scopeOf(ctx);
        const { payment, refund } = await payments.refund(scope, {
          refundId: ctx.resourceId('refund'),
          tenantId: scope.tenantId,
          organizationId: scope.organizationId,
          paymentId: ctx.params.paymentId,
          amountFor: amountOf(ctx.body),
          reason: ctx.body.reason,
          note: noting(actorOf(ctx), 'payment.refund'),
        });
        const status = refund.status === 'pending' ? 202 : 201;
        return { status, body: enveloped(payment, { refund: presentRefund(refund) }) };
      },
    }),
    route<AmountBody, unknown, PaymentParams>({
      ...acting,
      method: 'POST',
      path: `${BASE}/{paymentId}/capture`,
      summary: 'Capture an authorized payment',
      description: 'You can capture at most the authorized amount. The rest is released.',
      params: paymentParams,
      body: captureBody,
      responses: {
        200: { description: 'The payment is captured', schema: envelopeSchema },
        202: { description: 'The processor has not answered yet', schema: envelopeSchema },
      },
      handler: async (ctx) => {
        const payment = await payments.capture(scopeOf(ctx), ctx.params.paymentId, {
          operationId: ctx.resourceId('capture'),
          amountFor: amountOf(ctx.body),
          note: noting(actorOf(ctx), 'payment.capture'),
        });
        return { status: payment.status === 'authorized' ? 202 : 200, body: enveloped(payment) };
      },
    }),
    route<unknown, unknown, PaymentParams>({
      ...acting,
      method: 'POST',
      path: `${BASE}/{paymentId}/cancel`,
      summary: 'Cancel a payment before its capture',
      params: paymentParams,
      body: cancelBody,
      responses: {
        200: { description: 'The payment is cancelled', schema: envelopeSchema },
        202: { description: 'The processor has not answered yet', schema: envelopeSchema },
      },
      handler: async (ctx) => {
        const payment = await payments.cancel(scopeOf(ctx), ctx.params.paymentId, {
          operationId: ctx.resourceId('cancellation'),
          note: noting(actorOf(ctx), 'payment.cancel'),
        });
        const running = isRunning(payment) || payment.status === 'authorized';
        return { status: running ? 202 : 200, body: enveloped(payment) };
      },
    }),
    route<unknown, unknown, PaymentParams>({
      ...common,
      method: 'GET',
      path: `${BASE}/{paymentId}/events`,
      summary: 'The timeline of a payment: every step with its cause and time',
      params: paymentParams,
      responses: { 200: { description: 'Oldest first', schema: listOf(eventSchema) } },
      handler: async (ctx) => {
        const payment = await payments.byId(scopeOf(ctx), ctx.params.paymentId);
        const events = await database.tenant(ctx.tenantId, (trx) =>
          trx('payment_events').where({ payment_id: payment.id }).orderBy('id'),
        );
        return { status: 200, body: { data: [acceptedEvent(payment), ...events.map(presentEvent)], nextCursor: null } };
      },
    }),
    route<unknown, unknown, PaymentParams>({
      ...common,
      method: 'GET',
      path: `${BASE}/{paymentId}/attempts`,
      summary: 'The attempts of a payment: each processor tried, with what was asked of it and what became of that',
      params: paymentParams,
      responses: { 200: { description: 'In the order in which they were made', schema: listOf(attemptSchema) } },
      handler: async (ctx) => {
        const payment = await payments.byId(scopeOf(ctx), ctx.params.paymentId);
        const data = await database.tenant(ctx.tenantId, (trx) => listAttempts(trx, payment));
        return { status: 200, body: { data, nextCursor: null } };
      },
    }),
    route<unknown, unknown, PaymentParams>({
      ...common,
      method: 'GET',
      path: `${BASE}/{paymentId}/refunds`,
      summary: 'The refunds of a payment',
      params: paymentParams,
      responses: { 200: { description: 'Newest first', schema: listOf(refundSchema) } },
      handler: async (ctx) => {
        const payment = await payments.byId(scopeOf(ctx), ctx.params.paymentId);
        const refunds: RefundRow[] = await database.tenant(ctx.tenantId, (trx) =>
          trx('refunds').where({ payment_id: payment.id }).orderBy('id', 'desc'),
        );
        return { status: 200, body: { data: refunds.map(presentRefund), nextCursor: null } };
      },
    }),
    ...paymentListRoutes(deps),
    ...paymentDetailRoutes(deps),
    route({
      method: 'GET',
      path: '/payments/methods',
      area: AREA,
      summary: 'The method catalogue',
      roles: ['merchant', 'tenant_admin', 'ops'],
      responses: { 200: { description: 'Every payment method', schema: listOf(methodSchema) } },
      handler: async (ctx) => {
        const methods = await catalogue.list(ctx.principal.tenantId ?? '', ctx.organizationIdIfAny);
        const data = methods.map(({ processor, ...method }) => ({ ...method, processor }));
        return { status: 200, body: { data, nextCursor: null } };
      },
    }),
  ];
}

const methodSchema = Joi.object({
  id: Joi.number().integer().required(),
  kind: Joi.string().required(),
  brand: Joi.string().required(),
  name: Joi.string().required(),
  processor: Joi.string().required(),
  countries: Joi.array().items(Joi.string()).required().description('If empty, every country'),
  currencies: Joi.array().items(Joi.string()).required().description('If empty, every currency'),
  enabled: Joi.boolean().required(),
});

/** The first entry of a timeline. It is made from the payment's own row. */
function acceptedEvent(payment: PaymentRow) {
  return {
    to: 'initiated',
    result: { code: 100, description: RESULT_DESCRIPTIONS[100] },
    cause: 'request',
    detail: payment.request.route
      ? `Accepted; routed to ${payment.request.route.processors.map((p) => `processor ${p}`).join(', then ')} by ${payment.request.route.reason}.`
      : 'Accepted; on its way to the processor.',
    at: payment.created_at,
  };
}

function presentEvent(event: {
  from_status: string;
  to_status: string;
  result_code: ResultCode;
  cause: string;
  detail: string;
  at: Date;
}) {
  return {
    from: event.from_status,
    to: event.to_status,
    result: { code: event.result_code, description: RESULT_DESCRIPTIONS[event.result_code] },
    cause: event.cause,
    detail: event.detail,
    at: event.at,
  };
}
