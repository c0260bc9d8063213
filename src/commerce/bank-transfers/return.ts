import type { Knex } from 'knex';
import type { ProcessorId } from '../../domain/connector';
import { DomainError, found } from '../../domain/errors';
import { newId } from '../../domain/ids';
import type { Money } from '../../domain/money';
import type { Vault } from '../../foundation/vault/vault';

export const RETURN_KINDS = ['refund', 'excess', 'part', 'unmatched'] as const;
export type ReturnKind = (typeof RETURN_KINDS)[number];

export const RETURN_STATUSES = ['waiting', 'ready', 'sent', 'settled', 'failed'] as const;
export type ReturnStatus = (typeof RETURN_STATUSES)[number];

/** One row of `bank_returns`: a transfer back to a payer. Minor units of `currency`. */
export interface BankReturnRow {
  id: string;
  tenant_id: string;
  kind: ReturnKind;
  cause: string;
  payment_id: string | null;
  entry_id: string | null;
  currency: string;
  amount_minor: bigint;
  holder: string | null;
  iban_sealed: Buffer | null;
  iban_country: string | null;
  iban_last4: string | null;
  status: ReturnStatus;
  status_detail: string;
  processor: ProcessorId;
  processor_reference: string | null;
  sends: number;
  sent_at: Date | null;
  look_at: Date | null;
  review_since: Date | null;
  created_at: Date;
  updated_at: Date;
}

export interface ReturnOrder {
  kind: ReturnKind;
  /** What asks for it: there is one return for each. */
  cause: string;
  paymentId?: string;
  /** Whose payer it goes to. Default: who paid most of the payment. */
  entryId?: string;
  money: Money;
}

type Change = Partial<Omit<BankReturnRow, 'id' | 'tenant_id' | 'kind' | 'cause'>>;

export interface Returning {
  vault: Pick<Vault, 'openIban' | 'sealIban'>;
  returnsThrough(): ProcessorId;
}

interface Payer {
  entry_id: string;
  tenant_id: string;
  line_id: string;
  payer_name: string | null;
  iban_sealed: Buffer | null;
}

/**
 * Writes down that money goes back to its payer, in the caller's transaction; once for each cause. Where nothing tells the
 * account of the payer, a person has to.
 */
export async function orderReturn(trx: Knex.Transaction, deps: Returning, order: ReturnOrder): Promise<BankReturnRow> {
  const payer = found(await payerOf(trx, order), 'payer');
  const known: BankReturnRow | undefined = await trx('bank_returns')
    .where({ tenant_id: payer.tenant_id, cause: order.cause })
    .first();
  if (known) return known;
  const id = newId('bankReturn');
  const iban = payer.iban_sealed ? deps.vault.openIban(payer.line_id, payer.iban_sealed) : undefined;
  const [row]: BankReturnRow[] = await trx('bank_returns')
    .insert({
      id,
      tenant_id: payer.tenant_id,
      kind: order.kind,
      cause: order.cause,
      payment_id: order.paymentId ?? null,
      entry_id: payer.entry_id,
      currency: order.money.currency,
      amount_minor: order.money.amountMinor,
      processor: deps.returnsThrough(),
      ...(iban ? destination(deps, id, { iban, holder: payer.payer_name ?? 'Payer' }) : nowhere(trx)),
    })
    .onConflict(['tenant_id', 'cause'])
    .ignore()
    .returning('*');
  return row ?? trx('bank_returns').where({ tenant_id: payer.tenant_id, cause: order.cause }).first();
}

function destination({ vault }: Returning, id: string, { iban, holder }: { iban: string; holder: string }): Change {
  return {
    holder,
    iban_sealed: vault.sealIban(id, iban),
    iban_country: iban.slice(0, 2),
    iban_last4: iban.slice(-4),
    status: 'ready' satisfies ReturnStatus,
    status_detail: 'It is about to be sent back to the payer.',
    look_at: new Date(),
    review_since: null,
  };
}

function nowhere(trx: Knex.Transaction) {
  return {
    status: 'waiting' satisfies ReturnStatus,
    status_detail: 'Nothing tells the account of the payer: a person has to name it.',
    review_since: trx.raw('clock_timestamp()'),
  };
}

/** Who a return goes to: of a payment, who sent just this amount, else who sent most; the one with an account first. */
async function payerOf(trx: Knex.Transaction, { paymentId, entryId, money }: ReturnOrder): Promise<Payer | undefined> {
  const rows = trx('bank_entries as e')
    .join('bank_statement_lines as l', 'l.id', 'e.line_id')
    .select('e.id as entry_id', 'e.tenant_id', 'l.id as line_id', 'l.payer_name', 'l.iban_sealed');
  if (entryId) return rows.where('e.id', entryId).first();
  return rows
    .where('e.payment_id', paymentId)
    .whereIn('e.status', ['counted', 'late'])
    .orderByRaw('l.iban_sealed IS NULL, e.amount_minor <> ?::bigint, e.amount_minor DESC, e.id', [
      `${money.amountMinor}`,
    ])
    .first();
}

/** Names the account that a return goes to which nobody could tell, or which came back. Throws `not_found` and `invalid_state`. */
export async function nameAccount(
  trx: Knex.Transaction,
  deps: Returning,
  { tenantId, id }: { tenantId: string; id: string },
  account: { iban: string; holder: string },
): Promise<BankReturnRow> {
  const row: BankReturnRow = found(
    await trx('bank_returns').where({ id, tenant_id: tenantId }).forUpdate().first(),
    'return',
  );
  if (row.status !== 'waiting') throw new DomainError('invalid_state', `The return is ${row.status}`);
  return moveReturn(trx, row, destination(deps, id, account));
}

export async function moveReturn(trx: Knex.Transaction, { id }: BankReturnRow, change: Change): Promise<BankReturnRow> {
  const [row]: BankReturnRow[] = await trx('bank_returns')
    .where({ id })
    .update({ ...change, updated_at: trx.raw('clock_timestamp()') })
    .returning('*');
  return row!;
}
