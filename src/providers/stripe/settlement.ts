import type Stripe from 'stripe';
import { ProviderUnavailable, type SettlementLine, type SettlementReport } from '../connector';
import { asObject, type Fields, isText } from '../reading';
import { readAmount } from './amounts';
import { failureOf } from './failure';
import { lineKind } from './status';
import { idOf, metadataOf, readDispute, readPaymentIntent, readRefund } from './wire';

/** Most balance transactions of one payout. */
const MOST_LINES = 100_000;

/**
 * What a payout pays: its balance transactions, as far as they are about payments, in the currency of the payout. A batch
 * is a payout; Stripe says of automatic ones alone what they are made of. Throws ProviderUnavailable.
 */
export async function settlementReport(stripe: Stripe, batchId: string): Promise<SettlementReport> {
  try {
    const payout = asObject(await stripe.payouts.retrieve(batchId));
    if (payout?.id !== batchId || typeof payout.created !== 'number') throw unavailable('the payout cannot be read');
    if (payout.reconciliation_status === 'in_progress') throw unavailable('Stripe still puts the payout together');
    const listed = stripe.balanceTransactions.list({ payout: batchId, limit: 100, expand: ['data.source'] });
    const transactions = await listed.autoPagingToArray({ limit: MOST_LINES });
    if (transactions.length >= MOST_LINES) throw unavailable('the payout has too many lines');
    const payments = new PaymentNames(stripe);
    const lines: SettlementLine[] = [];
    for (const transaction of transactions) {
      const line = await readLine(asObject(transaction) ?? {}, payments);
      if (line) lines.push(line);
    }
    return { batchId, closedAt: new Date(payout.created * 1_000).toISOString(), lines };
  } catch (error) {
    if (error instanceof ProviderUnavailable) throw error;
    const failure = failureOf(error);
    throw unavailable('detail' in failure ? failure.detail : failure.kind);
  }
}

/** Undefined for a line that is about no payment. A report is taken whole or not at all: throws where one is unreadable. */
async function readLine(fields: Fields, payments: PaymentNames): Promise<SettlementLine | undefined> {
  const { id, reporting_category: category } = fields;
  if (!isText(id) || !isText(category)) throw unavailable('a balance transaction cannot be read');
  const kind = lineKind(category);
  if (!kind) return undefined;
  const money = readAmount(fields.amount, fields.currency);
  const fee = readAmount(fields.fee, fields.currency);
  if (!money || !fee) throw unavailable(`the amount of ${id} cannot be read`);
  const amountMinor = money.amountMinor < 0n ? -money.amountMinor : money.amountMinor;
  const names = await namesOf(kind, asObject(fields.source), payments, id);
  return { lineId: id, kind, ...names, money: { ...money, amountMinor }, feeMinor: fee.amountMinor };
}

/** Our names for what a line is about; Stripe's own where it is not ours, so that it shows as a difference. */
async function namesOf(
  kind: SettlementLine['kind'],
  source: Fields | undefined,
  payments: PaymentNames,
  lineId: string,
): Promise<{ reference: string; paymentReference: string }> {
  if (kind === 'capture') {
    const ours = source && metadataOf(source, 'reference');
    const paymentReference = ours ?? (await payments.of(idOf(source?.payment_intent))) ?? idOf(source) ?? lineId;
    return { reference: paymentReference, paymentReference };
  }
  if (kind === 'refund') {
    const refund = readRefund(source);
    const name = refund?.paymentReference ?? (await payments.of(refund?.paymentIntent));
    const reference = refund?.reference ?? refund?.id ?? lineId;
    return { reference, paymentReference: name ?? reference };
  }
  const dispute = readDispute(source);
  const paymentReference = (await payments.of(dispute?.paymentIntent)) ?? dispute?.id ?? lineId;
  return { reference: paymentReference, paymentReference };
}

/** Our ids of PaymentIntents, asked of Stripe where a line does not carry them. */
class PaymentNames {
  constructor(private readonly stripe: Stripe) {}

  async of(paymentIntent: string | undefined): Promise<string | undefined> {
    if (!paymentIntent) return undefined;
    const payment = readPaymentIntent(await this.stripe.paymentIntents.retrieve(paymentIntent));
    if (!payment) throw unavailable(`${paymentIntent} cannot be read`);
    return payment.reference;
  }
}

function unavailable(what: string): ProviderUnavailable {
  return new ProviderUnavailable(`settlement report: ${what}`);
}
