import type { Knex } from 'knex';
import { OWN_BANK } from '../../domain/connector';
import { newId } from '../../domain/ids';
import type { Database } from '../../foundation/db/database';
import type { Ledger } from '../../money/ledger/ledger';
import { suspend } from '../../money/suspense/arrival';
import type { BankAccountRow } from '../bank-statements/account';
import type { BankLineRow, BankStatementRow, Outcome } from '../bank-statements/statement';
import { entryBooked, opening } from './bookings';
import {
  type BankEntryRow,
  type Count,
  type Counting,
  countTowards,
  type EntryStatus,
  tellCounted,
  writeReceived,
} from './entry';
import { type Match, Matching } from './matching';
import { lockRequests } from './request';

export interface BookingStatements extends Counting {
  database: Pick<Database, 'system'>;
  ledger: Ledger;
}

/** Lines in one transaction: memory and locks stay small, however long the statement. */
const LINES = 200;

/**
 * Books the next lines of the oldest statement of an account that is not booked whole, in one transaction: each movement of an account once,
 * in whatever file and format it comes again. One account is booked by one process at a time. A process that dies leaves
 * whole batches behind. Answers how many lines it took; 0: there is nothing to do now. Runs as the system role.
 */
export async function bookStatements(deps: BookingStatements): Promise<number> {
  // Mostly there is nothing to do: one short statement, and no transaction, finds that out.
  const { system } = deps.database;
  if (!(await system('bank_statements').where({ status: 'stored' }).first('id'))) return 0;
  return system.transaction(async (trx) => {
    const due = await trx('bank_statements as s')
      .join('bank_accounts as a', 'a.id', 's.account_id')
      .where('s.status', 'stored')
      // Neither a long statement nor one that cannot be booked makes other accounts wait.
      .orderByRaw('random()')
      .forUpdate('a')
      .skipLocked()
      .first('a.id');
    if (!due) return 0;
    const account: BankAccountRow = await trx('bank_accounts').where({ id: due.id }).first();
    // Read once the account is locked: another process may have booked more of it meanwhile.
    const statement: BankStatementRow | undefined = await trx('bank_statements')
      .where({ account_id: account.id, status: 'stored' })
      .orderBy('id')
      .first();
    if (!statement) return 0;
    const lines: BankLineRow[] = await trx('bank_statement_lines')
      .where({ statement_id: statement.id })
      .where('number', '>', statement.booked_lines)
      .orderBy('number')
      .limit(LINES);
    await new StatementBooking(trx, deps, account, statement).book(lines);
    return Math.max(1, lines.length);
  });
}

/** What a line that nothing told of before comes to. */
interface Decision {
  line: BankLineRow;
  entry: BankEntryRow;
  /** Of a payer's money. */
  match?: Match;
  count?: Count;
}

class StatementBooking {
  /** The lines by what they came to. */
  private readonly outcomes = new Map<Outcome, string[]>();
  private readonly decisions: Decision[] = [];

  constructor(
    private readonly trx: Knex.Transaction,
    private readonly deps: BookingStatements,
    private readonly account: BankAccountRow,
    private readonly statement: BankStatementRow,
  ) {}

  async book(lines: readonly BankLineRow[]): Promise<void> {
    const { trx, statement } = this;
    if (statement.booked_lines === 0) await this.open();
    const known = await KnownEntries.of(trx, statement, lines);
    const fresh: BankLineRow[] = [];
    for (const line of lines) if (!(await this.isKnown(known, line))) fresh.push(line);
    await this.decide(fresh, known);
    await this.write();
    for (const [outcome, ids] of this.outcomes)
      await trx('bank_statement_lines').whereIn('id', ids).update({ outcome });
    const booked = statement.booked_lines + lines.length;
    await trx('bank_statements')
      .where({ id: statement.id })
      .update({
        booked_lines: booked,
        ...(booked === statement.lines && { status: 'booked', booked_at: trx.raw('clock_timestamp()') }),
      });
  }

  /** The first balance that the bank states is where the books of the account begin. */
  private async open(): Promise<void> {
    const { trx, account, statement } = this;
    if (statement.opening_minor === null) return;
    const earlier = await trx('bank_statements')
      .where({ account_id: account.id })
      .whereNotNull('opening_minor')
      .where((booked) => booked.where({ status: 'booked' }).orWhere('booked_lines', '>', 0))
      .first('id');
    if (earlier) return;
    const movements = opening(account.id, statement.opening_minor);
    await this.deps.ledger.book(trx, account.tenant_id, account.currency, movements);
  }

  private get isOnStatement(): boolean {
    return this.statement.opening_minor !== null;
  }

  /** Whether another file, or another statement of this one, has told of it. */
  private async isKnown(known: KnownEntries, line: BankLineRow): Promise<boolean> {
    const same = known.take(line);
    if (!same) return false;
    const adopts = known.referenceOf(line) && !same.bank_reference;
    if (adopts || this.isOnStatement)
      await this.trx('bank_entries')
        .where({ id: same.id })
        .update({
          ...(adopts && { bank_reference: line.bank_reference }),
          ...(this.isOnStatement && { is_on_statement: true }),
        });
    this.note(line, 'known');
    return true;
  }

