import { formatAmount, isCurrency, parseAmount } from '../../../../domain/money';
import type { Order } from '../../acquirer';
import type { Batch, Charge, Line, Refund } from '../../books';
import type { Reply } from '../../calls';
import { Refusal, type RefusalCode } from '../../refusal';
import { newAccount, newVoucher } from './accounts';

// The provider's side of the wire, written apart from our connector on purpose: a mistake there must not find its
// mirror image here.

type Form = Record<string, string>;

const DAY_MS = 24 * 60 * 60_000;

const REFUSALS: Record<RefusalCode, [number, string]> = {
  invalid_request: [422, 'DADOS_INVALIDOS'],
  invalid_card: [422, 'DADOS_INVALIDOS'],
  unauthorized: [401, 'NAO_AUTORIZADO'],
  not_found: [404, 'NAO_ENCONTRADO'],
  invalid_state: [409, 'ESTADO_INVALIDO'],
  amount_exceeded: [422, 'VALOR_EXCEDIDO'],
  duplicate_reference: [409, 'REFERENCIA_DUPLICADA'],
  idempotency_conflict: [409, 'PEDIDO_REPETIDO'],
  too_large: [413, 'DEMASIADO_GRANDE'],
};

const REASONS: ReadonlyMap<string, string> = new Map([
  ['do_not_honour', 'recusado_pelo_banco'],
  ['insufficient_funds', 'saldo_insuficiente'],
  ['payer_refused', 'desistencia'],
  ['goods_not_received', 'bens_nao_recebidos'],
]);

const LINE_KINDS: Record<Line['kind'], string> = {
  capture: 'pagamento',
  refund: 'devolucao',
  chargeback: 'contestacao',
  chargeback_reversal: 'contestacao_anulada',
};

export function reasonWord(reason: string): string {
  return REASONS.get(reason) ?? reason;
}

/** An amount with a decimal comma. */
export function amountText(amountMinor: bigint, currency: string): string {
  return formatAmount(amountMinor, currency).replace('.', ',');
}

export function statusWord(charge: Charge): string {
  switch (charge.status) {
    case 'challenge':
    case 'waiting':
      return (charge.receivedMinor ?? 0n) > 0n ? 'pago_parcial' : 'pendente';
    case 'processing':
      return 'em_processamento';
    case 'authorized':
      return 'autorizado';
    case 'cancelled':
      return 'anulado';
    case 'declined':
    case 'authentication_failed':
      return 'recusado';
    case 'captured':
      if (charge.chargedBackMinor > 0n) return 'contestado';
      if (charge.refundedMinor >= charge.capturedMinor) return 'devolvido';
      if (charge.refundedMinor > 0n) return 'devolvido_parcial';
      return charge.settled ? 'liquidado' : 'pago';
  }
}

/** A text, members by name, or as it is: absent ones are left out. */
type Content = string | undefined | readonly Element[];
type Element = readonly [name: string, content: Content];

const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&apos;' };

