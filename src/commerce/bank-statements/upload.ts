import { createHash, randomUUID } from 'node:crypto';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Knex } from 'knex';
import { found } from '../../domain/errors';
import { newId } from '../../domain/ids';
import { formatAmount } from '../../domain/money';
import { type Actor, noteDone } from '../../foundation/audit-log/audit-log';
import { type Database, violates } from '../../foundation/db/database';
import { type Page, paged } from '../../foundation/db/page';
import type { Vault } from '../../foundation/vault/vault';
import { accountOfStatement, type BankAccountRow } from './account';
import { fingerprintOf } from './fingerprint';
import { type Balance, type ParsedLine, type Part, refuseStatement } from './parsed';
import { type CsvAccount, readStatements } from './read';
import type { BankLineRow, BankStatementRow, StatementStatus } from './statement';

/** Lines that are written at once: memory stays constant, however long the file. */
const CHUNK = 500;

interface UploadDependencies {
  database: Database;
  vault: Pick<Vault, 'sealIban'>;
}

/** What an upload came to: its statements, and whether they were there before. */
export interface Uploaded {
  statements: BankStatementRow[];
  isKnown: boolean;
}

/** Takes files of statements, whole or not at all. What is in them is booked afterwards, by the workers. */
export class BankStatements {
  constructor(private readonly deps: UploadDependencies) {}

  /**
   * Keeps the statements of a file of any format; its content says which. The same file again answers those that are there.
   * `accountId`: of a file that does not say whose it is. Throws `statement_refused` where the file cannot be read, is of no
   * account of the tenant's, or does not add up; nothing of it is kept then.
   */
  async upload(
    tenantId: string,
    content: AsyncIterable<Buffer>,
    by: Actor,
    { accountId }: { accountId?: string } = {},
  ): Promise<Uploaded> {
    const spool = await Spool.of(content);
    try {
      return await this.keep(tenantId, spool, by, accountId);
    } catch (error) {
      // The same file came at the same time, and was faster.
      if (!violates(error, 'bank_statements_once')) throw error;
      return await this.keep(tenantId, spool, by, accountId);
    } finally {
      await spool.close();
    }
  }

  private keep(tenantId: string, spool: Spool, by: Actor, accountId: string | undefined): Promise<Uploaded> {
    return this.deps.database.tenant(tenantId, async (trx) => {
      const csv = accountId ? await csvAccount(trx, tenantId, accountId) : undefined;
      const statements: BankStatementRow[] = [];
      let writer: StatementWriter | undefined;
      for await (const part of readStatements(spool.read(), csv)) {
        if (part.kind === 'begins') {
          const account = await accountOfStatement(trx, tenantId, { ...namedBy(part), accountId });
          const digest = createHash('sha256').update(spool.digest).update(`${statements.length}`).digest();
          const known = await trx('bank_statements').where({ account_id: account.id, digest }).first();
          if (known) return { statements: await alike(trx, spool, tenantId, accountId), isKnown: true };
          writer = new StatementWriter(trx, this.deps.vault, account, await begin(trx, account, part, digest, by));
        } else if (part.kind === 'line') await writer!.add(part.line);
        else statements.push(await writer!.end(part));
      }
      for (const { id, account_id: account, format, lines } of statements)
        await noteDone(trx, tenantId, by, 'bank_transfer.statement', id, { account, format, lines });
      return { statements, isKnown: false };
    });
  }

  /** One more than the page holds, newest first. */
  list(
    tenantId: string,
    { accountId, status, ...page }: Page & { accountId?: string; status?: StatementStatus },
  ): Promise<BankStatementRow[]> {
    return this.deps.database.tenant(tenantId, async (trx) => {
      const rows = paged(trx('bank_statements'), page);
      if (accountId) rows.where({ account_id: accountId });
      if (status) rows.where({ status });
      return rows;
    });
  }

