import { words } from '../words/words';

export const ticketWords = words({
  en: {
    resources: { tickets: { name: 'Question |||| Questions of buyers', menu: 'Questions' } },
    tickets: {
      title: 'Question of a buyer',
      created: 'Asked',
      updated: 'Changed',
      status: 'Status',
      link: 'Payment link',
      openLink: 'Open the payment link',
      conversation: 'Conversation',
      from: { buyer: 'Buyer', seller: 'You' },
      answer: {
        act: 'Answer',
        question: 'The buyer gets your answer by e-mail and reads it on the page of the link.',
        text: 'Your answer',
      },
      close: { act: 'Close', question: 'Close this question? The buyer can ask a new one.' },
    },
  },
  pt: {
    resources: { tickets: { name: 'Pergunta |||| Perguntas de compradores', menu: 'Perguntas' } },
    tickets: {
      title: 'Pergunta de um comprador',
      created: 'Feita',
      updated: 'Alterada',
      status: 'Estado',
      link: 'Ligação de pagamento',
      openLink: 'Abrir a ligação de pagamento',
      conversation: 'Conversa',
      from: { buyer: 'Comprador', seller: 'O vendedor' },
      answer: {
        act: 'Responder',
        question: 'O comprador recebe a resposta por e-mail e lê-a na página da ligação.',
        text: 'A sua resposta',
      },
      close: { act: 'Fechar', question: 'Fechar esta pergunta? O comprador pode fazer uma nova.' },
    },
  },
});
