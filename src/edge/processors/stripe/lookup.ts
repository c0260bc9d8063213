import type Stripe from 'stripe';
import type { PaymentTrace } from '../../../domain/connector';
import { failureOf } from './failure';
import { idOf, readPaymentIntent } from './wire';

/** Stripe's clock and ours, and what lies between writing down that we send and sending. */
const CLOCK_MARGIN_S = 120;
/** Twenty pages. An account that makes more payments than this in a few minutes answers by search alone. */
const MOST_LISTED = 2_000;

export type Located =
  | { kind: 'found'; id: string }
  | { kind: 'not_found' }
  | { kind: 'not_charged'; detail: string }
  | { kind: 'unknown'; detail: string };

/**
 * Stripe's id of a payment of ours. Usually it has told us. Where its answer was lost, the payment is searched for by our
 * reference in its metadata; but a search may be behind by a minute, in an outage by an hour, so finding nothing there
 * proves nothing. The list of payments is never behind (docs.stripe.com/search, "Data freshness"): only one that was read
 * from the last send to now makes it `not_found`.
 */
export async function locate(stripe: Stripe, reference: string, trace: PaymentTrace = {}): Promise<Located> {
  if (trace.processorReference) return { kind: 'found', id: trace.processorReference };
  const found = await searched(stripe, reference);
  if (found) return found;
  if (!trace.sentAt) return { kind: 'unknown', detail: 'Stripe’s search does not know the payment yet' };
  return listed(stripe, reference, trace.sentAt);
}

/** Undefined: it is not there, or there is no search (accounts in India have none). */
async function searched(stripe: Stripe, reference: string): Promise<Located | undefined> {
  try {
    const { data } = await stripe.paymentIntents.search({ query: `metadata['reference']:'${quoted(reference)}'` });
    if (!Array.isArray(data)) return { kind: 'unknown', detail: "Stripe's answer cannot be read" };
    const id = idOf(data.find((value) => readPaymentIntent(value)?.reference === reference));
    return id === undefined ? undefined : { kind: 'found', id };
  } catch (error) {
    const failure = failureOf(error);
    return failure.kind === 'not_charged' || failure.kind === 'unknown' ? failure : undefined;
  }
}

async function listed(stripe: Stripe, reference: string, sentAt: Date): Promise<Located> {
  const since = Math.floor(sentAt.getTime() / 1_000) - CLOCK_MARGIN_S;
  let seen = 0;
  try {
    for await (const value of stripe.paymentIntents.list({ created: { gte: since }, limit: 100 })) {
      if (readPaymentIntent(value)?.reference === reference) return { kind: 'found', id: value.id };
      seen += 1;
      if (seen >= MOST_LISTED) return { kind: 'unknown', detail: 'too many payments since to look through at Stripe' };
    }
    return { kind: 'not_found' };
  } catch (error) {
    const failure = failureOf(error);
    return failure.kind === 'not_charged' || failure.kind === 'unknown'
      ? failure
      : { kind: 'unknown', detail: 'Stripe does not list its payments' };
  }
}

/** Our references hold nothing that would need it. */
function quoted(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll("'", "\\'");
}