  /** The statement, and how many of its lines came to what. Throws `not_found`. */
  find(tenantId: string, id: string): Promise<{ statement: BankStatementRow; outcomes: Record<string, number> }> {
    return this.deps.database.tenant(tenantId, async (trx) => {
      const statement: BankStatementRow = found(await trx('bank_statements').where({ id }).first(), 'statement');
      const { rows } = await trx.raw(
        `SELECT outcome, count(*)::integer AS lines FROM bank_statement_lines
         WHERE statement_id = ? AND outcome IS NOT NULL GROUP BY outcome`,
        [id],
      );
      return { statement, outcomes: Object.fromEntries(rows.map((row: LineCount) => [row.outcome, row.lines])) };
    });
  }

  /** Lines after a number, one more than `limit`, in the order of the bank. Throws `not_found`. */
  lines(
    tenantId: string,
    id: string,
    { limit, after, outcome }: { limit: number; after: number; outcome?: string },
  ): Promise<{ statement: BankStatementRow; currency: string; lines: BankLineRow[] }> {
    return this.deps.database.tenant(tenantId, async (trx) => {
      const statement: BankStatementRow = found(await trx('bank_statements').where({ id }).first(), 'statement');
      const { currency } = await trx('bank_accounts').where({ id: statement.account_id }).first('currency');
      const rows = trx('bank_statement_lines').where({ statement_id: id }).where('number', '>', after);
      if (outcome) rows.where({ outcome });
      return { statement, currency, lines: await rows.orderBy('number').limit(limit + 1) };
    });
  }
}

interface LineCount {
  outcome: string;
  lines: number;
}

async function csvAccount(trx: Knex.Transaction, tenantId: string, accountId: string): Promise<CsvAccount | undefined> {
  const { csv_mapping: mapping, currency } = await accountOfStatement(trx, tenantId, { accountId });
  return mapping ? { mapping, currency } : undefined;
}

/** MT940 may name the account by another number than its IBAN; the caller names it then. */
function namedBy({ account }: Extract<Part, { kind: 'begins' }>): { iban?: string } {
  const [iban] = /^[A-Z]{2}\d{2}[A-Z0-9]{11,30}/.exec(account ?? '') ?? [];
  if (!iban) return {};
  // Some banks put the currency behind it.
  return { iban: iban.replace(/(?<=^.{15,})[A-Z]{3}$/, '') };
}

/** Every statement that came out of a file like this one. `accountId`: of a file that names no account itself. */
async function alike(
  trx: Knex.Transaction,
  spool: Spool,
  tenantId: string,
  accountId: string | undefined,
): Promise<BankStatementRow[]> {
  const all: BankStatementRow[] = [];
  for (let place = 0; ; place += 1) {
    const digest = createHash('sha256').update(spool.digest).update(`${place}`).digest();
    const rows = trx('bank_statements').where({ tenant_id: tenantId, digest });
    if (accountId) rows.where({ account_id: accountId });
    const row: BankStatementRow | undefined = await rows.first();
    if (!row) return all;
    all.push(row);
  }
}

async function begin(
  trx: Knex.Transaction,
  account: BankAccountRow,
  { format, version, reference }: Extract<Part, { kind: 'begins' }>,
  digest: Buffer,
  by: Actor,
): Promise<BankStatementRow> {
  const [row]: BankStatementRow[] = await trx('bank_statements')
    .insert({
      id: newId('bankStatement'),
      tenant_id: account.tenant_id,
      account_id: account.id,
      format,
      version: version ?? null,
      reference: reference ?? null,
      digest,
      status: 'stored',
      uploaded_by: by.id,
    })
    .returning('*');
  return row!;
}

/** Writes the lines of one statement, a chunk at a time. */
class StatementWriter {
  private chunk: object[] = [];
  private lines = 0;
  private credits = 0n;
  private debits = 0n;

  constructor(
    private readonly trx: Knex.Transaction,
    private readonly vault: Pick<Vault, 'sealIban'>,
    private readonly account: BankAccountRow,
    private readonly statement: BankStatementRow,
  ) {}

