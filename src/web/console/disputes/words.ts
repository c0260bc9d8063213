import { words } from '../words/words';

export const disputeWords = words({
  en: {
    resources: { disputes: { name: 'Dispute |||| Disputes', menu: 'Disputes' } },
    disputes: {
      case: 'Case',
      amount: 'Amount',
      status: 'Status',
      due: 'Evidence until',
      opened: 'Opened',
      payment: 'Payment',
      reason: 'Reason of the bank',
      detail: 'What is known',
      facts: 'Dispute',
      evidence: 'Evidence',
      noEvidence: 'No evidence was sent.',
      sent: 'Sent',
      documents: 'Documents',
      timeline: 'Timeline',
      presentment: {
        name: 'Second presentment',
        none: 'Not asked for',
        submitted: 'The processor has it',
        accepted: 'Accepted: the money is back for now',
      },
      submit: {
        act: 'Send evidence',
        question: 'Send this evidence about case %{case} to the processor? It goes to the payer’s bank.',
        text: 'What happened, and why the payment is right',
        files: 'Choose documents',
        filesHelp: 'PDF, PNG or JPEG; together less than 700 kB.',
      },
      present: {
        act: 'Charge again',
        question:
          'Charge the payer’s bank again for %{amount}, on the evidence that you sent? The money comes back to you until the dispute is decided. You can do this once.',
      },
      accept: {
        act: 'Accept the dispute',
        question: 'Give up %{amount}? The dispute is lost, the payer keeps the money. It cannot be undone.',
      },
    },
  },
  pt: {
    resources: { disputes: { name: 'Disputa |||| Disputas', menu: 'Disputas' } },
    disputes: {
      case: 'Caso',
      amount: 'Montante',
      status: 'Estado',
      due: 'Provas até',
      opened: 'Aberta',
      payment: 'Pagamento',
      reason: 'Motivo do banco',
      detail: 'O que se sabe',
      facts: 'Disputa',
      evidence: 'Provas',
      noEvidence: 'Não foram enviadas provas.',
      sent: 'Enviado',
      documents: 'Documentos',
      timeline: 'Cronologia',
      presentment: {
        name: 'Segunda apresentação',
        none: 'Não pedida',
        submitted: 'O processador recebeu-a',
        accepted: 'Aceite: o dinheiro voltou por agora',
      },
      submit: {
        act: 'Enviar provas',
        question: 'Enviar estas provas sobre o caso %{case} ao processador? Seguem para o banco do pagador.',
        text: 'O que aconteceu, e porque o pagamento está certo',
        files: 'Escolher documentos',
        filesHelp: 'PDF, PNG ou JPEG; juntos menos de 700 kB.',
      },
      present: {
        act: 'Cobrar de novo',
        question:
          'Cobrar de novo %{amount} ao banco do pagador, com as provas que enviou? O dinheiro volta para si até a disputa ser decidida. Só pode fazê-lo uma vez.',
      },
      accept: {
        act: 'Aceitar a disputa',
        question:
          'Desistir de %{amount}? A disputa fica perdida, o pagador fica com o dinheiro. Não pode ser desfeito.',
      },
    },
  },
});
