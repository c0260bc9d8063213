import type Stripe from 'stripe';
import type { AuthorizeRequest, CardData } from '../../../domain/connector';

/** Parameters of `POST /v1/payment_methods`. Hold the card number: never log them. */
export function cardParameters(card: CardData, payer: AuthorizeRequest['payer']): Stripe.PaymentMethodCreateParams {
  return {
    type: 'card',
    card: {
      number: card.number,
      exp_month: Number(card.expiryMonth),
      exp_year: Number(card.expiryYear),
      ...(card.cvv ? { cvc: card.cvv } : {}),
    },
    billing_details: {
      name: card.holder,
      ...(payer?.email ? { email: payer.email } : {}),
      ...(payer?.country ? { address: { country: payer.country } } : {}),
    },
  };
}

/** Parameters of `POST /v1/payment_intents/{id}/confirm`: the issuer wants 3-D Secure for what it was asked without. */
export function confirmation(
  { reference, returnUrl }: AuthorizeRequest,
  paymentMethod: string,
  otherwise: string,
): Stripe.PaymentIntentConfirmParams {
  return {
    payment_method: paymentMethod,
    payment_method_options: { card: { request_three_d_secure: 'challenge' } },
    error_on_requires_action: false,
    return_url: withReference(returnUrl ?? otherwise, reference),
  };
}

/** Parameters of `POST /v1/payment_intents`: made and confirmed in one call. */
export function paymentParameters(
  request: AuthorizeRequest,
  amount: number,
  paymentMethod: string,
  returnUrl: string,
): Stripe.PaymentIntentCreateParams {
  const { reference, money, recurring, threeDS } = request;
  const payerIsThere = !recurring || recurring.initial;
  const suffix = descriptorSuffix(request.descriptor);
  return {
    amount,
    currency: money.currency.toLowerCase(),
    confirm: true,
    capture_method: request.capture ? 'automatic' : 'manual',
    payment_method: paymentMethod,
    allowed_payment_method_types: ['card'],
    payment_method_options: {
      card: { request_three_d_secure: threeDS === 'required' ? 'challenge' : 'automatic' },
    },
    // A challenge that nobody asked for is a refusal then, instead of a payment that waits for its payer.
    error_on_requires_action: threeDS === 'none',
    metadata: { reference },
    ...(payerIsThere
      ? { return_url: withReference(request.returnUrl ?? returnUrl, reference) }
      : { off_session: true }),
    ...(recurring?.initial ? { setup_future_usage: 'off_session' as const } : {}),
    ...(suffix ? { statement_descriptor_suffix: suffix } : {}),
  };
}

function withReference(returnUrl: string, reference: string): string {
  const url = new URL(returnUrl);
  url.searchParams.set('paymentId', reference);
  return url.href;
}

/** What Stripe allows on a card statement: 22 characters, none of `<>\'"*`, and a letter among them. */
function descriptorSuffix(descriptor: string | undefined): string | undefined {
  const text = descriptor
    ?.replaceAll(/[<>\\'"*]|[^\x20-\x7e]/g, '')
    .slice(0, 22)
    .trim();
  return text && /[A-Za-z]/.test(text) ? text : undefined;
}
