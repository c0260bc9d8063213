import type { PayoutStanding, TransferStanding } from '../../../domain/processor-answers';
import { RESULT } from '../../../domain/result-codes';
import { declines, eventTypes, meanings, type PaymentMeaning, type RefundMeaning } from '../meanings';

export const paymentMeaning = meanings<PaymentMeaning>({
  pendente: 'payer_action',
  pago_parcial: 'payer_action',
  pago: 'captured',
  liquidado: 'captured',
  devolvido_parcial: 'captured',
  devolvido: 'captured',
  contestado: 'captured',
  recusado: 'declined',
  anulado: 'voided',
  expirado: 'voided',
});

export const refundMeaning = meanings<RefundMeaning>({ devolvido: 'refunded', devolucao_recusada: 'refund_declined' });

export const transferMeaning = meanings<TransferStanding['kind']>({
  por_afetar: 'held',
  afetada: 'assigned',
  em_devolucao: 'returning',
  devolvida: 'returned',
  devolucao_falhada: 'return_declined',
});

export const payoutMeaning = meanings<PayoutStanding['kind']>({
  em_curso: 'accepted',
  liquidada: 'settled',
  devolvida: 'returned',
  recusada: 'declined',
});

/** Why the bank of a beneficiary sent a transfer back, or the processor refused it. */
const PAYOUT_REASONS: Readonly<Record<string, string>> = {
  conta_encerrada: 'the account is closed',
  conta_inexistente: 'there is no such account',
  titular_diferente: 'the account has another holder',
  conta_bloqueada: 'the account is blocked',
};

export function payoutReason(word: string | undefined): string {
  return (word !== undefined && Object.hasOwn(PAYOUT_REASONS, word) && PAYOUT_REASONS[word]) || 'no reason is given';
}

export const eventType = eventTypes({
  autorizado: 'authorized',
  pago: 'captured',
  liquidado: 'settled',
  anulado: 'voided',
  recusado: 'failed',
  devolvido: 'refunded',
  devolucao_recusada: 'refund_declined',
  transferencia_recebida: 'transfer_received',
  em_processamento: 'processing',
  contestado: 'charged_back',
  reapresentado: 'second_presentment',
  contestacao_ganha: 'chargeback_won',
  contestacao_perdida: 'chargeback_lost',
  transferencia_liquidada: 'payout_settled',
  transferencia_devolvida: 'payout_returned',
  transferencia_recusada: 'payout_refused',
  lote_fechado: 'settlement_batch',
});

export const refusal = declines('The payment was declined.', {
  recusado_pelo_banco: { code: RESULT.declined, detail: 'The payment was declined.' },
  saldo_insuficiente: { code: RESULT.insufficientFunds, detail: 'The payer has insufficient funds.' },
  limite_excedido: { code: RESULT.limitExceeded, detail: 'A limit of the payer is exceeded.' },
  suspeita_de_fraude: { code: RESULT.blockedByRiskRule, detail: 'Blocked by a risk rule of the processor.' },
  desistencia: { code: RESULT.declined, detail: 'The payer refused to pay.' },
});
