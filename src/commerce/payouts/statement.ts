import { formatAmount } from '../../domain/money';
import type { Database } from '../../foundation/db/database';
import { type AccountRow, maskedIban } from './account';
import type { PayoutRow, StatementSums } from './payout';
import { PART } from './reckoning';

/** What a statement says of one heading; `amount` is signed. */
export interface StatementLine {
  name: StatementLineName;
  /** As people read it. */
  title: string;
  amount: string;
}

export type StatementLineName =
  | 'opening'
  | 'gross'
  | 'fees'
  | 'refunds'
  | 'disputes'
  | 'returnedPayouts'
  | 'other'
  | 'reserveHeld'
  | 'reserveReleased'
  | 'net'
  | 'closing';

/** A payout's statement, the same in every form. */
export interface PayoutStatement {
  payout: PayoutRow;
  seller: string;
  /** Masked; absent until the payout is sent. */
  account?: { iban: string; holder: string };
  lines: StatementLine[];
  /** Of the closing balance: what processors have yet to settle, and what refunds under way hold. */
  unsettled: string;
  refunding: string;
}

/** The lines from opening to closing balance: all between them add up to the difference. */
export function statementOf(payout: PayoutRow, seller: string, account?: AccountRow): PayoutStatement {
  const { currency } = payout;
  const line = (name: StatementLineName, title: string, minor: bigint) => ({
    name,
    title,
    amount: formatAmount(minor, currency),
  });
  return {
    payout,
    seller,
    ...(account && { account: { iban: maskedIban(account), holder: account.holder } }),
    lines: [
      line('opening', 'Opening balance', payout.opening_minor),
      line('gross', 'Payments', payout.gross_minor),
      line('fees', 'Fees', payout.fees_minor),
      line('refunds', 'Refunds', payout.refunds_minor),
      line('disputes', 'Disputes', payout.disputes_minor),
      line('returnedPayouts', 'Payouts that came back', payout.returned_minor),
      line('other', 'Other', payout.other_minor),
      line('reserveHeld', 'Held in reserve', -payout.reserve_held_minor),
      line('reserveReleased', 'Released from reserve', payout.reserve_released_minor),
      line('net', 'Paid out', -payout.amount_minor),
      line('closing', 'Closing balance', payout.closing_minor),
    ],
    unsettled: formatAmount(payout.unsettled_minor, currency),
    refunding: formatAmount(payout.refunding_minor, currency),
  };
}

/** One entry of a statement, in minor units: positive where it raises the balance. */
export interface PayoutEntry {
  id: bigint;
  at: Date;
  type: keyof StatementSums | 'payout' | 'reserve';
  /** The payment, refund, dispute or payout it belongs to. */
  reference: string;
  signedMinor: bigint;
}

const BATCH = 1_000;

/** Under what an entry `t` of the statement of `p` itself stands: the payout, and what goes into the reserve and out of it. */
const TYPE = `CASE WHEN o.kind = 'payout_clearing' AND starts_with(t.cause, :payoutId) THEN 'payout'
  WHEN o.kind = 'merchant_reserve' THEN 'reserve' ELSE ${PART} END`;

/** The entries of a statement, oldest first, batch by batch. */
export async function* entriesOf(database: Database, payout: PayoutRow): AsyncGenerator<PayoutEntry> {
  for (let after = 0n; ; ) {
    const { rows }: { rows: PayoutEntry[] } = await database.tenant(payout.tenant_id, (trx) =>
      trx.raw(
        `SELECT t.id, t.booked_at AS at, ${TYPE} AS type, split_part(t.cause, '/', 1) AS reference,
           CASE WHEN c.kind = 'merchant_payable' THEN t.amount_minor ELSE -t.amount_minor END AS "signedMinor"
         FROM payout_entries e JOIN ledger_transfers t ON t.id = e.transfer_id
         JOIN ledger_accounts c ON c.id = t.credit_account_id
         JOIN ledger_accounts o ON o.id = CASE WHEN c.kind = 'merchant_payable' THEN t.debit_account_id ELSE c.id END
         WHERE e.payout_id = :payoutId AND e.transfer_id > :after ORDER BY e.transfer_id LIMIT ${BATCH}`,
        { payoutId: payout.id, after: String(after) },
      ),
    );
    yield* rows;
    if (rows.length < BATCH) return;
    after = rows.at(-1)!.id;
  }
}
