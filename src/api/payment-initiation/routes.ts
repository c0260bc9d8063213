import { idFromUuid } from '../../domain/ids';
import { refuseByStandard } from '../../open-banking/obie-error';
import type { PaymentRecord } from '../../open-banking/payments/initiation';
import {
  presentBankPayment,
  presentFunds,
  presentPaymentConsent,
  presentPaymentDetails,
} from '../../open-banking/payments/present';
import type { BankPayments } from '../../open-banking/payments/service';
import type { RequestContext } from '../server/context';
import { canonicalJson } from '../server/middleware/body';
import type { Idempotency } from '../server/middleware/idempotency';
import { type Answer, type Entrance, type Route, route } from '../server/route';
import {
  type ConsentParams,
  consentAnswer,
  consentBody,
  consentParams,
  detailsAnswer,
  fundsAnswer,
  type PaymentBody,
  type PaymentParams,
  paymentAnswer,
  paymentBody,
  paymentParams,
} from './schema';

const BASE = '/open-banking/2.0.0';
const CONSENTS = `${BASE}/domestic-payment-consents`;
const PAYMENTS = `${BASE}/domestic-payments`;

export interface PaymentInitiationDependencies {
  bankPayments: BankPayments;
  idempotency: Pick<Idempotency, 'run'>;
  /** Base address of the entrance, for links. */
  authUrl: string;
}

const common = { area: 'Payment initiation', roles: ['tpp'] as const };
const entrance = { scope: 'payments', errors: 'obie', signed: true } as const;
const ofProvider = { ...entrance, token: 'client' } satisfies Entrance;
const ofConsent = { ...entrance, token: 'consent' } satisfies Entrance;

/** Payment Initiation of UK Open Banking 3.1.11: consents to one payment each, and these payments. */
export function paymentInitiationRoutes(deps: PaymentInitiationDependencies): Route[] {
  return [...consentRoutes(deps), ...paymentRoutes(deps)];
}

function consentRoutes({ bankPayments, idempotency, authUrl }: PaymentInitiationDependencies): Route[] {
  const selfOf = (consentId: string) => `${authUrl}${CONSENTS}/${consentId}`;
  return [
    route<PaymentRecord>({
      ...common,
      method: 'POST',
      path: CONSENTS,
      entrance: { ...ofProvider, idempotent: true },
      summary: 'Ask for a payment',
      description:
        'Writes down what the customer is to be asked. Both accounts must be accounts of this bank in the currency of the ' +
        'payment. Whoever serves several tenants names one in the header `tenantId`.',
      body: consentBody,
      responses: { 201: { description: 'Waits for its customer', schema: consentAnswer } },
      handler: (ctx) =>
        once(idempotency, ctx, async (seed) => {
          const consent = await bankPayments.createConsent({
            consentId: idFromUuid('consent', seed),
            tppId: ctx.tpp.id,
            tenantId: tenantIn(ctx),
            record: ctx.body,
            by: actorOf(ctx),
          });
          return { status: 201, body: presentPaymentConsent(consent, selfOf(consent.id)) };
        }),
    }),
    route<unknown, unknown, ConsentParams>({
      ...common,
      method: 'GET',
      path: `${CONSENTS}/{ConsentId}`,
      entrance: ofProvider,
      summary: 'Read a consent to pay',
      params: consentParams,
      responses: { 200: { description: 'The consent', schema: consentAnswer } },
      async handler({ tpp, params }) {
        const consent = await bankPayments.findConsent(tpp.id, params.ConsentId);
        return { status: 200, body: presentPaymentConsent(consent, selfOf(consent.id)) };
      },
    }),
    route<unknown, unknown, ConsentParams>({
      ...common,
      method: 'GET',
      path: `${CONSENTS}/{ConsentId}/funds-confirmation`,
      entrance: ofConsent,
      summary: 'Ask whether the account covers the payment',
      description: 'Only while the consent is `Authorised`. Counts the fee of the tenant, where the payer bears one.',
      params: consentParams,
      responses: { 200: { description: 'Whether it does at this moment', schema: fundsAnswer } },
      async handler({ consent, params: { ConsentId } }) {
        const isCovered = await bankPayments.hasFunds(consent, ConsentId);
        return { status: 200, body: presentFunds(isCovered, `${selfOf(ConsentId)}/funds-confirmation`) };
      },
    }),
  ];
}

