import type { CardData, Instrument, ProcessorId } from '../../../domain/connector';
import type { PaymentInput, PaymentView } from '../../../domain/flows';
import type { AuthorizeAnswer } from '../../../domain/processor-answers';
import { RESULT } from '../../../domain/result-codes';
import { statement } from '../../../foundation/db/named-statements';
import type { SealedCard, Vault } from '../../../foundation/vault/vault';
import { type AttemptSubject, noteRefusedAttempt, TOO_MANY_DECLINED } from '../../limits/attempt-limits';
import type { Accepted } from '../accept';
import type { Mandates } from '../mandates';
import { end } from '../outcome';
import type { PaymentRow } from '../payment';
import { withPictures } from '../qr-pictures';
import { applyChangeAtOnce } from '../transition';
import { holdVirtualAccount } from '../virtual-accounts';
import { type Booking, bookAnswer, bookAnswerAtOnce, bookLocked, recordChange } from './book-answer';
import { readPayment, readPaymentView } from './flow-view';
import { type Attempted, askAboutPayment, inFlightUntil, sendAuthorization } from './send';
import { isSentAuthenticated, markAuthenticated, mayAuthenticate, type SoftDecline } from './soft-decline';

export interface Authorizing extends Booking {
  vault: Vault;
  mandates: Mandates;
}

const CLAIM = statement(
  'payment_claim_2',
  'SELECT (c.payment).*, c.key_id, c.wrapped_key, c.sealed, c.cvv, c.refused_by FROM payment_claim_2($1, $2) AS c',
);

/** A payment that is marked as sent, with its card. */
interface Claimed extends Pick<Accepted, 'payment' | 'refusedBy'> {
  card: CardData | undefined;
}

/**
 * Sends a fresh payment to its processor and books the outcome. May be repeated at any point: that it was sent is marked
 * before, and a repeat asks the processor by our own reference before it sends again, under the same key.
 */
export async function submitPayment(deps: Authorizing, input: PaymentInput): Promise<PaymentView> {
  const claimed = await claim(deps, input);
  if (!claimed) {
    // An earlier try got further than it could tell.
    deps.firstAnswers.tell(input.paymentId);
    return readPaymentView(deps, input);
  }
  const { payment, card, refusedBy } = claimed;
  if (refusedBy.length > 0 || payment.attempts === 1) return submitClaimed(deps, claimed);
  const { attempt } = await readPayment(deps, input);
  const found = await askAboutPayment(deps, { payment, attempt });
  if (isGone(claimed)) return bookAnswer(deps, input, await prepareForPayer(deps, payment, found), 'authorize');
  // What is known of a request without 3-D Secure says nothing of the one with it.
  const isOfEarlier = found.kind === 'soft_declined' && isSentAuthenticated(payment);
  const isUnheard = found.kind === 'not_found' || isOfEarlier;
  return authorize(deps, payment, card, isUnheard ? await sendAgain(deps, payment, card) : found);
}

/** Marks a payment as being sent. Undefined: it is no longer to be sent. */
async function claim(
  { database, vault }: Authorizing,
  { tenantId, paymentId }: PaymentInput,
): Promise<Claimed | undefined> {
  const [claimed] = await database.named.app.send<PaymentRow & SealedCard & { refused_by: AttemptSubject[] }>(CLAIM, [
    tenantId,
    paymentId,
  ]);
  if (!claimed) return undefined;
  const { key_id, wrapped_key, sealed, cvv, refused_by: refusedBy, ...rest } = claimed;
  const payment = rest as PaymentRow;
  const card = payment.card_id ? vault.openIfKept(payment.card_id, { key_id, wrapped_key, sealed, cvv }) : undefined;
  return { payment, card, refusedBy };
}

/**
 * The first step of a payment that was marked as sent with its acceptance, by the process that accepted it. `given`: the card
 * that came with the request. Not to be repeated: once this has been tried, `submitPayment` goes on.
 */
export async function submitAccepted(
  deps: Authorizing,
  { payment, refusedBy }: Pick<Accepted, 'payment' | 'refusedBy'>,
  given: CardData | undefined,
): Promise<PaymentView> {
  const needsCard = !given && payment.card_id !== null && refusedBy.length === 0;
  return submitClaimed(deps, { payment, refusedBy, card: needsCard ? await openCard(deps, payment) : given });
}

