import { words } from '../words/words';

export const notificationWords = words({
  en: {
    resources: { notifications: { name: 'Notification |||| Notifications', menu: 'Notifications' } },
    notifications: {
      type: 'Event',
      state: 'State',
      url: 'Sent to',
      tries: 'Tries',
      created: 'Created',
      subject: 'About (any id)',
      payment: 'Payment',
      next: 'Next try',
      facts: 'Notification',
      attempts: 'Tries',
      noAttempts: 'Not tried yet.',
      took: '%{ms} ms',
      body: 'What is sent',
      resend: {
        act: 'Send again',
        question: 'Send this notification again to %{url}? Your server gets it once more, with the same id.',
      },
      ping: {
        act: 'Send a test',
        question: 'Send a signed test to your server? Nothing else happens.',
        url: 'Address of your server',
        delivered: 'Your server answered %{answer}.',
        failed: 'Not delivered: %{answer}',
        pending: 'It is on its way.',
      },
    },
  },
  pt: {
    resources: { notifications: { name: 'Notificação |||| Notificações', menu: 'Notificações' } },
    notifications: {
      type: 'Evento',
      state: 'Estado',
      url: 'Enviado para',
      tries: 'Tentativas',
      created: 'Criado',
      subject: 'Sobre (qualquer id)',
      payment: 'Pagamento',
      next: 'Próxima tentativa',
      facts: 'Notificação',
      attempts: 'Tentativas',
      noAttempts: 'Ainda não tentado.',
      took: '%{ms} ms',
      body: 'O que é enviado',
      resend: {
        act: 'Enviar de novo',
        question: 'Enviar esta notificação de novo para %{url}? O seu servidor recebe-a mais uma vez, com o mesmo id.',
      },
      ping: {
        act: 'Enviar um teste',
        question: 'Enviar um teste assinado ao seu servidor? Nada mais acontece.',
        url: 'Endereço do seu servidor',
        delivered: 'O seu servidor respondeu %{answer}.',
        failed: 'Não entregue: %{answer}',
        pending: 'Está a caminho.',
      },
    },
  },
});