  async add(line: ParsedLine): Promise<void> {
    if (line.currency !== this.account.currency) throw this.otherCurrency(line.currency);
    this.lines += 1;
    if (line.direction === 'credit') this.credits += line.amountMinor;
    else this.debits += line.amountMinor;
    const id = newId('bankLine');
    const iban = isLikeIban(line.payerIban) ? line.payerIban : undefined;
    this.chunk.push({
      id,
      tenant_id: this.account.tenant_id,
      statement_id: this.statement.id,
      number: this.lines,
      direction: line.direction,
      is_reversal: line.isReversal,
      amount_minor: line.amountMinor,
      booked_on: line.bookedOn,
      bank_reference: line.bankReference ?? null,
      fingerprint: fingerprintOf(line),
      end_to_end: line.endToEnd ?? null,
      creditor_reference: line.creditorReference ?? null,
      text: line.text,
      payer_name: line.payerName ?? null,
      iban_sealed: iban ? this.vault.sealIban(id, iban) : null,
      iban_country: iban?.slice(0, 2) ?? null,
      iban_last4: iban?.slice(-4) ?? null,
    });
    if (this.chunk.length >= CHUNK) await this.flush();
  }

  /** Throws `statement_refused` where the balances and the lines do not agree. */
  async end({ opening, closing }: { opening?: Balance; closing?: Balance }): Promise<BankStatementRow> {
    await this.flush();
    const { format, id } = this.statement;
    if ((format === 'camt.053' || format === 'mt940') && (!opening || !closing))
      refuseStatement('The statement has no opening and closing balance');
    if (opening && closing) this.check(opening, closing);
    const [row]: BankStatementRow[] = await this.trx('bank_statements')
      .where({ id })
      .update({
        lines: this.lines,
        credits_minor: this.credits,
        debits_minor: this.debits,
        opening_minor: opening?.amountMinor ?? null,
        closing_minor: closing?.amountMinor ?? null,
        closing_on: closing?.on ?? null,
      })
      .returning('*');
    return row!;
  }

  private check(opening: Balance, closing: Balance): void {
    for (const { currency } of [opening, closing])
      if (currency !== this.account.currency) throw this.otherCurrency(currency);
    const sum = opening.amountMinor + this.credits - this.debits;
    const shown = (minor: bigint) => formatAmount(minor, this.account.currency);
    if (sum !== closing.amountMinor)
      refuseStatement(
        `The statement does not add up: ${shown(opening.amountMinor)} at its opening and its lines are ${shown(sum)}, and ` +
          `its closing balance is ${shown(closing.amountMinor)}, which differs by ${shown(closing.amountMinor - sum)}`,
      );
  }

  private otherCurrency(currency: string): never {
    return refuseStatement(`The statement is in ${currency}, and the account in ${this.account.currency}`);
  }

  private async flush(): Promise<void> {
    if (this.chunk.length > 0) await this.trx('bank_statement_lines').insert(this.chunk);
    this.chunk = [];
  }
}

const isLikeIban = (text: string | undefined): text is string => /^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$/.test(text ?? '');

/**
 * A file on its way in: on disk under no name, so that nothing of it stays whatever happens, and no transaction waits for a
 * slow sender.
 */
class Spool {
  private constructor(
    private readonly file: FileHandle,
    /** SHA-256 of the bytes. */
    readonly digest: Buffer,
  ) {}

  static async of(content: AsyncIterable<Buffer>): Promise<Spool> {
    const path = join(tmpdir(), `tillway-statement-${randomUUID()}`);
    const file = await open(path, 'wx+', 0o600);
    const hash = createHash('sha256');
    try {
      await unlink(path);
      for await (const chunk of content) {
        hash.update(chunk);
        await file.write(chunk);
      }
      return new Spool(file, hash.digest());
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  read(): AsyncIterable<Buffer> {
    return this.file.createReadStream({ start: 0, autoClose: false });
  }

  close(): Promise<void> {
    return this.file.close();
  }
}
