import { words } from '../words/words';

export const paymentWords = words({
  en: {
    resources: { payments: { name: 'Payment |||| Payments', menu: 'Payments' } },
    payments: {
      merchantTransactionId: 'Your id',
      amount: 'Amount',
      status: 'Status',
      created: 'Created',
      method: 'Method',
      orderId: 'Order',
      result: 'Result',
      timeline: 'Timeline',
      facts: 'Payment',
      refund: {
        act: 'Refund',
        question: 'Refund %{amount} of this payment to its payer? The money leaves your balance.',
        amount: 'Amount to refund',
        done: '%{amount} is refunded.',
        declined: 'The refund was declined: %{reason}',
      },
    },
  },
  pt: {
    resources: { payments: { name: 'Pagamento |||| Pagamentos', menu: 'Pagamentos' } },
    payments: {
      merchantTransactionId: 'O seu id',
      amount: 'Montante',
      status: 'Estado',
      created: 'Criado',
      method: 'Método',
      orderId: 'Encomenda',
      result: 'Resultado',
      timeline: 'Cronologia',
      facts: 'Pagamento',
      refund: {
        act: 'Reembolsar',
        question: 'Reembolsar %{amount} deste pagamento a quem o pagou? O dinheiro sai do seu saldo.',
        amount: 'Montante a reembolsar',
        done: '%{amount} foi reembolsado.',
        declined: 'O reembolso foi recusado: %{reason}',
      },
    },
  },
});
