import type { Knex } from 'knex';
import { notFound, refuse } from '../../domain/errors';
import { accountsOfWallet, balanceAt, turnoverOf } from '../../money/ledger/wallet-entries';
import type { Access, Depth, SharedAccount } from './access';
import { type AmountOf, type CreditDebit, signed } from './present';
import type { Booked } from './transactions';

/** A statement as the standard shows it (OBStatement2): one for each calendar month, in UTC. */
export interface StatementInformation {
  AccountId: string;
  StatementId: string;
  /** `Interim`: the month is not over, or has only just ended. */
  Type: 'RegularPeriodic' | 'Interim';
  StartDateTime: string;
  EndDateTime: string;
  CreationDateTime: string;
  /** With detail alone. */
  StatementAmount?: StatementAmount[];
}

type StatementAmount = {
  Type: 'UK.OBIE.StartingBalance' | 'UK.OBIE.ClosingBalance' | 'UK.OBIE.TotalCredits' | 'UK.OBIE.TotalDebits';
  CreditDebitIndicator: CreditDebit;
  Amount: AmountOf;
};

/** From `start` on, before `end`. */
export interface Month {
  id: string;
  start: Date;
  end: Date;
  /** Ends now, for it is not over. */
  isRunning: boolean;
  /** Nothing can be booked in it any more. */
  isClosed: boolean;
}

/** What was booked at the end of a month may be seen a moment later. */
const CLOSED_AFTER_MS = 60_000;

/**
 * The months of an account, newest first, from that in which it was opened. Those that lie outside the sharing dates of the
 * consent, even in part, are left out: the sums of a month would tell what is not shared. Throws `invalid_request` for a
 * `from` after `to`.
 */
export async function monthsOf(
  trx: Knex.Transaction,
  { sharingFrom, sharingTo }: Access,
  { account_id }: SharedAccount,
  { from, to }: Booked,
  now: Date,
): Promise<Month[]> {
  if (from && to && from > to) refuse('fromStatementDateTime', 'must not be after toStatementDateTime');
  const { created_at } = await trx('ledger_accounts')
    .where({ id: String(account_id) })
    .first('created_at');
  const months: Month[] = [];
  for (let month = monthAt(now, now); month.end > created_at; month = monthAt(new Date(month.start.getTime() - 1), now))
    months.push(month);
  const begins = [from, sharingFrom].filter((one) => one instanceof Date);
  const ends = [to, sharingTo].filter((one) => one instanceof Date);
  return months.filter(({ start, end }) => begins.every((one) => start >= one) && ends.every((one) => end <= one));
}

/** The month of a statement that may be seen. Throws `not_found`. */
export async function monthNamed(
  trx: Knex.Transaction,
  access: Access,
  account: SharedAccount,
  statementId: string,
  now: Date,
): Promise<Month> {
  const month = (await monthsOf(trx, access, account, {}, now)).find(({ id }) => id === statementId);
  if (!month) throw notFound('statement');
  return month;
}

/** The statement of a month. The sums are read for `detail` alone. */
export async function readStatement(
  trx: Knex.Transaction,
  { customerId }: Access,
  { account_id, currency }: SharedAccount,
  { id, start, end, isClosed }: Month,
  depth: Depth,
): Promise<StatementInformation> {
  const shown: StatementInformation = {
    AccountId: String(account_id),
    StatementId: id,
    Type: isClosed ? 'RegularPeriodic' : 'Interim',
    StartDateTime: start.toISOString(),
    EndDateTime: end.toISOString(),
    CreationDateTime: end.toISOString(),
  };
  if (depth === 'basic') return shown;
  const accounts = await accountsOfWallet(trx, { customerId, currency });
  const { balance: opening } = await balanceAt(trx, accounts, { at: start, id: 0n });
  const { credits, debits } = await turnoverOf(trx, accounts, start, end);
  const sum = (Type: StatementAmount['Type'], minor: bigint): StatementAmount => ({ Type, ...signed(minor, currency) });
  return {
    ...shown,
    StatementAmount: [
      sum('UK.OBIE.StartingBalance', opening),
      sum('UK.OBIE.TotalCredits', credits),
      sum('UK.OBIE.TotalDebits', -debits),
      // Follows from the others, so that they agree whatever is booked meanwhile.
      sum('UK.OBIE.ClosingBalance', opening + credits - debits),
    ],
  };
}

function monthAt(at: Date, now: Date): Month {
  const [year, month] = [at.getUTCFullYear(), at.getUTCMonth()];
  const [start, next] = [new Date(Date.UTC(year, month)), new Date(Date.UTC(year, month + 1))];
  const isRunning = next > now;
  const isClosed = next.getTime() + CLOSED_AFTER_MS <= now.getTime();
  return { id: start.toISOString().slice(0, 7), start, end: isRunning ? now : next, isRunning, isClosed };
}
