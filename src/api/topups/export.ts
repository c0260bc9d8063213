import { presentTopup } from '../../money/payments/present-topup';
import type { Topup } from '../../money/payments/topup';
import type { Column } from '../server/csv';

type Cells = ReturnType<typeof presentTopup> & { amounts: Record<string, string>; card: Record<string, string> };

const cell =
  (choose: (record: Cells) => unknown) =>
  (topup: Topup): unknown =>
    choose(presentTopup(topup) as Cells);

/** The columns of the export of top-ups. */
export const EXPORT_COLUMNS: readonly Column<Topup>[] = [
  ['topupId', cell(({ topupId }) => topupId)],
  ['customerId', cell(({ customerId }) => customerId)],
  ['status', cell(({ status }) => status)],
  ['currency', cell(({ currency }) => currency)],
  ['amount', cell(({ amount }) => amount)],
  ['fee', cell(({ fee }) => fee)],
  ['netAmount', cell(({ netAmount }) => netAmount)],
  ['captured', cell(({ amounts }) => amounts.captured)],
  ['refunded', cell(({ amounts }) => amounts.refunded)],
  ['feeReturned', cell(({ amounts }) => amounts.feeReturned)],
  ['chargedBack', cell(({ amounts }) => amounts.chargedBack)],
  ['paymentBrand', cell(({ paymentBrand }) => paymentBrand)],
  ['last4Digits', cell(({ card }) => card.last4Digits)],
  ['resultCode', cell(({ result }) => (result as { code: number }).code)],
  ['createdAt', cell(({ createdAt }) => createdAt)],
  ['settledAt', cell(({ settledAt }) => settledAt)],
  ['linkId', cell(({ linkId }) => linkId)],
  ['sellerId', cell(({ sellerId }) => sellerId)],
];
