import Joi from 'joi';
import { refuseByStandard } from '../../open-banking/obie-error';
import type { PaymentKind, PaymentRecord } from '../../open-banking/payments/initiation';
import type { BankPayment } from '../../open-banking/payments/payment';
import {
  presentBankPayment,
  presentFunds,
  presentPaymentConsent,
  presentPaymentDetails,
  presentScheduledPayment,
} from '../../open-banking/payments/present';
import type { BankPayments } from '../../open-banking/payments/service';
import type { RequestContext } from '../server/context';
import { type Entrance, type Route, route } from '../server/route';
import {
  type ConsentParams,
  consentAnswer,
  consentBody,
  consentParams,
  detailsAnswer,
  fundsAnswer,
  PAYMENT_ANSWERS,
  type PaymentBody,
  paymentBody,
} from './schema';

const BASE = '/open-banking/2.0.0';

/** The two kinds of payments by the names of the standard. */
const OFFERS = {
  domestic: { consents: 'domestic-payment-consents', payments: 'domestic-payments', id: 'DomesticPaymentId' },
  scheduled: {
    consents: 'domestic-scheduled-payment-consents',
    payments: 'domestic-scheduled-payments',
    id: 'DomesticScheduledPaymentId',
  },
} as const satisfies Record<PaymentKind, object>;

export interface PaymentInitiationDependencies {
  bankPayments: BankPayments;
  /** Base address of the entrance, for links. */
  authUrl: string;
}

const common = { area: 'Payment initiation', roles: ['tpp'] as const };
const entrance = { scope: 'payments', errors: 'obie', signed: true } as const;
const ofProvider = { ...entrance, token: 'client' } satisfies Entrance;
const ofConsent = { ...entrance, token: 'consent' } satisfies Entrance;

/** Payment Initiation of UK Open Banking 3.1.11: consents to one payment each, and these payments. */
export function paymentInitiationRoutes(deps: PaymentInitiationDependencies): Route[] {
  const kinds = ['domestic', 'scheduled'] as const;
  return [...kinds.flatMap((kind) => [...consentRoutes(deps, kind), ...paymentRoutes(deps, kind)]), fundsRoute(deps)];
}

function consentRoutes({ bankPayments, authUrl }: PaymentInitiationDependencies, kind: PaymentKind): Route[] {
  const path = `${BASE}/${OFFERS[kind].consents}`;
  const selfOf = (consentId: string) => `${authUrl}${path}/${consentId}`;
  return [
    route<PaymentRecord>({
      ...common,
      method: 'POST',
      path,
      entrance: { ...ofProvider, idempotent: true },
      summary: kind === 'domestic' ? 'Ask for a payment' : 'Ask for a payment at a later time',
      description:
        'Writes down what the customer is to be asked. Both accounts must be accounts of this bank in the currency of the ' +
        'payment. Whoever serves several tenants names one in the header `tenantId`.',
      body: consentBody(kind),
      responses: { 201: { description: 'Waits for its customer', schema: consentAnswer(kind) } },
      async handler(ctx) {
        const consent = await bankPayments.createConsent({
          consentId: ctx.resourceId('consent'),
          tppId: ctx.tpp.id,
          tenantId: tenantIn(ctx),
          record: ctx.body,
          by: actorOf(ctx),
        });
        return { status: 201, body: presentPaymentConsent(consent, selfOf(consent.id)) };
      },
    }),
    route<unknown, unknown, ConsentParams>({
      ...common,
      method: 'GET',
      path: `${path}/{ConsentId}`,
      entrance: ofProvider,
      summary: kind === 'domestic' ? 'Read a consent to pay' : 'Read a consent to pay at a later time',
      params: consentParams,
      responses: { 200: { description: 'The consent', schema: consentAnswer(kind) } },
      async handler({ tpp, params }) {
        const consent = await bankPayments.findConsent(tpp.id, params.ConsentId, kind);
        return { status: 200, body: presentPaymentConsent(consent, selfOf(consent.id)) };
      },
    }),
  ];
}

