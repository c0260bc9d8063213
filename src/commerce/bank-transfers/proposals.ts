import type { Knex } from 'knex';
import { DomainError, found } from '../../domain/errors';
import { type Actor, appendAuditLine } from '../../foundation/audit-log/audit-log';
import type { Database } from '../../foundation/db/database';
import { type Page, paged } from '../../foundation/db/page';
import type { BankLineRow } from '../bank-statements/statement';
import { type BookingStatements, suspendEntry } from './book';
import { type BankEntryRow, countEntry, lockEntry } from './entry';
import { lockRequest } from './request';

type ShownLine = Pick<
  BankLineRow,
  'text' | 'creditor_reference' | 'end_to_end' | 'payer_name' | 'iban_country' | 'iban_last4'
>;

/** A transfer with what its bank wrote about it. */
export type Proposal = BankEntryRow & ShownLine;

const SHOWN = [
  'l.text',
  'l.creditor_reference',
  'l.end_to_end',
  'l.payer_name',
  'l.iban_country',
  'l.iban_last4',
] as const;

/** Transfers whose payment a person has to confirm. */
export class Proposals {
  constructor(
    private readonly deps: Omit<BookingStatements, 'database'> & { database: Database },
    /** SUSPENSE_FOUR_EYES_MINOR: confirming more than this needs a second person. Minor units of any currency. */
    private readonly fourEyesMinor: bigint,
  ) {}

  /** One more than the page holds, newest first. */
  list(tenantId: string, page: Page): Promise<Proposal[]> {
    return this.deps.database.tenant(tenantId, async (trx) => {
      const entries = paged(trx('bank_entries').where({ status: 'proposed' }), page).as('e');
      return trx
        .from(entries)
        .join('bank_statement_lines as l', 'l.id', 'e.line_id')
        .orderBy('e.id', 'desc')
        .select('e.*', ...SHOWN);
    });
  }

  /**
   * The transfer is for the payment. Above the limit, the first person only seconds it. Throws `not_found`, `forbidden` (the
   * same person twice) and `invalid_state` (409: nothing is proposed any more, or the payment takes no money).
   */
  confirm(tenantId: string, entryId: string, by: Actor): Promise<Proposal> {
    return this.decide(tenantId, entryId, by, 'confirm', async (trx, entry, line) => {
      if (entry.seconded_by === by.id)
        throw new DomainError('forbidden', 'Another person has to confirm it after the first');
      if (entry.amount_minor > this.fourEyesMinor && !entry.seconded_by) {
        await trx('bank_entries').where({ id: entry.id }).update({ seconded_by: by.id });
        return 'seconded';
      }
      const request = await lockRequest(trx, entry.payment_id!);
      if (request?.status !== 'open') throw new DomainError('invalid_state', 'The payment takes no money any more');
      await countEntry(trx, this.deps, entry, request, line);
      return 'confirmed';
    });
  }

  /** It is not: operators decide about the transfer in suspense. Throws `not_found` and `invalid_state` (409). */
  reject(tenantId: string, entryId: string, { reason }: { reason: string }, by: Actor): Promise<Proposal> {
    return this.decide(
      tenantId,
      entryId,
      by,
      'reject',
      async (trx, entry, line) => {
        await trx('bank_entries')
          .where({ id: entry.id })
          .update({ status: 'suspended', payment_id: null, proposal: null, seconded_by: null });
        const account = await trx('bank_accounts').where({ id: entry.account_id }).first('tenant_id', 'iban');
        await suspendEntry(trx, this.deps, account, entry, line);
        return 'rejected';
      },
      { reason },
    );
  }

  private decide(
    tenantId: string,
    entryId: string,
    by: Actor,
    verb: string,
    work: (trx: Knex.Transaction, entry: BankEntryRow, line: BankLineRow) => Promise<string>,
    detail: object = {},
  ): Promise<Proposal> {
    return this.deps.database.system.transaction(async (trx) => {
      found(await trx('bank_entries').where({ id: entryId, tenant_id: tenantId }).first('id'), 'proposal');
      const entry = await lockEntry(trx, entryId);
      if (entry.status !== 'proposed') throw new DomainError('invalid_state', 'Nothing is proposed for this transfer');
      const line: BankLineRow = await trx('bank_statement_lines').where({ id: entry.line_id }).first();
      const result = await work(trx, entry, line);
      await appendAuditLine(trx, {
        tenantId,
        actor: by.id,
        action: `bank_transfer.${verb}`,
        target: entryId,
        source: by.source,
        result,
        detail: { paymentId: entry.payment_id, proposal: entry.proposal, ...detail, requestId: by.requestId },
      });
      const shown: Proposal = await trx('bank_entries as e')
        .join('bank_statement_lines as l', 'l.id', 'e.line_id')
        .where('e.id', entryId)
        .first('e.*', ...SHOWN);
      return shown;
    });
  }
}
