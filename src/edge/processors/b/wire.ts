import { XMLParser } from 'fast-xml-parser';
import type {
  AuthorizeRequest,
  Instrument,
  OutgoingTransferRequest,
  SettlementLine,
  SettlementReport,
} from '../../../domain/connector';
import { formatAmount, type Money } from '../../../domain/money';
import { formOf } from '../http';
import { meanings } from '../meanings';
import {
  asObject,
  type Fields,
  isPageUrl,
  isText,
  isTime,
  readEvery,
  readMoney,
  readSettlementLine,
  readStanding,
  type Standing,
  textOrNothing,
} from '../reading';

/** A payment as processor B describes it: XML, Portuguese names, a decimal comma in amounts. */
export interface PaymentWire extends Standing {
  /** Absent until something was captured. */
  captured?: Money;
  /** What the payer has sent, where that may differ from what was asked for. */
  received?: Money;
  refusalReason?: string;
  method: string;
  /** The payer's page. */
  page?: string;
  expiresAt?: string;
  voucher?: { entity: string; reference: string };
  account?: { iban: string; bic: string; holder: string; reference: string };
}

const parser = new XMLParser({
  parseTagValue: false,
  ignoreAttributes: true,
  isArray: (name) => name === 'linha' || name === 'id_lote',
});

const lineKind = meanings<SettlementLine['kind']>({
  pagamento: 'capture',
  devolucao: 'refund',
  contestacao: 'chargeback',
  contestacao_anulada: 'chargeback_reversal',
  transferencia_emitida: 'refund',
  transferencia_devolvida: 'capture',
});

/** Form of `POST /api/pagamentos`; undefined for an instrument that processor B does not know. */
export function authorizeForm(request: AuthorizeRequest): URLSearchParams | undefined {
  const method = methodOf(request.instrument);
  if (!method) return undefined;
  const { instrument, payer } = request;
  return formOf({
    pedido: request.idempotencyKey,
    referencia: request.reference,
    ...amountForm(request.money),
    metodo: method,
    nome: 'payerName' in instrument ? instrument.payerName : undefined,
    email: instrument.kind === 'apm' ? instrument.payerEmail : payer?.email,
    pais: instrument.kind === 'apm' ? instrument.country : payer?.country,
    banco: instrument.kind === 'apm' ? instrument.bankCode : undefined,
    url_retorno: request.returnUrl,
    descritivo: request.descriptor,
  });
}

function methodOf(instrument: Instrument): string | undefined {
  if (instrument.kind === 'bank_transfer') return 'transferencia';
  if (instrument.kind !== 'apm') return undefined;
  return instrument.scheme === 'redirect' ? 'redirecionamento' : 'multibanco';
}

/** `valor` with a decimal comma, and `moeda`. */
export function amountForm(money: Money): { valor: string; moeda: string } {
  return { valor: formatAmount(money.amountMinor, money.currency).replace('.', ','), moeda: money.currency };
}

/** The members of an XML document with this root, or undefined when it is something else. */
export function readDocument(text: string, root: string): Fields | undefined {
  // Nothing of ours needs a document type, and its entities are a known way to do harm.
  if (text.includes('<!')) return undefined;
  try {
    return asObject((parser.parse(text, true) as Fields)[root]);
  } catch {
    return undefined;
  }
}

/** What an answer is about: its root where the call was done, a member of the refusal where it was not. */
export function readAbout(text: string, status: number, what: string): Fields | undefined {
  return status === 200 ? readDocument(text, what) : asObject(readDocument(text, 'erro')?.[what]);
}

/** Undefined when a member that must be there is not, or is of another form. */
export function readPayment(fields: Fields = {}): PaymentWire | undefined {
  const { id, referencia: reference, estado: status, metodo: method, moeda, pagina, validade } = fields;
  const payment = readStanding({ id, reference, status, money: readCommaMoney(fields.valor, moeda) });
  if (!payment || !isText(method)) return undefined;
  return {
    ...payment,
    method,
    captured: readCommaMoney(fields.valor_pago, moeda),
    received: readCommaMoney(fields.valor_recebido, moeda),
    refusalReason: textOrNothing(fields.motivo),
    page: isPageUrl(pagina) ? pagina : undefined,
    expiresAt: isTime(validade) ? validade : undefined,
    voucher: readVoucher(asObject(fields.multibanco)),
    account: readAccount(asObject(fields.conta)),
  };
}