  /** What each line comes to, and whether it leaves a payment paid: one after the other, in the order of the bank. */
  private async decide(lines: readonly BankLineRow[], known: KnownEntries): Promise<void> {
    const { account, trx } = this;
    const isPayers = (line: BankLineRow) => line.direction === 'credit' && !line.is_reversal;
    const place = { tenantId: account.tenant_id, accountId: account.id, currency: account.currency };
    const matching = await Matching.of(trx, place, lines.filter(isPayers));
    const matches = lines.map((line) => (isPayers(line) ? matching.match(line) : undefined));
    const requests = await lockRequests(
      trx,
      matches.flatMap((match) => (match?.kind === 'exact' ? match.paymentId : [])),
    );
    lines.forEach((line, at) => {
      const match = matches[at];
      const request = match?.kind === 'exact' ? requests.get(match.paymentId) : undefined;
      const count = request && countTowards(request, line.amount_minor);
      if (count) requests.set(count.request.payment_id, count.request);
      const entry = this.entryOf(line, known, startOf(match, count));
      this.decisions.push({ line, entry, match, count });
      const ofTenant: Outcome = line.direction === 'debit' && !line.is_reversal ? 'outgoing' : 'other';
      this.note(line, entry.status === 'other' ? ofTenant : OUTCOME_OF[entry.status]);
    });
  }

  private entryOf(line: BankLineRow, known: KnownEntries, start: Start): BankEntryRow {
    const { account } = this;
    return {
      id: newId('bankEntry'),
      tenant_id: account.tenant_id,
      account_id: account.id,
      line_id: line.id,
      direction: line.direction,
      currency: account.currency,
      amount_minor: line.amount_minor,
      booked_on: line.booked_on,
      bank_reference: known.referenceOf(line),
      fingerprint: line.fingerprint,
      occurrence: known.nextOccurrence(line),
      is_on_statement: this.isOnStatement,
      seconded_by: null,
      created_at: new Date(),
      ...start,
    };
  }

  /** All at once where it can be: a statement may have very many lines. */
  private async write(): Promise<void> {
    const { trx, deps, account, decisions } = this;
    if (decisions.length === 0) return;
    const entries = decisions.map(({ entry }) => entry);
    await trx('bank_entries').insert(entries);
    await deps.ledger.book(trx, account.tenant_id, account.currency, entries.map(entryBooked));
    const requests = new Map(
      decisions.flatMap(({ count }) => (count ? [[count.request.payment_id, count.request]] : [])),
    );
    for (const request of requests.values()) await writeReceived(trx, request);
    for (const { line, entry, match, count } of decisions)
      if (count) await tellCounted(trx, deps, entry, count, line);
      else if (entry.status === 'suspended') await suspendEntry(trx, deps, account, entry, line, match);
  }

  private note(line: BankLineRow, outcome: Outcome): void {
    const ids = this.outcomes.get(outcome) ?? [];
    ids.push(line.id);
    this.outcomes.set(outcome, ids);
  }
}

type Start = Pick<BankEntryRow, 'status' | 'payment_id' | 'proposal'>;

/** A payer's money is a payment's, waits for a person, or is in suspense; everything else is the tenant's own affair. */
function startOf(match: Match | undefined, count: Count | undefined): Start {
  if (!match) return { status: 'other', payment_id: null, proposal: null };
  if (count) return { status: count.status, payment_id: count.request.payment_id, proposal: null };
  if (match.kind === 'proposal') return { status: 'proposed', payment_id: match.paymentId, proposal: match.why };
  return { status: 'suspended', payment_id: null, proposal: null };
}

const OUTCOME_OF: Record<EntryStatus, Outcome> = {
  counted: 'matched',
  excess: 'returned',
  late: 'returned',
  proposed: 'proposed',
  suspended: 'unmatched',
  other: 'other',
};

/** Leaves an entry to operators, in the caller's transaction: it is in suspense until they have decided. */
export async function suspendEntry(
  trx: Knex.Transaction,
  { ledger, report }: Pick<BookingStatements, 'ledger' | 'report'>,
  account: Pick<BankAccountRow, 'tenant_id' | 'iban'>,
  entry: BankEntryRow,
  line: Pick<BankLineRow, 'text' | 'payer_name'>,
  match?: Match,
): Promise<void> {
  const { callbackId } = await report(trx, {
    entry,
    reference: account.iban,
    text: line.text,
    payerName: line.payer_name ?? undefined,
  });
  const ids = match?.kind === 'none' ? match.named.map(({ payment_id }) => payment_id) : [];
  const payments = await trx('payments').whereIn('id', ids).select('id', 'tenant_id', 'currency', 'status');
  const money = { amountMinor: entry.amount_minor, currency: entry.currency };
  await suspend(
    trx,
    ledger,
    {
      processor: OWN_BANK,
      transferId: entry.id,
      callbackId,
      account: account.iban,
      text: line.text,
      payerName: line.payer_name ?? undefined,
      money,
      tenantId: account.tenant_id,
    },
    { by: 'text', payments },
  );
}

