import type { AuthorizeRequest, Instrument, SettlementLine, SettlementReport } from '../../../domain/connector';
import { formatAmount, type Money } from '../../../domain/money';
import { asObject, type Fields, isText, isTime, readMoney, readObject } from '../reading';

/** A payment as processor E describes it. Amounts are `{value, ccy}`, decimal. */
export interface PaymentWire {
  paymentId: string;
  reference: string;
  status: string;
  money: Money;
  /** Absent until something was captured. */
  booked?: Money;
  reasonCode?: string;
  /** Of direct debits. */
  mandate?: MandateWire;
}

export interface MandateWire {
  mandateId: string;
  /** RFC 3339 UTC: when the collection is due. */
  dueAt: string;
}

/** A refund as processor E describes it: a credit transfer to the payer. */
export interface CreditWire {
  transferId: string;
  reference: string;
  status: string;
  money: Money;
}

const ENTRY_KINDS: ReadonlyMap<string, SettlementLine['kind']> = new Map([
  ['payment', 'capture'],
  ['credit', 'refund'],
  ['return', 'chargeback'],
  ['return_reversal', 'chargeback_reversal'],
]);

/** Body of `POST /payments`. Holds card number or IBAN: never log it. Undefined for what E does not serve. */
export function paymentBody(request: AuthorizeRequest): string | undefined {
  const means = meansOf(request.instrument);
  if (!means) return undefined;
  const { payer } = request;
  return JSON.stringify({
    endToEndId: request.reference,
    amount: amountOf(request.money),
    book: request.capture,
    ...means,
    statementText: request.descriptor,
    payer: payer && { name: `${payer.firstName ?? ''} ${payer.lastName ?? ''}`.trim(), email: payer.email },
  });
}

function meansOf(instrument: Instrument): object | undefined {
  switch (instrument.kind) {
    case 'wallet': {
      const { number, holder, expiryMonth, expiryYear, eci } = instrument.card;
      const { cryptogram, wallet } = instrument;
      return { networkToken: { number, holder, expires: `${expiryYear}-${expiryMonth}`, cryptogram, eci, wallet } };
    }
    case 'direct_debit': {
      const { mandateId, iban, accountHolder, signedAt, first } = instrument.mandate;
      // Sequence types of the SEPA Direct Debit Core Rulebook, AT-21.
      const sequence = first ? 'FRST' : 'RCUR';
      return { collection: { mandateId, signedAt, sequence, debtor: { name: accountHolder, iban } } };
    }
    default:
      return undefined;
  }
}

export function amountOf({ amountMinor, currency }: Money): { value: string; ccy: string } {
  return { value: formatAmount(amountMinor, currency), ccy: currency };
}

/** Undefined when it is not `{value, ccy}`. */
export function readAmount(value: unknown): Money | undefined {
  const fields = asObject(value);
  return readMoney(fields?.value, fields?.ccy);
}

/** Undefined when a member that must be there is not, or is of another form. */
export function readPayment(text: string): PaymentWire | undefined {
  const fields = asObject(readObject(text)?.payment);
  const { paymentId, endToEndId, status, reasonCode } = fields ?? {};
  const money = readAmount(fields?.amount);
  if (!fields || !isText(paymentId) || !isText(endToEndId) || !isText(status) || !money) return undefined;
  return {
    paymentId,
    reference: endToEndId,
    status,
    money,
    booked: readAmount(fields.booked),
    reasonCode: isText(reasonCode) ? reasonCode : undefined,
    mandate: readMandate(asObject(fields.mandate)),
  };
}

export function readMandate(fields: Fields | undefined): MandateWire | undefined {
  const { mandateId, dueAt } = fields ?? {};
  return isText(mandateId) && isTime(dueAt) ? { mandateId, dueAt } : undefined;
}

export function readCredit(text: string): CreditWire | undefined {
  const fields = asObject(readObject(text)?.creditTransfer);
  const { transferId, creditId, status } = fields ?? {};
  const money = readAmount(fields?.amount);
  if (!isText(transferId) || !isText(creditId) || !isText(status) || !money) return undefined;
  return { transferId, reference: creditId, status, money };
}

/** A statement is taken whole or not at all: undefined when any entry cannot be read. */
export function readStatement(text: string): SettlementReport | undefined {
  const { statementId, closedAt, entries } = asObject(readObject(text)?.statement) ?? {};
  if (!isText(statementId) || !isTime(closedAt) || !Array.isArray(entries)) return undefined;
  const lines: SettlementLine[] = [];
  for (const entry of entries) {
    const line = readEntry(asObject(entry));
    if (!line) return undefined;
    lines.push(line);
  }
  return { batchId: statementId, closedAt, lines };
}

function readEntry(fields: Fields | undefined): SettlementLine | undefined {
  const { entryId, type, endToEndId, creditId } = fields ?? {};
  const kind = isText(type) ? ENTRY_KINDS.get(type) : undefined;
  const [money, charges] = [readAmount(fields?.amount), readAmount(fields?.charges)];
  if (!kind || !money || charges?.currency !== money.currency) return undefined;
  // A credit that does not say which one it is cannot be booked.
  const reference = kind === 'refund' ? creditId : endToEndId;
  if (!isText(entryId) || !isText(endToEndId) || !isText(reference)) return undefined;
  return { lineId: entryId, kind, reference, paymentReference: endToEndId, money, feeMinor: charges.amountMinor };
}

/** A page of the list of statements; undefined when it cannot be read. */
export function readStatements(text: string): { batchIds: string[]; hasMore: boolean } | undefined {
  const { statements, next } = readObject(text) ?? {};
  if (!Array.isArray(statements) || typeof next !== 'boolean') return undefined;
  const batchIds = statements.map((statement) => asObject(statement)?.statementId);
  return batchIds.every(isText) ? { batchIds, hasMore: next } : undefined;
}
