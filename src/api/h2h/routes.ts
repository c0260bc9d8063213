import { DomainError, refuse } from '../../domain/errors';
import { parseAmount } from '../../domain/money';
import type { DeviceWalletTokens } from '../../edge/device-wallets/device-wallet-tokens';
import type { OutboundGuard } from '../../foundation/outbound/guard';
import type { PaymentOrder } from '../../money/payments/accept';
import type { PaymentRequestDetails } from '../../money/payments/payment';
import { isRunning, presentPayment } from '../../money/payments/present';
import type { PaymentService } from '../../money/payments/service';
import type { Catalogue, Method } from '../../money/routing/catalogue';
import type { PaymentRouter } from '../../money/routing/router';
import type { Terminals } from '../../people/identity/terminals';
import { envelopeSchema } from '../records/payment';
import { actorOf } from '../server/actor';
import type { RequestContext } from '../server/context';
import { type Route, route } from '../server/route';
import { chooseTerminal } from '../server/terminal';
import { instrumentOf } from './instrument';
import { DOCUMENTED_RANGES } from './paths';
import { type H2hBody, h2hBody, h2hParams } from './schema';

export interface H2hDependencies {
  payments: PaymentService;
  catalogue: Catalogue;
  terminals: Terminals;
  router: PaymentRouter;
  wallets: Pick<DeviceWalletTokens, 'open'>;
  outbound: OutboundGuard;
}

/** Host-to-host payments: one call creates the payment and sends it to the processor. */
export function h2hRoutes(deps: H2hDependencies): Route[] {
  async function pay(ctx: RequestContext<H2hBody, unknown, { id: string }>) {
    const { body } = ctx;
    const refusal = body.notificationUrl && deps.outbound.refusal(body.notificationUrl);
    if (refusal) refuse('notificationUrl', refusal);
    const method = await chooseMethod(deps.catalogue, ctx, body);
    const terminalId = await chooseTerminal(deps.terminals, ctx);
    const { organizationId } = ctx;
    const money = { amountMinor: parseAmount(body.amount, body.currency), currency: body.currency };
    const { instrument, card, walletToken, mandate } = instrumentOf(method, body, {
      openWallet: (wallet, token) => deps.wallets.open(wallet, token, { merchantId: organizationId, money }),
      mandateId: () => ctx.resourceId('mandate'),
    });
    const country = body.apm?.country ?? body.customer?.country;
    const wanted = { methodId: method.id, kind: method.kind, country, ...money };
    const route = await deps.router.choose(ctx.tenantId, organizationId, wanted, method.processor);
    const order: PaymentOrder = {
      paymentId: ctx.resourceId('payment'),
      tenantId: ctx.tenantId,
      organizationId,
      terminalId,
      merchantTransactionId: body.merchantTransactionId,
      method,
      processor: route.processors[0]!,
      ...money,
      captureMode: body.capture,
      details: { ...detailsOf(body), instrument, route },
      card,
      walletToken,
      cardToken: body.cardToken,
      mandate,
      requestId: ctx.requestId,
      keyClaim: ctx.keyClaim,
      by: actorOf(ctx),
    };
    const payment = await deps.payments.create(order);
    return { status: isRunning(payment) ? 202 : 201, body: { data: presentPayment(payment) } };
  }

  return [
    route<H2hBody, unknown, { id: string }>({
      method: 'POST',
      path: '/payments/h2h/{id}',
      area: 'Host-to-host payments',
      summary: 'Take a payment',
      description:
        'The path names a payment method of the catalogue, or a documented range of methods. In a range, `methodId` ' +
        'chooses the method; the default is the first one. 1-9 are cards, 27 redirect and 43 voucher methods, 30 and ' +
        '31 UPI, 48-51 and 56-59 device-wallet tokens of the first kind (ECv2), 44-47 and 52-55 of the second kind ' +
        '(EC_v1), 60 QR code, 61 bank transfer, 62 SEPA direct debit, 63 crypto, 64 and 65 hosted pages. Each kind ' +
        'has its own member in the body. The answer is 201 with the outcome, which may be a decline, or 202 while ' +
        'the payer or the processor has to act (`data.action`).',
      roles: ['merchant'],
      identity: 'organizationId',
      params: h2hParams,
      body: h2hBody,
      idempotent: 'claims',
      responses: {
        201: { description: 'The outcome', schema: envelopeSchema },
        202: { description: 'The payment is accepted, but not finished', schema: envelopeSchema },
      },
      handler: pay,
    }),
  ];
}

/** The payment method that a path names. In a range, `methodId` chooses it. */
async function chooseMethod(
  catalogue: Catalogue,
  { tenantId, organizationId, params }: RequestContext<H2hBody, unknown, { id: string }>,
  body: H2hBody,
): Promise<Method> {
  const segment = params.id;
  const range = DOCUMENTED_RANGES[segment] ?? (/^[1-9]\d{0,3}$/.test(segment) ? [Number(segment)] : undefined);
  if (!range) throw unknownMethod();
  const id = body.methodId ?? range[0]!;
  if (!range.includes(id)) refuse('methodId', 'does not belong to this path');
  const method = await catalogue.find(tenantId, id, organizationId);
  if (!method) throw unknownMethod();
  if (!method.enabled) throw new DomainError('method_not_enabled', `This payment method is not enabled. ${CATALOGUE}`);
  if (method.currencies.length > 0 && !method.currencies.includes(body.currency))
    throw new DomainError(
      'currency_not_supported',
      `This payment method does not take this currency. It takes ${method.currencies.join(', ')}. ${CATALOGUE}`,
    );
  return method;
}

const CATALOGUE = 'GET /payments/methods lists the methods with their currencies.';

function unknownMethod(): DomainError {
  return new DomainError('not_found', `There is no such payment method. ${CATALOGUE}`);
}

function detailsOf(body: H2hBody): PaymentRequestDetails {
  const { descriptor, remark, notificationUrl, returnUrl, recurring, browser, customer } = body;
  return {
    descriptor,
    remark,
    notificationUrl,
    returnUrl,
    threeDS: body.threeDS ?? 'auto',
    storeCard: body.storeCard ?? false,
    recurring,
    browser,
    customer,
  };
}
