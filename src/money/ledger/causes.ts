import { ID_PREFIXES } from '../../domain/ids';

/**
 * Every reason for which something is booked. A cause is unique per tenant, so that nothing is booked twice; it is built
 * and read here and nowhere else. `<id>/<step>` for what has an id of its own, `settlement/…` and `adjustment/…` for
 * what reconciliation books.
 */
declare const built: unique symbol;
export type LedgerCause = string & { readonly [built]: true };

export const DISPUTE_MOVEMENTS = ['charged-back', 'second-presentment', 'won', 'lost'] as const;
/** What a step of a dispute moves: the chargeback and a final loss take from the merchant, the others give back. */
export type DisputeMovement = (typeof DISPUTE_MOVEMENTS)[number];

const PAYMENT_STEPS = [
  'authorize',
  'capture',
  'release',
  'fee',
  /** What was captured for a wallet pays what its customer owes, or becomes available. */
  'owed',
  'settled',
  /** A step with this ending moves between tenant and seller what the step before it moves into the wallet, or out. */
  'settled/float',
  'late',
  'late-returned',
] as const;
const REFUND_STEPS = [
  'hold',
  'post',
  'void',
  'fee',
  'fee-kept',
  'settled',
  /** A refund held as declined was made after all; out of a wallet it is owed, then paid as far as the money reaches. */
  'corrected',
  'corrected/incoming',
  'corrected/wallet',
  'corrected/fee',
  /** The same, where the amount is no longer there to be refunded. */
  'unallocated',
  /** A refund held as succeeded came back. */
  'reversed',
  'reversed/fee',
  /** What follows the movements of the wallet. */
  'hold/float',
  'post/float',
  'void/float',
  'fee/float',
  'fee-kept/float',
  'settled/float',
  'corrected/wallet/float',
  'reversed/float',
  'reversed/fee/float',
] as const;
/** For a wallet, two parts follow the movement: from money that is still coming in, and from the wallet itself. */
const DISPUTE_STEPS = DISPUTE_MOVEMENTS.flatMap(
  (movement) => [movement, `${movement}/incoming`, `${movement}/wallet`, `${movement}/wallet/float`] as const,
);
/** Money that nobody asked for: taken by its processor, then given back. */
const RECEIPT_STEPS = ['arrived', 'returned'] as const;
/** An incoming transfer that matched no payment: it came, then went to a payment or back to its sender. */
const UNMATCHED_TRANSFER_STEPS = ['arrived', 'matched', 'returned'] as const;
const TRANSFER_STEPS = [
  'hold',
  'settle',
  'release',
  'reverse',
  'joined',
  'fee',
  'fee-hold',
  'fee-release',
  'fee-returned',
] as const;
/**
 * What is ordered lies apart from the balance until it is paid, or released because it never went out; what was paid may
 * come back. A part of each period is held in reserve, and what earlier ones held is released when its time is up.
 */
const PAYOUT_STEPS = ['ordered', 'paid', 'released', 'returned', 'reserve-held', 'reserve-released'] as const;
/** A movement of a tenant's own account at a bank, and the balance with which its first statement begins. */
const BANK_ENTRY_STEPS = ['booked'] as const;
const BANK_ACCOUNT_STEPS = ['opening'] as const;
/** A transfer back to a payer: it went out, and may have come back. */
const BANK_RETURN_STEPS = ['paid', 'returned'] as const;
/** The sums of a batch: what came in, what was taken back, the fees. */
const SETTLEMENT_STEPS = ['in', 'out', 'fee', 'fee-returned'] as const;
/** The difference itself, the fee of its line, and what is left where the amounts differ. */
const ADJUSTMENT_STEPS = ['', 'fee', 'rest'] as const;

const STEPS = {
  payment: PAYMENT_STEPS,
  refund: REFUND_STEPS,
  dispute: DISPUTE_STEPS,
  receipt: RECEIPT_STEPS,
  unmatchedTransfer: UNMATCHED_TRANSFER_STEPS,
  transfer: TRANSFER_STEPS,
  payout: PAYOUT_STEPS,
  bankEntry: BANK_ENTRY_STEPS,
  bankAccount: BANK_ACCOUNT_STEPS,
  bankReturn: BANK_RETURN_STEPS,
  settlement: SETTLEMENT_STEPS,
  adjustment: ADJUSTMENT_STEPS,
} as const;

