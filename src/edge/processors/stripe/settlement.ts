import type Stripe from 'stripe';
import { ProcessorUnavailable, type SettlementLine, type SettlementReport } from '../../../domain/connector';
import { asObject, type Fields, isText } from '../reading';
import { readAmount } from './amounts';
import { failureOf } from './failure';
import { wholeList } from './listing';
import { lineKind } from './status';
import { idOf, metadataOf, readDispute, readPaymentIntent, readRefund } from './wire';

/** Most balance transactions of one payout. */
const MOST_LINES = 100_000;
/** Most payouts of one list. */
const MOST_PAYOUTS = 10_000;
/** A payout is listed by when it was made; it is paid days after, never this many seconds. */
const LONGEST_ON_ITS_WAY_S = 30 * 86_400;

/** Ids of the payouts paid since then that say what they are made of, oldest first. Throws ProcessorUnavailable. */
export function settlementBatches(stripe: Stripe, since: string): Promise<string[]> {
  return available('settlement list', async () => {
    const made = Math.max(0, Math.floor(Date.parse(since) / 1_000) - LONGEST_ON_ITS_WAY_S);
    const listed = stripe.payouts.list({ created: { gte: made }, status: 'paid', limit: 100 });
    const payouts = await wholeList(listed, MOST_PAYOUTS);
    if (!payouts) throw new ProcessorUnavailable('too many payouts');
    const ids = payouts.map(asObject).flatMap((payout) => {
      if (!isText(payout?.id)) throw new ProcessorUnavailable('a payout cannot be read');
      return payout.reconciliation_status === 'completed' ? [payout.id] : [];
    });
    return ids.reverse();
  });
}

/**
 * What a payout pays: its balance transactions, as far as they are about payments, in the currency of the payout. A batch
 * is a payout; Stripe says of automatic ones alone what they are made of, others have no lines. Throws
 * ProcessorUnavailable.
 */
export function settlementReport(stripe: Stripe, batchId: string): Promise<SettlementReport> {
  return available('settlement report', async () => {
    const payout = asObject(await stripe.payouts.retrieve(batchId));
    if (payout?.id !== batchId || typeof payout.created !== 'number')
      throw new ProcessorUnavailable('the payout cannot be read');
    const { created, reconciliation_status: status } = payout;
    if (status === 'in_progress') throw new ProcessorUnavailable('Stripe still puts the payout together');
    const lines = status === 'not_applicable' ? [] : await linesOf(stripe, batchId);
    return { batchId, closedAt: new Date(created * 1_000).toISOString(), lines };
  });
}

async function linesOf(stripe: Stripe, payout: string): Promise<SettlementLine[]> {
  const listed = stripe.balanceTransactions.list({ payout, limit: 100, expand: ['data.source'] });
  const transactions = await wholeList(listed, MOST_LINES);
  if (!transactions) throw new ProcessorUnavailable('the payout has too many lines');
  const payments = new PaymentNames(stripe);
  const lines: SettlementLine[] = [];
  for (const transaction of transactions) {
    const line = await readLine(asObject(transaction) ?? {}, payments);
    if (line) lines.push(line);
  }
  return lines;
}

/** Whatever goes wrong while Stripe is read is ProcessorUnavailable: the same can be asked again. */
async function available<T>(what: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof ProcessorUnavailable) throw new ProcessorUnavailable(`${what}: ${error.message}`);
    const failure = failureOf(error);
    throw new ProcessorUnavailable(`${what}: ${'detail' in failure ? failure.detail : failure.kind}`);
  }
}

/** Undefined for a line that is about no payment. A report is taken whole or not at all: throws where one is unreadable. */
async function readLine(fields: Fields, payments: PaymentNames): Promise<SettlementLine | undefined> {
  const { id, reporting_category: category } = fields;
  if (!isText(id) || !isText(category)) throw new ProcessorUnavailable('a balance transaction cannot be read');
  const kind = lineKind(category);
  if (!kind) return undefined;
  const money = readAmount(fields.amount, fields.currency);
  const fee = readAmount(fields.fee, fields.currency);
  if (!money || !fee) throw new ProcessorUnavailable(`the amount of ${id} cannot be read`);
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
    if (!payment) throw new ProcessorUnavailable(`${paymentIntent} cannot be read`);
    return payment.reference;
  }
}
