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

/** More open payments of one amount than that tell nothing. */
const MOST_ALIKE = 50;

/**
 * Tells which payments transfers are for: by a reference; by one that is mistyped, where it can stand for one open payment only;
 * by amount and payer, where they tell one. The latter two are proposals.
 */
export class Matching {
  private constructor(
    private readonly currency: string,
    private readonly byReference: ReadonlyMap<string, BankTransferRequestRow>,
    private readonly byAmount: ReadonlyMap<bigint, readonly BankTransferRequestRow[]>,
  ) {}

  /** Looks up all that the lines may be for, in a few questions. Runs as the system role. */
  static async of(trx: Knex, { tenantId, accountId, currency }: Place, lines: readonly Line[]): Promise<Matching> {
    const references = new Set(lines.flatMap((line) => [...named(line), ...mistyped(line)]));
    const requests: BankTransferRequestRow[] = await trx('bank_transfer_requests')
      .where({ tenant_id: tenantId })
      .whereRaw('reference = ANY (?)', [[...references]])
      .orderBy('payment_id');
    const amounts = [
      ...new Set(lines.filter(({ payer_name }) => payer_name).map(({ amount_minor }) => `${amount_minor}`)),
    ];
    const { rows } = await trx.raw(
      `SELECT r.* FROM unnest(:amounts::bigint[]) AS a(minor) CROSS JOIN LATERAL (SELECT * FROM bank_transfer_requests
         WHERE account_id = :accountId AND amount_minor = a.minor AND status = 'open' AND received_minor = 0
           AND payer_name IS NOT NULL LIMIT :most) r`,
      { amounts, accountId, most: MOST_ALIKE + 1 },
    );
    const byAmount = new Map<bigint, BankTransferRequestRow[]>();
    for (const row of rows as BankTransferRequestRow[])
      byAmount.set(row.amount_minor, [...(byAmount.get(row.amount_minor) ?? []), row]);
    return new Matching(currency, new Map(requests.map((row) => [row.reference, row])), byAmount);
  }

  match(line: Line): Match {
    const known = this.known(named(line));
    const [only, ...others] = known;
    if (only && others.length === 0 && only.currency === this.currency)
      return { kind: 'exact', paymentId: only.payment_id };
    if (only) return { kind: 'none', named: known };
    return this.corrected(line) ?? this.byPayer(line) ?? { kind: 'none', named: [] };
  }

  private known(references: readonly string[]): BankTransferRequestRow[] {
    return [...new Set(references)].flatMap((reference) => this.byReference.get(reference) ?? []);
  }

  private corrected(line: Line): Match | undefined {
    const open = this.known(mistyped(line)).filter(
      ({ status, currency }) => status === 'open' && currency === this.currency,
    );
    const [only, ...others] = open;
    if (!only || others.length > 0) return undefined;
    const why = `Its reference is mistyped: one character away it is ${printedReference(only.reference)}.`;
    return { kind: 'proposal', paymentId: only.payment_id, why };
  }

  private byPayer({ payer_name, amount_minor }: Line): Match | undefined {
    const payer = compactText(payer_name ?? '');
    const alike = this.byAmount.get(amount_minor) ?? [];
    if (payer === '' || alike.length > MOST_ALIKE) return undefined;
    const [only, ...others] = alike.filter((request) => isSamePayer(payer, request.payer_name!));
    if (!only || others.length > 0) return undefined;
    const amount = `${formatAmount(amount_minor, this.currency)} ${this.currency}`;
    return {
      kind: 'proposal',
      paymentId: only.payment_id,
      why: `It has no reference. Its amount of ${amount} and the name of its payer are those of this payment alone.`,
    };
  }
}

function wordsOf({ creditor_reference, text, end_to_end }: Line): string[] {
  const written = { creditorReference: creditor_reference ?? '', text, endToEnd: end_to_end ?? '' };
  return writtenIn(written).split(' ');
}

const named = (line: Line) => wordsOf(line).flatMap(referencesIn);
const mistyped = (line: Line) => wordsOf(line).flatMap(correctionsIn);

/** Banks cut names, and put family names first or last. */
function isSamePayer(one: string, other: string): boolean {
  if (one === other) return true;
  const [short, long] = one.length < other.length ? [one, other] : [other, one];
  if (short.length >= 8 && long.startsWith(short)) return true;
  return one.length === other.length && [...one].sort().join('') === [...other].sort().join('');
}
