import { formatAmount, isCurrency, parseAmount } from '../../../../domain/money';
import type { Order } from '../../acquirer';
import type { Batch, Charge, Line, Refund } from '../../books';
import type { Reply } from '../../calls';
import { Refusal, type RefusalCode } from '../../refusal';

// The provider's side of the wire, written apart from our connector on purpose: a mistake there must not find its
// mirror image here.

type Fields = Record<string, unknown>;

const STATUS: Record<RefusalCode, number> = {
  invalid_request: 400,
  invalid_card: 400,
  unauthorized: 401,
  not_found: 404,
  invalid_state: 409,
  amount_exceeded: 422,
  duplicate_reference: 409,
  idempotency_conflict: 409,
  too_large: 413,
};

const RETURN_CODES: ReadonlyMap<string | undefined, string> = new Map([
  ['do_not_honour', '004'],
  ['insufficient_funds', '014'],
  ['payer_refused', '099'],
]);

const LINE_KINDS: Record<Line['kind'], string> = {
  capture: 'charge',
  refund: 'refund',
  chargeback: 'dispute',
  chargeback_reversal: 'dispute-return',
};

const OFFSET_MS = 2 * 60 * 60_000;

export function returnCode(reason: string | undefined): string {
  return RETURN_CODES.get(reason) ?? '004';
}

export function price(amountMinor: bigint, currency: string): string {
  return `${formatAmount(amountMinor, currency)} ${currency}`;
}

/** 2026-01-31T12:00:00.000Z in the processor's own time: 2026-01-31T14:00:00+02:00. */
export function localTime(time: string): string {
  return `${new Date(Date.parse(time) + OFFSET_MS).toISOString().slice(0, 19)}+02:00`;
}

export function refused(refusal: Refusal, stands: Fields = {}): Reply {
  const error = { name: refusal.code.replaceAll('_', '-'), text: refusal.message };
  return { status: STATUS[refusal.code], body: { error, ...stands } };
}

export function statusOf(charge: Charge): string {
  switch (charge.status) {
    case 'challenge':
    case 'waiting':
      return 'page-open';
    case 'processing':
      return 'working';
    case 'authorized':
      return 'held';
    case 'cancelled':
      return pageIsClosed(charge) ? 'page-closed' : 'released';
    case 'declined':
    case 'authentication_failed':
      return 'refused';
    case 'captured':
      if (charge.chargedBackMinor > 0n) return 'disputed';
      if (charge.refundedMinor >= charge.capturedMinor) return 'refunded';
      if (charge.refundedMinor > 0n) return 'part-refunded';
      return charge.settled ? 'paid-out' : 'charged';
  }
}

function pageIsClosed({ challenge }: Charge): boolean {
  return challenge !== undefined && challenge.outcome === undefined && Date.parse(challenge.expiresAt) <= Date.now();
}

export function presentTransaction(charge: Charge, pageUrl: (id: string) => string): Fields {
  const { currency, capturedMinor, refundedMinor, challenge } = charge;
  return {
    transaction: {
      id: charge.id,
      order: charge.reference,
      status: statusOf(charge),
      total: price(charge.amountMinor, currency),
      charged: capturedMinor > 0n ? price(capturedMinor, currency) : undefined,
      refunded: refundedMinor > 0n ? price(refundedMinor, currency) : undefined,
      return_code: charge.status === 'declined' ? returnCode(charge.reason) : undefined,
      page:
        charge.status === 'waiting' && challenge
          ? { url: pageUrl(challenge.id), open_until: closingTime(challenge.expiresAt) }
          : undefined,
      opened: localTime(charge.createdAt),
    },
  };
}

/** The wire knows whole seconds: the next one, so that a page that is open now is not written as closed. */
function closingTime(time: string): string {
  return localTime(new Date(Date.parse(time) + 999).toISOString());
}

export function presentRefund(refund: Refund): Fields {
  return {
    refund: {
      id: refund.id,
      refund: refund.reference,
      order: refund.paymentReference,
      status: { pending: 'refund-working', refunded: 'refunded', declined: 'refund-refused' }[refund.status],
      total: price(refund.amountMinor, refund.currency),
    },
  };
}

export function presentStatement(batch: Batch, lines: readonly Line[]): Fields {
  return {
    statement: batch.id,
    closed: localTime(batch.closedAt),
    lines: lines.map(({ id, kind, reference, paymentReference, amountMinor, feeMinor, currency }) => ({
      line: id,
      kind: LINE_KINDS[kind],
      reference,
      order: paymentReference,
      total: price(amountMinor, currency),
      commission: price(feeMinor, currency),
    })),
  };
}

export function presentStatements({ batches, hasMore }: { batches: readonly Batch[]; hasMore: boolean }): Fields {
  return {
    statements: batches.map(({ id, closedAt }) => ({ statement: id, closed: localTime(closedAt) })),
    last_page: !hasMore,
  };
}

/** Reads `POST /d/api/pages`. Throws Refusal. */
export function readOrder(fields: Fields, idempotencyKey: string): Order {
  const mode = textOf(fields, 'mode');
  if (mode !== 'charge' && mode !== 'hold') throw invalid('mode');
  return {
    reference: textOf(fields, 'order'),
    idempotencyKey,
    ...readPrice(fields),
    capture: mode === 'charge',
    kind: 'hosted_page',
    threeDS: 'none',
    merchantInitiated: false,
    returnUrl: optionalTextOf(fields, 'return_to'),
    descriptor: optionalTextOf(fields, 'statement_text'),
  };
}

export function readPrice(fields: Fields): { amountMinor: bigint; currency: string } {
  const [amount = '', currency = ''] = textOf(fields, 'total').split(' ');
  if (!isCurrency(currency)) throw invalid('total');
  try {
    return { amountMinor: parseAmount(amount, currency), currency };
  } catch {
    throw invalid('total');
  }
}

export function textOf(fields: Fields, name: string): string {
  const value = fields[name];
  if (typeof value !== 'string' || value === '' || value.length > 2_048) throw invalid(name);
  return value;
}

function optionalTextOf(fields: Fields, name: string): string | undefined {
  return fields[name] === undefined || fields[name] === '' ? undefined : textOf(fields, name);
}

function invalid(name: string): Refusal {
  return new Refusal('invalid_request', `${name} is missing or not valid.`);
}