function fundsRoute({ bankPayments, authUrl }: PaymentInitiationDependencies): Route {
  const path = `${BASE}/${OFFERS.domestic.consents}`;
  return route<unknown, unknown, ConsentParams>({
    ...common,
    method: 'GET',
    path: `${path}/{ConsentId}/funds-confirmation`,
    entrance: ofConsent,
    summary: 'Ask whether the account covers the payment',
    description: 'Only while the consent is `Authorised`. Counts the fee of the tenant, where the payer bears one.',
    params: consentParams,
    responses: { 200: { description: 'Whether it does at this moment', schema: fundsAnswer } },
    async handler({ consent, params: { ConsentId } }) {
      const isCovered = await bankPayments.hasFunds(consent, ConsentId);
      return { status: 200, body: presentFunds(isCovered, `${authUrl}${path}/${ConsentId}/funds-confirmation`) };
    },
  });
}

function paymentRoutes({ bankPayments, authUrl }: PaymentInitiationDependencies, kind: PaymentKind): Route[] {
  const { payments, id } = OFFERS[kind];
  const path = `${BASE}/${payments}`;
  const selfOf = (paymentId: string) => `${authUrl}${path}/${paymentId}`;
  const shown = (payment: BankPayment) => {
    const present = kind === 'domestic' ? presentBankPayment : presentScheduledPayment;
    return present(payment, selfOf(payment.id));
  };
  const params = Joi.object<Record<string, string>>({ [id]: Joi.string().max(128).required() });
  const ofPayment = { ...common, method: 'GET', entrance: ofProvider, params } as const;
  return [
    route<PaymentBody>({
      ...common,
      method: 'POST',
      path,
      entrance: { ...ofConsent, idempotent: true },
      summary: kind === 'domestic' ? 'Make the payment of a consent' : 'Schedule the payment of a consent',
      description:
        '`Initiation` and `Risk` are those of the consent. The consent is consumed, once. A payment that must not be made ' +
        `is \`${kind === 'domestic' ? 'Rejected' : 'InitiationFailed'}\`: its payment details say why, such as \`AM04\` for ` +
        'too little money.',
      body: paymentBody(kind),
      responses: { 201: { description: 'Taken, or refused', schema: PAYMENT_ANSWERS[kind] } },
      async handler(ctx) {
        const { Data, Risk } = ctx.body;
        if (Data.ConsentId !== ctx.consent.id)
          refuseByStandard(
            'UK.OBIE.Resource.ConsentMismatch',
            'The access token is for another consent',
            'Data.ConsentId',
          );
        const payment = await bankPayments.pay({
          paymentId: ctx.resourceId('domesticPayment'),
          kind,
          tppId: ctx.tpp.id,
          consentId: Data.ConsentId,
          initiation: Data.Initiation,
          risk: Risk,
          by: actorOf(ctx),
        });
        return { status: 201, body: shown(payment) };
      },
    }),
    route<unknown, unknown, Record<string, string>>({
      ...ofPayment,
      path: `${path}/{${id}}`,
      summary: kind === 'domestic' ? 'Read a payment' : 'Read a scheduled payment',
      responses: { 200: { description: 'The payment', schema: PAYMENT_ANSWERS[kind] } },
      async handler({ tpp, params: named }) {
        return { status: 200, body: shown(await bankPayments.find(tpp.id, named[id]!, kind)) };
      },
    }),
    route<unknown, unknown, Record<string, string>>({
      ...ofPayment,
      path: `${path}/{${id}}/payment-details`,
      summary: `Read where the money of a ${kind === 'domestic' ? '' : 'scheduled '}payment is, or why it was refused`,
      responses: { 200: { description: 'Its transfer', schema: detailsAnswer } },
      async handler({ tpp, params: named }) {
        const payment = await bankPayments.find(tpp.id, named[id]!, kind);
        return { status: 200, body: presentPaymentDetails(payment, `${selfOf(payment.id)}/payment-details`) };
      },
    }),
  ];
}

type Context = RequestContext<unknown, unknown, unknown>;

function tenantIn({ headers }: Context): string | undefined {
  const { tenantid } = headers;
  return typeof tenantid === 'string' ? tenantid : undefined;
}

function actorOf({ tpp, source, requestId }: Context) {
  return { id: tpp.id, source, requestId };
}
