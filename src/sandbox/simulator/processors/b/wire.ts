import type { Context } from 'koa';
import { formatAmount, type Money } from '../../../../domain/money';
import type { Order } from '../../acquirer';
import type { Reply } from '../../calls';
import {
  type Batch,
  type Charge,
  type Line,
  type Refund,
  type SentTransfer,
  type Standing,
  standingOf,
  type Transfer,
} from '../../records';
import { REFUSAL_STATUS, type Refusal, type RefusalCode } from '../../refusal';
import { invalid, moneyOf, readForm, textOf } from '../../request';
import type { TransferOrder } from '../../sent-transfers';
import { newAccount, newVoucher } from './accounts';

type Form = Record<string, string>;

const DAY_MS = 24 * 60 * 60_000;

const STATUS: Record<RefusalCode, number> = { ...REFUSAL_STATUS, invalid_request: 422, invalid_card: 422 };

const REFUSALS: Record<RefusalCode, string> = {
  invalid_request: 'DADOS_INVALIDOS',
  invalid_card: 'DADOS_INVALIDOS',
  unauthorized: 'NAO_AUTORIZADO',
  not_found: 'NAO_ENCONTRADO',
  invalid_state: 'ESTADO_INVALIDO',
  amount_exceeded: 'VALOR_EXCEDIDO',
  duplicate_reference: 'REFERENCIA_DUPLICADA',
  idempotency_conflict: 'PEDIDO_REPETIDO',
  too_large: 'DEMASIADO_GRANDE',
};

const STATUS_WORDS: Record<Standing, string> = {
  challenge: 'pendente',
  waiting: 'pendente',
  part_received: 'pago_parcial',
  processing: 'em_processamento',
  authorized: 'autorizado',
  cancelled: 'anulado',
  lapsed: 'anulado',
  declined: 'recusado',
  authentication_failed: 'recusado',
  captured: 'pago',
  settled: 'liquidado',
  part_refunded: 'devolvido_parcial',
  refunded: 'devolvido',
  charged_back: 'contestado',
};

const REASONS: ReadonlyMap<string, string> = new Map([
  ['do_not_honour', 'recusado_pelo_banco'],
  ['insufficient_funds', 'saldo_insuficiente'],
  ['payer_refused', 'desistencia'],
  ['goods_not_received', 'bens_nao_recebidos'],
  ['account_closed', 'conta_encerrada'],
  ['no_such_account', 'conta_inexistente'],
]);

const LINE_KINDS: Record<Line['kind'], string> = {
  capture: 'pagamento',
  refund: 'devolucao',
  chargeback: 'contestacao',
  chargeback_reversal: 'contestacao_anulada',
};

/** What a line is called: a transfer that was sent has the form of a refund, one that came back that of a payment. */
function lineWord({ kind, chargeId }: Line): string {
  if (!chargeId.startsWith('ts_')) return LINE_KINDS[kind];
  return kind === 'refund' ? 'transferencia_emitida' : 'transferencia_devolvida';
}

export function reasonWord(reason: string): string {
  return REASONS.get(reason) ?? reason;
}

/** An amount with a decimal comma. */
export function amountText(amountMinor: bigint, currency: string): string {
  return formatAmount(amountMinor, currency).replace('.', ',');
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

/** An answer whose root this is. */
export function reply(root: Element): Reply {
  return xml(200, root);
}

export function refuse({ code, message }: Refusal, stands?: Element): Reply {
  const shown = stands ? [stands] : [];
  return xml(STATUS[code], ['erro', [['codigo', REFUSALS[code]], ['mensagem', message], ...shown]]);
}

export function presentPayment(charge: Charge, pageUrl: string): Element {
  const { currency, details = {}, challenge } = charge;
  const amount = (minor: bigint | undefined) => (minor ? amountText(minor, currency) : undefined);
  const isWaiting = charge.status === 'waiting';
  return [
    'pagamento',
    [
      ['id', charge.id],
      ['referencia', charge.reference],
      ['estado', STATUS_WORDS[standingOf(charge)]],
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

export function presentRefund(refund: Refund): Element {
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

const TRANSFER_WORDS: Record<Transfer['status'], string> = {
  held: 'por_afetar',
  assigned: 'afetada',
  returned: 'devolvida',
};

export function presentTransfer(transfer: Transfer): Element {
  const { amountMinor, currency } = transfer;
  return [
    'transferencia',
    [
      ['id', transfer.id],
      ['estado', TRANSFER_WORDS[transfer.status]],
      ['conta', transfer.iban],
      ['descritivo', transfer.text || undefined],
      ['ordenante', transfer.payerName],
      ['pagamento', transfer.paymentReference],
      ['devolucao', transfer.returnReference],
      ['valor', amountText(amountMinor, currency)],
      ['moeda', currency],
      ['criado_em', transfer.createdAt],
    ],
  ];
}

const SENT_WORDS: Record<SentTransfer['status'], string> = {
  accepted: 'em_curso',
  settled: 'liquidada',
  returned: 'devolvida',
  refused: 'recusada',
};

export function presentSentTransfer(transfer: SentTransfer): Element {
  const { amountMinor, currency } = transfer;
  return [
    'transferencia_emitida',
    [
      ['id', transfer.id],
      ['referencia', transfer.reference],
      ['estado', SENT_WORDS[transfer.status]],
      ['beneficiario', transfer.holder],
      ['valor', amountText(amountMinor, currency)],
      ['moeda', currency],
      ['motivo', transfer.reason && reasonWord(transfer.reason)],
      ['criado_em', transfer.createdAt],
    ],
  ];
}

/** Reads the form of a transfer to send. Throws Refusal. */
export function readTransferOrder(form: Form): TransferOrder {
  return {
    reference: textOf(form, 'referencia'),
    idempotencyKey: textOf(form, 'pedido'),
    ...readAmount(form),
    iban: textOf(form, 'iban'),
    holder: textOf(form, 'beneficiario'),
    text: textOf(form, 'descritivo'),
  };
}

export function presentBatch(batch: Batch, lines: readonly Line[]): Element {
  return [
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
            ['tipo', lineWord(line)],
            ['referencia', line.reference],
            ['pagamento', line.paymentReference],
            ['valor', amountText(line.amountMinor, currency)],
            ['comissao', amountText(line.feeMinor, currency)],
            ['moeda', currency],
          ],
        ];
      }),
    ],
  ];
}

export function presentBatches({ batches, hasMore }: { batches: Batch[]; hasMore: boolean }): Element {
  const ids = batches.map(({ id }): Element => ['id_lote', id]);
  return ['lotes', [['mais', hasMore ? 'sim' : 'nao'], ...ids]];
}

export const read = readForm;

export function keyOf(_ctx: Context, form: Form): string {
  return textOf(form, 'pedido');
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

export function readAmount(form: Form): Money {
  const currency = textOf(form, 'moeda');
  const [, whole, decimals = ''] = /^([0-9]+)(,[0-9]+)?$/.exec(textOf(form, 'valor')) ?? [];
  return moneyOf(whole && whole + decimals.replace(',', '.'), currency, { amount: 'valor', currency: 'moeda' });
}