function readVoucher({ entidade: entity, referencia: reference }: Fields = {}): PaymentWire['voucher'] {
  return isText(entity) && isText(reference) ? { entity, reference } : undefined;
}

function readAccount({ iban, bic, titular: holder, referencia: reference }: Fields = {}): PaymentWire['account'] {
  return isText(iban) && isText(bic) && isText(holder) && isText(reference)
    ? { iban, bic, holder, reference }
    : undefined;
}

export function readRefund(fields: Fields = {}): Standing | undefined {
  const { id, referencia: reference, estado: status, valor, moeda } = fields;
  return readStanding({ id, reference, status, money: readCommaMoney(valor, moeda) });
}

/** An incoming transfer as processor B describes it. */
export interface TransferWire extends Standing {
  /** Our id of the payment that it counts towards. */
  paymentReference?: string;
}

/** The processor's id of the transfer stands for its reference too: we have none of our own. */
export function readTransfer(fields: Fields = {}): TransferWire | undefined {
  const { id, estado: status, valor, moeda, pagamento } = fields;
  const transfer = readStanding({ id, reference: id, status, money: readCommaMoney(valor, moeda) });
  return transfer && { ...transfer, paymentReference: textOrNothing(pagamento) };
}

/** The form of a transfer to an account that we name. */
export function payoutForm(request: OutgoingTransferRequest): URLSearchParams {
  const { idempotencyKey, reference, money, beneficiary, text } = request;
  return formOf({
    pedido: idempotencyKey,
    referencia: reference,
    ...amountForm(money),
    iban: beneficiary.iban,
    bic: beneficiary.bic,
    beneficiario: beneficiary.holder,
    descritivo: text,
  });
}

/** A transfer that we sent, as processor B describes it. */
export interface PayoutWire extends Standing {
  reason?: string;
}

export function readPayout(fields: Fields = {}): PayoutWire | undefined {
  const { id, referencia: reference, estado: status, valor, moeda, motivo } = fields;
  const payout = readStanding({ id, reference, status, money: readCommaMoney(valor, moeda) });
  return payout && { ...payout, reason: textOrNothing(motivo) };
}

/** A report is taken whole or not at all: undefined when any line cannot be read. */
export function readSettlement(text: string): SettlementReport | undefined {
  const { id, fechado_em: closedAt, linha } = readDocument(text, 'lote') ?? {};
  const lines = readEvery(linha, readLine);
  return isText(id) && isTime(closedAt) && lines ? { batchId: id, closedAt, lines } : undefined;
}

function readLine(value: unknown): SettlementLine | undefined {
  const { id, tipo, referencia, pagamento, moeda, ...fields } = asObject(value) ?? {};
  return readSettlementLine({
    lineId: id,
    kind: lineKind(tipo),
    reference: referencia,
    paymentReference: pagamento,
    money: readCommaMoney(fields.valor, moeda),
    fee: readCommaMoney(fields.comissao, moeda),
  });
}

/** A page of the list of batches; undefined when it cannot be read. */
export function readBatches(text: string): { batchIds: string[]; hasMore: boolean } | undefined {
  const { id_lote: ids = [], mais } = readDocument(text, 'lotes') ?? {};
  const batchIds = readEvery(ids, textOrNothing);
  return batchIds && (mais === 'sim' || mais === 'nao') ? { batchIds, hasMore: mais === 'sim' } : undefined;
}

/** Money with a decimal comma; undefined when it is none. */
export function readCommaMoney(amount: unknown, currency: unknown): Money | undefined {
  if (typeof amount !== 'string' || amount.includes('.')) return undefined;
  return readMoney(amount.replace(',', '.'), currency);
}
