import type { Knex } from 'knex';
import { DomainError, found } from '../../domain/errors';
import { newId } from '../../domain/ids';
import { type Actor, noteDone } from '../../foundation/audit-log/audit-log';
import type { Database } from '../../foundation/db/database';
import { jsonOf } from '../../foundation/db/json';
import { type Page, paged } from '../../foundation/db/page';

export const BANK_ACCOUNT_STATUSES = ['active', 'closed'] as const;
export type BankAccountStatus = (typeof BANK_ACCOUNT_STATUSES)[number];

export const DATE_FORMS = ['YYYY-MM-DD', 'DD.MM.YYYY', 'DD/MM/YYYY', 'MM/DD/YYYY', 'YYYYMMDD'] as const;
export type DateForm = (typeof DATE_FORMS)[number];

/** How a bank writes its CSV files. Columns are named by their headings. */
export interface CsvMapping {
  delimiter: string;
  decimal: '.' | ',';
  dateForm: DateForm;
  encoding?: 'utf-8' | 'windows-1252';
  /** Lines before the headings. */
  skipLines?: number;
  columns: {
    date: string;
    /** Signed; or one column for each direction. */
    amount?: string;
    credit?: string;
    debit?: string;
    currency?: string;
    text: string;
    creditorReference?: string;
    payerName?: string;
    payerIban?: string;
    /** The bank's own reference of the line. */
    id?: string;
  };
}

/** One row of `bank_accounts`: an account of the tenant at a bank, which buyers pay to. */
export interface BankAccountRow {
  id: string;
  tenant_id: string;
  iban: string;
  bic: string | null;
  bank_name: string | null;
  holder: string;
  currency: string;
  status: BankAccountStatus;
  csv_mapping: CsvMapping | null;
  created_by: string;
  created_at: Date;
  updated_at: Date;
}

export interface BankAccountOrder {
  /** Without spaces, upper case. */
  iban: string;
  bic?: string;
  bankName?: string;
  holder: string;
  currency: string;
  status: BankAccountStatus;
  csv?: CsvMapping;
}

/** The accounts of a tenant at its banks. */
export class BankAccounts {
  constructor(private readonly database: Database) {}

  /** Names an account, or changes the one with this number and currency. */
  put(tenantId: string, order: BankAccountOrder, by: Actor): Promise<BankAccountRow> {
    return this.database.tenant(tenantId, async (trx) => {
      const { iban, currency } = order;
      const columns = {
        bic: order.bic ?? null,
        bank_name: order.bankName ?? null,
        holder: order.holder,
        status: order.status,
        csv_mapping: order.csv ? jsonOf(order.csv) : null,
      };
      const [row]: BankAccountRow[] = await trx('bank_accounts')
        .insert({ id: newId('bankAccount'), tenant_id: tenantId, iban, currency, created_by: by.id, ...columns })
        .onConflict(['tenant_id', 'iban', 'currency'])
        .merge({ ...columns, updated_at: trx.raw('clock_timestamp()') })
        .returning('*');
      await noteDone(trx, tenantId, by, 'bank_transfer.account', row!.id, { iban, currency, status: order.status });
      return row!;
    });
  }

  /** One more than the page holds, newest first. */
  list(tenantId: string, page: Page): Promise<BankAccountRow[]> {
    return this.database.tenant(tenantId, async (trx) => paged(trx('bank_accounts'), page));
  }

  /** Throws `not_found`. */
  find(tenantId: string, id: string): Promise<BankAccountRow> {
    return this.database.tenant(tenantId, async (trx) =>
      found(await trx('bank_accounts').where({ id }).first(), 'account'),
    );
  }
}

/**
 * The account that payments in a currency are asked to: the one named, else the newest that is active. Undefined where the
 * tenant has none.
 */
export async function payableAccount(
  trx: Knex,
  tenantId: string,
  currency: string,
  accountId?: string,
): Promise<BankAccountRow | undefined> {
  const rows = trx('bank_accounts').where({ tenant_id: tenantId, currency, status: 'active' });
  if (accountId) rows.where({ id: accountId });
  return rows.orderBy('id', 'desc').first();
}

/** Whose statement a file says it is. Throws `statement_refused` where it is no account of the tenant's, or of several. */
export async function accountOfStatement(
  trx: Knex.Transaction,
  tenantId: string,
  { iban, currency, accountId }: { iban?: string; currency?: string; accountId?: string },
): Promise<BankAccountRow> {
  const rows = trx('bank_accounts').where({ tenant_id: tenantId });
  if (accountId) rows.where({ id: accountId });
  if (iban) rows.where({ iban });
  if (currency) rows.where({ currency });
  const [account, ...others]: BankAccountRow[] = await rows.limit(2);
  if (!account) throw new DomainError('statement_refused', 'The statement is of no account that is named here');
  if (others.length > 0)
    throw new DomainError(
      'statement_refused',
      'The statement does not say which account it is of: name it by accountId',
    );
  return account;
}
