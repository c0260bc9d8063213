import { createHmac } from 'node:crypto';
import { amountIn, type Notice, type NoticeEvent, type OutgoingCallback, parametersOf } from '../../notice';
import { amountText, reasonWord } from './wire';

const WORDS: Record<NoticeEvent, string> = {
  authorized: 'autorizado',
  captured: 'pago',
  settled: 'liquidado',
  failed: 'recusado',
  refunded: 'devolvido',
  refund_declined: 'devolucao_recusada',
  charged_back: 'contestado',
  second_presentment: 'reapresentado',
  chargeback_won: 'contestacao_ganha',
  chargeback_lost: 'contestacao_perdida',
  authenticated: 'autenticado',
  authentication_failed: 'recusado',
  challenge_answered: 'autenticado',
  processing: 'em_processamento',
  received: 'transferencia_recebida',
  settlement_batch: 'lote_fechado',
};

/** The same of a transfer that the processor sent. */
const SENT_WORDS: Partial<Record<NoticeEvent, string>> = {
  settled: 'transferencia_liquidada',
  refunded: 'transferencia_devolvida',
  failed: 'transferencia_recusada',
};

/** A GET whose query is signed: HMAC-SHA512 over the parameters as they are sent, sorted by name. */
export function renderCallback(notice: Notice, secret: string): OutgoingCallback {
  const { event, amountMinor, currency, details = {} } = notice;
  const parameters: Record<string, string | undefined> = {
    evento: notice.eventId,
    estado: (notice.isSentTransfer && SENT_WORDS[event]) || WORDS[event],
    referencia: event === 'received' || event === 'settlement_batch' ? undefined : notice.reference,
    transacao: notice.processorReference,
    valor: amountIn(notice, amountText),
    moeda: amountMinor !== undefined ? currency : undefined,
    conta: event === 'received' ? details.iban : undefined,
    descritivo: event === 'received' ? details.referencia : undefined,
    transferencia: notice.transferId,
    ordenante: notice.payerName,
    motivo: notice.reason && reasonWord(notice.reason),
    processo: notice.caseId,
    lote: notice.batchId,
    data: notice.occurredAt,
  };
  const query = parametersOf(Object.entries(parameters).sort(([one], [other]) => (one < other ? -1 : 1)));
  const signature = createHmac('sha512', secret).update(query).digest('hex');
  return { method: 'GET', receiver: 'processor_b', headers: {}, query: `${query}&assinatura=${signature}` };
}
