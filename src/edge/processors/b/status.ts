import type { ProcessorEvent } from '../../../domain/connector';
import { RESULT, type ResultCode } from '../../../domain/result-codes';

/** What a status word of processor B says about a payment we ask about. */
export type PaymentMeaning = 'waiting' | 'captured' | 'declined' | 'voided';

// Maps, not objects: a word such as "constructor" finds nothing.
const PAYMENT_WORDS: ReadonlyMap<string, PaymentMeaning> = new Map([
  ['pendente', 'waiting'],
  ['pago_parcial', 'waiting'],
  ['pago', 'captured'],
  ['liquidado', 'captured'],
  ['devolvido_parcial', 'captured'],
  ['devolvido', 'captured'],
  ['contestado', 'captured'],
  ['recusado', 'declined'],
  ['anulado', 'voided'],
  ['expirado', 'voided'],
]);

const REFUND_WORDS: ReadonlyMap<string, 'refunded' | 'refund_declined'> = new Map([
  ['devolvido', 'refunded'],
  ['devolucao_recusada', 'refund_declined'],
]);

const EVENT_WORDS: ReadonlyMap<string, ProcessorEvent['type']> = new Map([
  ['autorizado', 'authorized'],
  ['pago', 'captured'],
  ['liquidado', 'settled'],
  ['anulado', 'voided'],
  ['recusado', 'failed'],
  ['devolvido', 'refunded'],
  ['devolucao_recusada', 'refund_declined'],
  ['transferencia_recebida', 'transfer_received'],
  ['em_processamento', 'processing'],
  ['contestado', 'charged_back'],
  ['reapresentado', 'second_presentment'],
  ['contestacao_ganha', 'chargeback_won'],
  ['contestacao_perdida', 'chargeback_lost'],
  ['lote_fechado', 'settlement_batch'],
]);

const REFUSAL_REASONS: ReadonlyMap<string, { code: ResultCode; detail: string }> = new Map([
  ['recusado_pelo_banco', { code: RESULT.declined, detail: 'The payment was declined.' }],
  ['saldo_insuficiente', { code: RESULT.insufficientFunds, detail: 'The payer has insufficient funds.' }],
  ['limite_excedido', { code: RESULT.limitExceeded, detail: 'A limit of the payer is exceeded.' }],
  ['suspeita_de_fraude', { code: RESULT.blockedByRiskRule, detail: 'Blocked by a risk rule of the processor.' }],
  ['desistencia', { code: RESULT.declined, detail: 'The payer refused to pay.' }],
]);

const OTHER_REFUSAL = { code: RESULT.declined, detail: 'The payment was declined.' };

/** Undefined: the word is unknown, so the payment is pending. */
export function paymentMeaning(word: string): PaymentMeaning | undefined {
  return PAYMENT_WORDS.get(word);
}

/** Undefined: the word is unknown, or the processor still works on the refund. */
export function refundMeaning(word: string): 'refunded' | 'refund_declined' | undefined {
  return REFUND_WORDS.get(word);
}

/** An unknown word means that something goes on: pending. */
export function eventType(word: string): ProcessorEvent['type'] {
  return EVENT_WORDS.get(word) ?? 'pending';
}

/** An unknown reason is a plain decline. */
export function refusal(reason: string | undefined): { code: ResultCode; detail: string } {
  return REFUSAL_REASONS.get(reason ?? '') ?? OTHER_REFUSAL;
}