type Known = Pick<
  BankEntryRow,
  'id' | 'bank_reference' | 'fingerprint' | 'occurrence' | 'amount_minor' | 'direction'
> & { statement_id: string };

/** The entries that lines may be the same as: by the bank's reference, or alike in everything that it says. */
class KnownEntries {
  private readonly byReference = new Map<string, Known>();
  private readonly alike = new Map<string, Known[]>();
  private readonly occurrences = new Map<string, number>();
  /** By line. */
  private readonly own = new Map<string, string>();

  private constructor(
    statement: BankStatementRow,
    entries: readonly Known[],
    /** How many lines of each fingerprint of this statement were booked before, and found to be known. */
    taken: ReadonlyMap<string, number>,
    /** References of the bank that lines of this statement had so far. */
    private readonly used: Set<string>,
  ) {
    for (const entry of entries) {
      const key = entry.fingerprint.toString('hex');
      if (entry.bank_reference) this.byReference.set(entry.bank_reference, entry);
      this.occurrences.set(key, Math.max(this.occurrences.get(key) ?? 0, entry.occurrence));
      if (entry.statement_id !== statement.id) this.alike.set(key, [...(this.alike.get(key) ?? []), entry]);
    }
    for (const [key, count] of taken) this.alike.get(key)?.splice(0, count);
  }

  static async of(
    trx: Knex.Transaction,
    statement: BankStatementRow,
    lines: readonly BankLineRow[],
  ): Promise<KnownEntries> {
    const fingerprints = [...new Set(lines.map(({ fingerprint }) => fingerprint.toString('hex')))];
    const references = lines.flatMap(({ bank_reference }) => bank_reference ?? []);
    const entries: Known[] = await trx('bank_entries as e')
      .join('bank_statement_lines as l', 'l.id', 'e.line_id')
      .where({ 'e.account_id': statement.account_id })
      .where((one) =>
        one
          .whereRaw('e.fingerprint = ANY (ARRAY(SELECT decode(f, ?) FROM unnest(?::text[]) f))', ['hex', fingerprints])
          .orWhereRaw('e.bank_reference = ANY (?)', [references]),
      )
      .orderBy('e.occurrence')
      .select(
        'e.id',
        'e.bank_reference',
        'e.fingerprint',
        'e.occurrence',
        'e.amount_minor',
        'e.direction',
        'l.statement_id',
      );
    const { rows } = await trx.raw(
      `SELECT encode(fingerprint, 'hex') AS key, count(*)::integer AS lines FROM bank_statement_lines
       WHERE statement_id = ? AND number <= ? AND outcome = 'known' AND bank_reference IS NULL
         AND fingerprint = ANY (ARRAY(SELECT decode(f, 'hex') FROM unnest(?::text[]) f)) GROUP BY 1`,
      [statement.id, statement.booked_lines, fingerprints],
    );
    const taken = new Map<string, number>(rows.map((row: { key: string; lines: number }) => [row.key, row.lines]));
    const used: string[] = await trx('bank_statement_lines')
      .where({ statement_id: statement.id })
      .where('number', '<=', statement.booked_lines)
      .whereRaw('bank_reference = ANY (?)', [references])
      .pluck('bank_reference');
    return new KnownEntries(statement, entries, taken, new Set(used));
  }

  /** The bank's reference of a line, where it tells one: some banks give one to several lines. */
  referenceOf({ id }: BankLineRow): string | null {
    return this.own.get(id) ?? null;
  }

  private learnReference({ id, bank_reference: reference, amount_minor, direction }: BankLineRow): void {
    if (!reference || this.used.has(reference)) return;
    const same = this.byReference.get(reference);
    if (same && (same.amount_minor !== amount_minor || same.direction !== direction)) return;
    this.used.add(reference);
    this.own.set(id, reference);
  }

  /**
   * The entry that a line is; each is taken once by the lines of a statement. Two that have different references of the bank
   * are never the same; where one has none, being alike decides.
   */
  take(line: BankLineRow): Known | undefined {
    this.learnReference(line);
    const reference = this.referenceOf(line);
    const key = line.fingerprint.toString('hex');
    const alike = this.alike.get(key) ?? [];
    const told = reference ? this.byReference.get(reference) : undefined;
    const same = told ?? alike.find(({ bank_reference }) => !reference || !bank_reference);
    if (same) remove(alike, same);
    return same;
  }

  nextOccurrence(line: BankLineRow): number {
    const key = line.fingerprint.toString('hex');
    const next = (this.occurrences.get(key) ?? 0) + 1;
    this.occurrences.set(key, next);
    return next;
  }
}

function remove(all: Known[], one: Known): void {
  const at = all.findIndex(({ id }) => id === one.id);
  if (at >= 0) all.splice(at, 1);
}