function paymentRoutes({ bankPayments, idempotency, authUrl }: PaymentInitiationDependencies): Route[] {
  const selfOf = (paymentId: string) => `${authUrl}${PAYMENTS}/${paymentId}`;
  return [
    route<PaymentBody>({
      ...common,
      method: 'POST',
      path: PAYMENTS,
      entrance: { ...ofConsent, idempotent: true },
      summary: 'Make the payment of a consent',
      description:
        '`Initiation` and `Risk` are those of the consent. The consent is consumed, once. A payment that must not be made ' +
        'is `Rejected` before money moves: its payment details say why, such as `AM04` for too little money.',
      body: paymentBody,
      responses: { 201: { description: 'Made, or rejected', schema: paymentAnswer } },
      handler: (ctx) =>
        once(idempotency, ctx, async (seed) => {
          const { Data, Risk } = ctx.body;
          if (Data.ConsentId !== ctx.consent.id)
            refuseByStandard(
              'UK.OBIE.Resource.ConsentMismatch',
              'The access token is for another consent',
              'Data.ConsentId',
            );
          const payment = await bankPayments.pay({
            paymentId: idFromUuid('domesticPayment', seed),
            tppId: ctx.tpp.id,
            consentId: Data.ConsentId,
            initiation: Data.Initiation,
            risk: Risk,
            by: actorOf(ctx),
          });
          return { status: 201, body: presentBankPayment(payment, selfOf(payment.id)) };
        }),
    }),
    route<unknown, unknown, PaymentParams>({
      ...common,
      method: 'GET',
      path: `${PAYMENTS}/{DomesticPaymentId}`,
      entrance: ofProvider,
      summary: 'Read a payment',
      description:
        '`AcceptedSettlementInProcess` while the payee has yet to accept it, then `AcceptedSettlementCompleted` or `Rejected`.',
      params: paymentParams,
      responses: { 200: { description: 'The payment', schema: paymentAnswer } },
      async handler({ tpp, params }) {
        const payment = await bankPayments.find(tpp.id, params.DomesticPaymentId);
        return { status: 200, body: presentBankPayment(payment, selfOf(payment.id)) };
      },
    }),
    route<unknown, unknown, PaymentParams>({
      ...common,
      method: 'GET',
      path: `${PAYMENTS}/{DomesticPaymentId}/payment-details`,
      entrance: ofProvider,
      summary: 'Read where the money of a payment is, or why it was rejected',
      params: paymentParams,
      responses: { 200: { description: 'Its transfer', schema: detailsAnswer } },
      async handler({ tpp, params }) {
        const payment = await bankPayments.find(tpp.id, params.DomesticPaymentId);
        return { status: 200, body: presentPaymentDetails(payment, `${selfOf(payment.id)}/payment-details`) };
      },
    }),
  ];
}

type Context = RequestContext<unknown, unknown, unknown>;

/** Runs a request once per key of its third party. The same key with another body is refused, as the standard says. */
function once(
  idempotency: Pick<Idempotency, 'run'>,
  ctx: Context,
  handler: (seed: string) => Promise<Answer>,
): Promise<Answer> {
  // The entrance has checked it.
  const key = String(ctx.headers['x-idempotency-key']);
  const request = canonicalJson([ctx.method, ctx.path, tenantIn(ctx), ctx.body]);
  return idempotency.run({ clientId: ctx.tpp.id, path: ctx.path, key }, request, handler);
}

function tenantIn({ headers }: Context): string | undefined {
  const { tenantid } = headers;
  return typeof tenantid === 'string' ? tenantid : undefined;
}

function actorOf({ tpp, source, requestId }: Context) {
  return { id: tpp.id, source, requestId };
}