function write(elements: readonly Element[]): string {
  return elements
    .filter(([, content]) => content !== undefined)
    .map(([name, content]) => {
      const inner =
        typeof content === 'string' ? content.replace(/[&<>"']/g, (sign) => ESCAPES[sign]!) : write(content!);
      return `<${name}>${inner}</${name}>`;
    })
    .join('');
}

function xml(status: number, root: Element): Reply {
  const body = `<?xml version="1.0" encoding="UTF-8"?>\n${write([root])}\n`;
  return { status, body, contentType: 'application/xml; charset=utf-8' };
}

export function refusalReply(refusal: Refusal, stands?: { payment: Charge } | { refund: Refund }, pageUrl = ''): Reply {
  const [status, code] = REFUSALS[refusal.code];
  const shown = !stands
    ? []
    : 'payment' in stands
      ? [payment(stands.payment, pageUrl)]
      : [refundElement(stands.refund)];
  return xml(status, ['erro', [['codigo', code], ['mensagem', refusal.message], ...shown]]);
}

export function paymentReply(charge: Charge, pageUrl: string): Reply {
  return xml(200, payment(charge, pageUrl));
}

export function refundReply(refund: Refund): Reply {
  return xml(200, refundElement(refund));
}

function payment(charge: Charge, pageUrl: string): Element {
  const { currency, details = {}, challenge } = charge;
  const amount = (minor: bigint | undefined) => (minor ? amountText(minor, currency) : undefined);
  const isWaiting = charge.status === 'waiting';
  return [
    'pagamento',
    [
      ['id', charge.id],
      ['referencia', charge.reference],
      ['estado', statusWord(charge)],
      ['metodo', details.metodo],
      ['valor', amountText(charge.amountMinor, currency)],
      ['valor_pago', amount(charge.capturedMinor)],
      ['valor_recebido', amount(charge.receivedMinor)],
      ['moeda', currency],
      ['motivo', charge.reason && reasonWord(charge.reason)],
      ['pagina', isWaiting ? pageUrl : undefined],
      ['validade', isWaiting ? challenge?.expiresAt : undefined],
      [
        'multibanco',
        details.entidade
          ? [
              ['entidade', details.entidade],
              ['referencia', details.referencia],
            ]
          : undefined,
      ],
      [
        'conta',
        details.iban
          ? [
              ['iban', details.iban],
              ['bic', details.bic],
              ['titular', details.titular],
              ['referencia', details.referencia],
            ]
          : undefined,
      ],
      ['criado_em', charge.createdAt],
    ],
  ];
}

function refundElement(refund: Refund): Element {
  const status = { pending: 'em_processamento', refunded: 'devolvido', declined: 'devolucao_recusada' }[refund.status];
  return [
    'devolucao',
    [
      ['id', refund.id],
      ['referencia', refund.reference],
      ['pagamento', refund.paymentReference],
      ['estado', status],
      ['valor', amountText(refund.amountMinor, refund.currency)],
      ['moeda', refund.currency],
    ],
  ];
}

export function batchReply(batch: Batch, lines: readonly Line[]): Reply {
  return xml(200, [
    'lote',
    [
      ['id', batch.id],
      ['fechado_em', batch.closedAt],
      ...lines.map((line): Element => {
        const { id, currency } = line;
        return [
          'linha',
          [
            ['id', id],
            ['tipo', LINE_KINDS[line.kind]],
            ['referencia', line.reference],
            ['pagamento', line.paymentReference],
            ['valor', amountText(line.amountMinor, currency)],
            ['comissao', amountText(line.feeMinor, currency)],
            ['moeda', currency],
          ],
        ];
      }),
    ],
  ]);
}

export function batchesReply({ batches, hasMore }: { batches: Batch[]; hasMore: boolean }): Reply {
  const ids = batches.map(({ id }): Element => ['id_lote', id]);
  return xml(200, ['lotes', [['mais', hasMore ? 'sim' : 'nao'], ...ids]]);
}

/** Reads the form of a new payment, and opens what its payer pays into. Throws Refusal. */
export function readOrder(form: Form): Order {
  const reference = textOf(form, 'referencia');
  const amount = readAmount(form);
  const { url_retorno: returnUrl, descritivo: descriptor } = form;
  const rest = {
    reference,
    idempotencyKey: textOf(form, 'pedido'),
    ...amount,
    capture: true,
    threeDS: 'none' as const,
    merchantInitiated: false,
    returnUrl,
    descriptor,
  };
  const method = textOf(form, 'metodo');
  switch (method) {
    case 'redirecionamento':
      return { ...rest, kind: 'apm', details: { metodo: method, pagador: textOf(form, 'nome') } };
    case 'multibanco':
      return { ...rest, kind: 'apm', payerTtlMs: 3 * DAY_MS, details: { metodo: method, ...newVoucher(amount) } };
    case 'transferencia':
      return { ...rest, kind: 'bank_transfer', payerTtlMs: 7 * DAY_MS, details: { metodo: method, ...newAccount() } };
    default:
      throw invalid('metodo');
  }
}

export function readAmount(form: Form): { amountMinor: bigint; currency: string } {
  const currency = textOf(form, 'moeda');
  const amount = textOf(form, 'valor');
  if (!isCurrency(currency)) throw invalid('moeda');
  if (!/^[0-9]+(,[0-9]+)?$/.test(amount)) throw invalid('valor');
  try {
    return { amountMinor: parseAmount(amount.replace(',', '.'), currency), currency };
  } catch {
    throw invalid('valor');
  }
}

export function textOf(form: Form, name: string): string {
  const value = form[name];
  if (!value || value.length > 2_048) throw invalid(name);
  return value;
}

function invalid(name: string): Refusal {
  return new Refusal('invalid_request', `${name} is missing or not valid.`);
}