/** What a booking is about. */
export type CauseSubject = keyof typeof STEPS;
export type CauseStep<Subject extends CauseSubject> = (typeof STEPS)[Subject][number];

/** How the causes of a subject begin. The id of a settlement is `<processor>/<batch>/<line>`. */
const PREFIXES: Record<CauseSubject, string> = {
  payment: `${ID_PREFIXES.payment}_`,
  refund: `${ID_PREFIXES.refund}_`,
  dispute: `${ID_PREFIXES.dispute}_`,
  receipt: `${ID_PREFIXES.receipt}_`,
  unmatchedTransfer: `${ID_PREFIXES.unmatchedTransfer}_`,
  transfer: `${ID_PREFIXES.transfer}_`,
  payout: `${ID_PREFIXES.payout}_`,
  bankEntry: `${ID_PREFIXES.bankEntry}_`,
  bankAccount: `${ID_PREFIXES.bankAccount}_`,
  bankReturn: `${ID_PREFIXES.bankReturn}_`,
  settlement: 'settlement/',
  adjustment: 'adjustment/',
};

/** Subjects whose prefix is no part of their id. */
const NAMED: Record<CauseSubject, boolean> = {
  payment: false,
  refund: false,
  dispute: false,
  receipt: false,
  unmatchedTransfer: false,
  transfer: false,
  payout: false,
  bankEntry: false,
  bankAccount: false,
  bankReturn: false,
  settlement: true,
  adjustment: true,
};

/** The cause of a step. `id`: of the payment, refund, dispute, transfer, batch line or difference. */
export function causeOf<Subject extends CauseSubject>(
  subject: Subject,
  id: string,
  step: CauseStep<Subject>,
): LedgerCause {
  return `${NAMED[subject] ? PREFIXES[subject] : ''}${id}${step === '' ? '' : `/${step}`}` as LedgerCause;
}

/** Every cause that a subject may have: of one that was booked, its entries are found without knowing its steps. */
export function causesOf(subject: CauseSubject, id: string): LedgerCause[] {
  const steps: readonly CauseStep<typeof subject>[] = STEPS[subject];
  return steps.map((step) => causeOf(subject, id, step));
}

/** The same in SQL, where `id` is an expression that gives the id. */
export function causeInSql<Subject extends CauseSubject>(
  subject: Subject,
  id: string,
  step: CauseStep<Subject>,
): string {
  const whole = NAMED[subject] ? `'${PREFIXES[subject]}' || ${id}` : id;
  return step === '' ? whole : `${whole} || '/${step}'`;
}

/** The cause of what follows a movement of a wallet whose top-up a seller has sold. */
export function floatCause(cause: LedgerCause): LedgerCause {
  return `${cause}/float` as LedgerCause;
}

/** SQL that holds for causes of a subject. `cause` is an expression that gives a cause. */
export function isCauseOfInSql(subject: CauseSubject, cause: string): string {
  return `starts_with(${cause}, '${PREFIXES[subject]}')`;
}

/** SQL for the id that a cause of a subject names, up to the first slash after it. `cause`: as above. */
export function subjectIdInSql(subject: CauseSubject, cause: string): string {
  return `split_part(${cause}, '/', ${NAMED[subject] ? 2 : 1})`;
}

export type ParsedCause = {
  [Subject in CauseSubject]: { subject: Subject; id: string; step: CauseStep<Subject> };
}[CauseSubject];

/** What a cause says. Undefined for one that was not built here. */
export function parseCause(cause: string): ParsedCause | undefined {
  for (const subject of Object.keys(STEPS) as CauseSubject[]) {
    if (!cause.startsWith(PREFIXES[subject])) continue;
    const rest = NAMED[subject] ? cause.slice(PREFIXES[subject].length) : cause;
    // The longest step that fits, so that no step is taken for the end of another.
    const steps = [...(STEPS[subject] as readonly string[])].sort((a, b) => b.length - a.length);
    const step = steps.find((one) => one === '' || rest.endsWith(`/${one}`));
    if (step === undefined) return undefined;
    const id = step === '' ? rest : rest.slice(0, -step.length - 1);
    return { subject, id, step } as ParsedCause;
  }
  return undefined;
}