/** Sends what nobody has sent before. */
function submitClaimed(deps: Authorizing, claimed: Claimed): Promise<PaymentView> {
  const { payment, card, refusedBy } = claimed;
  const input = { paymentId: payment.id, tenantId: payment.tenant_id };
  if (refusedBy.length > 0) return refuseAttempt(deps, input, refusedBy);
  return isGone(claimed) ? bookAnswer(deps, input, NEVER_SENT, 'authorize') : authorize(deps, payment, card);
}

const isGone = ({ payment, card }: Claimed) => payment.card_id !== null && !card;

/** Its card had its time in the vault before the payment was sent to anybody. */
const NEVER_SENT: AuthorizeAnswer = { kind: 'not_charged', detail: 'its card was erased before it was sent' };

/** Too many attempts were declined before this one: it ends as a decline that does not say so, and is never sent. */
function refuseAttempt(
  deps: Authorizing,
  input: PaymentInput,
  refusedBy: readonly AttemptSubject[],
): Promise<PaymentView> {
  return bookLocked(deps, input, 0, async (trx, payment) => {
    // Another try of this step was let through, or somebody has ended the payment.
    if (payment.status !== 'initiated' || payment.attempts > 0) return payment;
    await noteRefusedAttempt(trx, payment.tenant_id, payment.id, refusedBy);
    const { resultCode, detail } = TOO_MANY_DECLINED;
    return recordChange(trx, deps, payment, end(payment, 'failed', resultCode, detail, 'attempt limits'));
  });
}

/**
 * An earlier process died while it sent, and what it sent may still be on its way. Where this try never left, or was
 * refused, that is no word on the earlier one: the processor is asked once the earlier one must have arrived.
 */
async function sendAgain(deps: Authorizing, payment: PaymentRow, card: CardData | undefined): Promise<AuthorizeAnswer> {
  const answer = await sendAuthorization(deps, payment, await instrumentOf(deps, payment, card));
  // A decline that names no payment there is of this request alone.
  const isOfThisTry = answer.kind === 'not_charged' || (answer.kind === 'declined' && !answer.processorReference);
  return isOfThisTry ? { kind: 'unknown', detail: answer.detail } : answer;
}

/**
 * Asks the processors of the payment's route, one after the other, for as long as each says that it charged nothing;
 * every other answer is the payment's outcome. `first`: what the first of them is known to have said.
 */
async function authorize(
  deps: Authorizing,
  fresh: PaymentRow,
  card: CardData | undefined,
  first?: AuthorizeAnswer,
): Promise<PaymentView> {
  const instrument = await instrumentOf(deps, fresh, card);
  let payment = fresh;
  let answer = first;
  for (;;) {
    answer ??= await sendAuthorization(deps, payment, instrument);
    if (answer.kind === 'soft_declined' && mayAuthenticate(payment)) {
      const marked = await markAuthenticated(deps, payment, answer, 'authorize');
      if (!marked) return readPaymentView(deps, { paymentId: payment.id, tenantId: payment.tenant_id });
      payment = marked;
      answer = undefined;
      continue;
    }
    const next = answer.kind === 'not_charged' ? nextProcessor(payment) : undefined;
    if (!next) break;
    const moved = await failOver(deps, payment, next, { why: 'detail' in answer ? `${answer.detail}` : '' });
    if (!moved) return readPaymentView(deps, { paymentId: payment.id, tenantId: payment.tenant_id });
    payment = moved;
    answer = undefined;
  }
  const prepared = await prepareForPayer(deps, payment, answer);
  // Between an earlier try and this one somebody may have ordered that it is cancelled.
  if (payment.attempts > 1)
    return bookAnswer(deps, { paymentId: payment.id, tenantId: payment.tenant_id }, prepared, 'authorize');
  return bookAnswerAtOnce(deps, { payment }, prepared, 'authorize');
}

/** The next processor of the route; undefined after the last. */
export function nextProcessor(payment: PaymentRow): ProcessorId | undefined {
  const processors = payment.request.route?.processors ?? [];
  const at = processors.indexOf(payment.processor);
  return at < 0 ? undefined : processors[at + 1];
}

