import type { Knex } from 'knex';
import { compactText, correctionsIn, printedReference, referencesIn } from '../../domain/creditor-reference';
import { formatAmount } from '../../domain/money';
import { writtenIn } from '../bank-statements/fingerprint';
import type { BankLineRow } from '../bank-statements/statement';
import type { BankTransferRequestRow } from './request';

type Line = Pick<BankLineRow, 'creditor_reference' | 'text' | 'end_to_end' | 'payer_name' | 'amount_minor'>;

/** What a transfer is for, as far as it tells. */
export type Match =
  /** Its reference is that of a payment, whatever state that is in. */
  | { kind: 'exact'; paymentId: string }
  /** A person has to say. `why`: a sentence. */
  | { kind: 'proposal'; paymentId: string; why: string }
  /** Several references, one in another currency, or nothing that tells. */
  | { kind: 'none'; named: BankTransferRequestRow[] };

/** Where a line came: an account of a tenant, and its currency. */
interface Place {
  tenantId: string;
  accountId: string;
  currency: string;
}

/**
 * Finds out which payment a transfer is for: by its reference; by one that is mistyped, where it can stand for one open payment
 * only; by amount and payer, where they tell one. The latter two are proposals. Runs as the system role.
 */
export async function matchLine(trx: Knex, place: Place, line: Line): Promise<Match> {
  const written = writtenIn({
    creditorReference: line.creditor_reference ?? '',
    text: line.text,
    endToEnd: line.end_to_end ?? '',
  });
  const named = await withReferences(trx, place, written.split(' ').flatMap(referencesIn));
  const [only, ...others] = named;
  if (only) {
    if (others.length > 0 || only.currency !== place.currency) return { kind: 'none', named };
    return { kind: 'exact', paymentId: only.payment_id };
  }
  const corrected = (await withReferences(trx, place, written.split(' ').flatMap(correctionsIn))).filter(
    ({ status, currency }) => status === 'open' && currency === place.currency,
  );
  if (corrected.length === 1) {
    const [{ payment_id: paymentId, reference }] = corrected as [BankTransferRequestRow];
    return {
      kind: 'proposal',
      paymentId,
      why: `Its reference is mistyped: one character away it is ${printedReference(reference)}.`,
    };
  }
  return (await byPayer(trx, place, line)) ?? { kind: 'none', named: [] };
}

function withReferences(trx: Knex, { tenantId }: Place, references: string[]): Promise<BankTransferRequestRow[]> {
  if (references.length === 0) return Promise.resolve([]);
  return trx('bank_transfer_requests')
    .where({ tenant_id: tenantId })
    .whereIn('reference', [...new Set(references)])
    .orderBy('payment_id')
    .limit(20);
}

/** More open payments of one amount than that tell nothing. */
const MOST_ALIKE = 50;

async function byPayer(trx: Knex, { accountId, currency }: Place, line: Line): Promise<Match | undefined> {
  const payer = compactText(line.payer_name ?? '');
  if (payer === '') return undefined;
  const alike: BankTransferRequestRow[] = await trx('bank_transfer_requests')
    .where({ account_id: accountId, amount_minor: line.amount_minor, status: 'open', received_minor: 0 })
    .whereNotNull('payer_name')
    .limit(MOST_ALIKE + 1);
  if (alike.length > MOST_ALIKE) return undefined;
  const [only, ...others] = alike.filter(({ payer_name }) => isSamePayer(payer, payer_name!));
  if (!only || others.length > 0) return undefined;
  const amount = `${formatAmount(line.amount_minor, currency)} ${currency}`;
  return {
    kind: 'proposal',
    paymentId: only.payment_id,
    why: `It has no reference. Its amount of ${amount} and the name of its payer are those of this payment alone.`,
  };
}

/** Banks cut names, and put family names first or last. */
function isSamePayer(one: string, other: string): boolean {
  if (one === other) return true;
  const [short, long] = one.length < other.length ? [one, other] : [other, one];
  if (short.length >= 8 && long.startsWith(short)) return true;
  return one.length === other.length && [...one].sort().join('') === [...other].sort().join('');
}
