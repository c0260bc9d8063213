import { XMLParser } from 'fast-xml-parser';
import type { AuthorizeRequest, Instrument, SettlementLine, SettlementReport } from '../../../domain/connector';
import { formatAmount, type Money } from '../../../domain/money';
import { asObject, type Fields, isText, isTime, readMoney } from '../reading';

/** A payment as processor B describes it: XML, Portuguese names, a decimal comma in amounts. */
export interface PaymentWire {
  id: string;
  reference: string;
  status: string;
  money: Money;
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

/** A refund as processor B describes it. */
export interface RefundWire {
  id: string;
  reference: string;
  status: string;
  money: Money;
}

const parser = new XMLParser({
  parseTagValue: false,
  ignoreAttributes: true,
  isArray: (name) => name === 'linha' || name === 'id_lote',
});

const LINE_KINDS: ReadonlyMap<string, SettlementLine['kind']> = new Map([
  ['pagamento', 'capture'],
  ['devolucao', 'refund'],
  ['contestacao', 'chargeback'],
  ['contestacao_anulada', 'chargeback_reversal'],
]);

/** Form of `POST /api/pagamentos`; undefined for an instrument that processor B does not know. */
export function authorizeForm(request: AuthorizeRequest): URLSearchParams | undefined {
  const method = methodOf(request.instrument);
  if (!method) return undefined;
  const { instrument, payer } = request;
  const given: Record<string, string | undefined> = {
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
  };
  return new URLSearchParams(Object.entries(given).filter((entry): entry is [string, string] => Boolean(entry[1])));
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

/** Undefined when a member that must be there is not, or is of another form. */
export function readPayment(fields: Fields | undefined): PaymentWire | undefined {
  if (!fields) return undefined;
  const { id, referencia, estado, metodo, moeda, pagina, validade, motivo } = fields;
  const money = readCommaMoney(fields.valor, moeda);
  if (!isText(id) || !isText(referencia) || !isText(estado) || !isText(metodo) || !money) return undefined;
  return {
    id,
    reference: referencia,
    status: estado,
    method: metodo,
    money,
    captured: readCommaMoney(fields.valor_pago, moeda),
    received: readCommaMoney(fields.valor_recebido, moeda),
    refusalReason: isText(motivo) ? motivo : undefined,
    page: isText(pagina) && /^https?:\/\//.test(pagina) ? pagina : undefined,
    expiresAt: isTime(validade) ? validade : undefined,
    voucher: readVoucher(asObject(fields.multibanco)),
    account: readAccount(asObject(fields.conta)),
  };
}

function readVoucher(fields: Fields | undefined): PaymentWire['voucher'] {
  if (!fields || !isText(fields.entidade) || !isText(fields.referencia)) return undefined;
  return { entity: fields.entidade, reference: fields.referencia };
}

function readAccount(fields: Fields | undefined): PaymentWire['account'] {
  if (!fields) return undefined;
  const { iban, bic, titular, referencia } = fields;
  if (!isText(iban) || !isText(bic) || !isText(titular) || !isText(referencia)) return undefined;
  return { iban, bic, holder: titular, reference: referencia };
}

export function readRefund(fields: Fields | undefined): RefundWire | undefined {
  if (!fields) return undefined;
  const { id, referencia, estado } = fields;
  const money = readCommaMoney(fields.valor, fields.moeda);
  if (!isText(id) || !isText(referencia) || !isText(estado) || !money) return undefined;
  return { id, reference: referencia, status: estado, money };
}

/** A report is taken whole or not at all: undefined when any line cannot be read. */
export function readSettlement(fields: Fields | undefined): SettlementReport | undefined {
  if (!fields || !isText(fields.id) || !isTime(fields.fechado_em) || !Array.isArray(fields.linha)) return undefined;
  const lines = fields.linha.map((entry) => readLine(asObject(entry)));
  return lines.every((line) => line !== undefined)
    ? { batchId: fields.id, closedAt: fields.fechado_em, lines }
    : undefined;
}

function readLine(fields: Fields | undefined): SettlementLine | undefined {
  if (!fields) return undefined;
  const { id, tipo, referencia, pagamento, moeda } = fields;
  const kind = isText(tipo) ? LINE_KINDS.get(tipo) : undefined;
  const money = readCommaMoney(fields.valor, moeda);
  const fee = readCommaMoney(fields.comissao, moeda);
  if (!kind || !money || !fee || !isText(id) || !isText(referencia) || !isText(pagamento)) return undefined;
  return {
    lineId: id,
    kind,
    reference: referencia,
    paymentReference: pagamento,
    money,
    feeMinor: fee.amountMinor,
  };
}

/** A page of the list of batches; undefined when it cannot be read. */
export function readBatches(fields: Fields | undefined): { batchIds: string[]; hasMore: boolean } | undefined {
  const { id_lote: batchIds = [], mais } = fields ?? {};
  if ((mais !== 'sim' && mais !== 'nao') || !Array.isArray(batchIds) || !batchIds.every(isText)) return undefined;
  return { batchIds, hasMore: mais === 'sim' };
}

/** Money with a decimal comma; undefined when it is none. */
export function readCommaMoney(amount: unknown, currency: unknown): Money | undefined {
  if (typeof amount !== 'string' || amount.includes('.')) return undefined;
  return readMoney(amount.replace(',', '.'), currency);
}