/** Hands the payment to the next processor, before anything is sent there. Undefined: somebody else moved it. */
function failOver(
  { database, ledger }: Booking,
  payment: PaymentRow,
  next: ProcessorId,
  { why, askAgainMs }: { why: string; askAgainMs?: number },
): Promise<PaymentRow | undefined> {
  return applyChangeAtOnce(database, ledger, payment, {
    to: payment.status,
    resultCode: RESULT.pending,
    detail: `Processor ${payment.processor} charged nothing (${why}); it goes to processor ${next} instead.`,
    cause: 'routing',
    columns: { processor: next, unknown_since: null },
    attempt: { status: 'nothing_charged', askAgainMs },
  });
}

/**
 * Sends a payment that its processor never got to the next one of its route. Undefined where its card was erased: there is
 * nothing to send.
 */
export async function sendElsewhere(
  deps: Authorizing,
  payment: PaymentRow,
  next: ProcessorId,
): Promise<PaymentView | undefined> {
  const card = payment.card_id ? await openCard(deps, payment) : undefined;
  if (payment.card_id && !card) return undefined;
  const { inquiryFirstMs: askAgainMs } = deps.timers;
  const moved = await failOver(deps, payment, next, { why: 'it never got the request', askAgainMs });
  if (!moved) return readPaymentView(deps, { paymentId: payment.id, tenantId: payment.tenant_id });
  return authorize(deps, moved, card);
}

/**
 * Sends a payment again, with 3-D Secure, that its issuer is found to have declined without; also where that request was dropped.
 * Undefined where its payer cannot be asked, or its card was erased: it ends as declined.
 */
export async function sendAuthenticated(
  deps: Authorizing,
  { payment, attempt }: Attempted,
  answer: SoftDecline,
  tries: number,
): Promise<PaymentView | undefined> {
  const isSent = isSentAuthenticated(payment);
  if (!isSent && !mayAuthenticate(payment)) return undefined;
  const input = { paymentId: payment.id, tenantId: payment.tenant_id };
  if (isSent && inFlightUntil(deps, { payment, attempt }) > new Date()) return readPaymentView(deps, input, tries);
  const card = payment.card_id ? await openCard(deps, payment) : undefined;
  if (!card) return undefined;
  const marked = await markAuthenticated(deps, payment, answer, 'inquiry');
  return marked ? authorize(deps, marked, card) : readPaymentView(deps, input, tries);
}

/** What the payer sees needs its picture, and an account given to a payer has to be known when money arrives on it. */
export async function prepareForPayer<Answer extends AuthorizeAnswer>(
  { database }: Booking,
  payment: PaymentRow,
  answer: Answer,
): Promise<Answer> {
  if (answer.kind !== 'payer_action') return answer;
  if (payment.kind === 'bank_transfer') await holdVirtualAccount(database, payment, answer.action);
  return { ...answer, action: await withPictures(answer.action) };
}

async function instrumentOf(
  { mandates }: Authorizing,
  payment: PaymentRow,
  card: CardData | undefined,
): Promise<Instrument> {
  const stored = payment.request.instrument;
  if (stored?.kind === 'direct_debit')
    return { kind: 'direct_debit', mandate: await mandates.open(payment, stored.mandateId) };
  if (stored && stored.kind !== 'wallet') return stored;
  if (!card) throw new Error(`payment ${payment.id} has nothing to pay with`);
  if (!stored) return { kind: 'card', card };
  // The cryptogram of a wallet token is stored in place of a CVV: it works once, and is erased as soon.
  const { cvv: cryptogram, ...rest } = card;
  return { kind: 'wallet', wallet: stored.wallet, card: rest, cryptogram };
}

async function openCard({ database, vault }: Authorizing, payment: PaymentRow): Promise<CardData | undefined> {
  const sealed: SealedCard = await database.tenant(payment.tenant_id, (trx) =>
    trx('vault_cards as c')
      .leftJoin('vault_cvvs as v', (join) => join.on('v.card_id', 'c.id').andOn('v.expires_at', '>', trx.fn.now()))
      .where('c.id', payment.card_id)
      .first('c.key_id', 'c.wrapped_key', 'c.sealed', 'v.sealed as cvv'),
  );
  return vault.openIfKept(payment.card_id!, sealed);
}
