import type { AuthorizeRequest, Instrument, SettlementLine, SettlementReport } from '../../../domain/connector';
import { formatAmount, type Money } from '../../../domain/money';
import { meanings } from '../meanings';
import {
  asObject,
  type Fields,
  isText,
  isTime,
  readEvery,
  readMoney,
  readObject,
  readSettlementLine,
  readStanding,
  type Standing,
  textOrNothing,
} from '../reading';

/** A payment as processor E describes it. Amounts are `{value, ccy}`, decimal. */
export interface PaymentWire extends Standing {
  /** Absent until something was captured. */
  booked?: Money;
  reasonCode?: string;
  /** Only on direct debits. */
  mandate?: MandateWire;
}

export interface MandateWire {
  mandateId: string;
  /** RFC 3339 UTC: when the collection is due. */
  dueAt: string;
}

const entryKind = meanings<SettlementLine['kind']>({
  payment: 'capture',
  credit: 'refund',
  return: 'chargeback',
  return_reversal: 'chargeback_reversal',
});

/** Body of `POST /payments`. Holds card number or IBAN: never log it. Undefined for what E does not serve. */
export function paymentBody(request: AuthorizeRequest): object | undefined {
  const means = meansOf(request.instrument);
  if (!means) return undefined;
  const { payer } = request;
  return {
    endToEndId: request.reference,
    amount: amountOf(request.money),
    book: request.capture,
    ...means,
    statementText: request.descriptor,
    payer: payer && { name: `${payer.firstName ?? ''} ${payer.lastName ?? ''}`.trim(), email: payer.email },
  };
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
  const fields = asObject(readObject(text)?.payment) ?? {};
  const { paymentId: id, endToEndId: reference, status } = fields;
  const payment = readStanding({ id, reference, status, money: readAmount(fields.amount) });
  return (
    payment && {
      ...payment,
      booked: readAmount(fields.booked),
      reasonCode: textOrNothing(fields.reasonCode),
      mandate: readMandate(asObject(fields.mandate)),
    }
  );
}

export function readMandate({ mandateId, dueAt }: Fields = {}): MandateWire | undefined {
  return isText(mandateId) && isTime(dueAt) ? { mandateId, dueAt } : undefined;
}

/** A refund, which is a credit transfer to the payer. */
export function readCredit(text: string): Standing | undefined {
  const { transferId: id, creditId: reference, status, amount } = asObject(readObject(text)?.creditTransfer) ?? {};
  return readStanding({ id, reference, status, money: readAmount(amount) });
}

/** A statement is taken whole or not at all: undefined when any entry cannot be read. */
export function readStatement(text: string): SettlementReport | undefined {
  const { statementId, closedAt, entries } = asObject(readObject(text)?.statement) ?? {};
  const lines = readEvery(entries, readEntry);
  return isText(statementId) && isTime(closedAt) && lines ? { batchId: statementId, closedAt, lines } : undefined;
}

function readEntry(value: unknown): SettlementLine | undefined {
  const { entryId: lineId, type, endToEndId: paymentReference, creditId, ...amounts } = asObject(value) ?? {};
  const kind = entryKind(type);
  // A credit that does not say which one it is cannot be booked.
  const reference = kind === 'refund' ? creditId : paymentReference;
  const [money, fee] = [readAmount(amounts.amount), readAmount(amounts.charges)];
  return readSettlementLine({ lineId, kind, reference, paymentReference, money, fee });
}

/** A page of the list of statements; undefined when it cannot be read. */
export function readStatements(text: string): { batchIds: string[]; hasMore: boolean } | undefined {
  const { statements, next } = readObject(text) ?? {};
  const batchIds = readEvery(statements, (statement) => textOrNothing(asObject(statement)?.statementId));
  return batchIds && typeof next === 'boolean' ? { batchIds, hasMore: next } : undefined;
}
