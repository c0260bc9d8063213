import type { ConsentStatus } from '../../domain/states/consent';
import type { ConsentKind } from '../../open-banking/consents/consent';
import type { BankPaymentStatus, ScheduledPaymentStatus } from '../../open-banking/payments/payment';

/** `Paused`: authorised, but too long ago. */
export type ShownStatus = ConsentStatus | 'Paused';

/** What the pages of a customer's own consents say, in one language. */
export interface OwnWords {
  intro: string;
  open: string;
  noneOpen: string;
  over: string;
  noneOver: string;
  older: string;
  back: string;
  kinds: Record<ConsentKind, string>;
  what: string;
  status: string;
  statuses: Record<ShownStatus, string>;
  askedOn: string;
  since: string;
  endedOn: string;
  confirmBy: string;
  lastReading: string;
  never: string;
  sees: string;
  saw: string;
  accounts: string;
  noAccounts: string;
  currency: string;
  payment: string;
  noPayment: string;
  madeOn: string;
  payments: Record<BankPaymentStatus | ScheduledPaymentStatus, string>;
  number: string;
  readings: string;
  noReadings: string;
  who: string;
  when: string;
  account: string;
  outcome: string;
  answered: string;
  refused: string;
  presence: string;
  present: string;
  absent: string;
  /** What was read or ordered, by the name of the access log. */
  resources: Record<string, string>;
  end: string;
  endTitle: (tpp: string) => string;
  endText: Record<'Authorised' | 'AwaitingAuthorisation', string>;
  endNow: string;
  keep: string;
  hasEnded: string;
  hadEnded: string;
  stale: string;
  staleText: string;
  unknown: string;
  unknownText: string;
}

const EN: OwnWords = {
  intro: 'What companies may do with your accounts, and what they ask for. You can end each access at any time.',
  open: 'Now',
  noneOpen: 'Nobody may use your accounts.',
  over: 'Ended',
  noneOver: 'Nothing has ended yet.',
  older: 'Show older ones',
  back: 'Back to the list',
  kinds: {
    account: 'Reads your account information. It cannot move money.',
    payment: 'Makes one payment from your account.',
    funds: 'Asks, with yes or no, whether there is enough money on your account.',
  },
  what: 'What it may do',
  status: 'Status',
  statuses: {
    AwaitingAuthorisation: 'Waits for you: nothing is allowed yet',
    Authorised: 'Active',
    Paused: 'Paused until you confirm it again with the company',
    Rejected: 'Refused',
    Revoked: 'Ended',
    Expired: 'Expired',
    Consumed: 'Used for its payment',
  },
  askedOn: 'Asked on',
  since: 'Allowed since',
  endedOn: 'Ended on',
  confirmBy: 'To be confirmed again by',
  lastReading: 'Last used',
  never: 'Never',
  sees: 'It can see',
  saw: 'It could see',
  accounts: 'Accounts',
  noAccounts: 'No account has been chosen.',
  currency: 'Currency',
  payment: 'Payment',
  noPayment: 'No payment has been made.',
  madeOn: 'Ordered on',
  payments: {
    Pending: 'Waits for its day',
    InitiationPending: 'Waits for its day',
    AcceptedSettlementInProcess: 'Waits for the payee to accept it',
    AcceptedSettlementCompleted: 'Paid',
    InitiationCompleted: 'Paid',
    Rejected: 'Refused',
    InitiationFailed: 'Refused',
    Cancelled: 'Cancelled',
  },
  number: 'Number',
  readings: 'Who read what',
  noReadings: 'Nothing has been read.',
  who: 'Who',
  when: 'When',
  account: 'Account',
  outcome: 'Outcome',
  answered: 'We have answered',
  refused: 'We have refused',
  presence: 'With you',
  present: 'Yes, you were using the app',
  absent: 'No, by itself',
  resources: {
    accounts: 'Accounts',
    balances: 'Balances',
    beneficiaries: 'Payees',
    'direct-debits': 'Direct debits',
    'standing-orders': 'Standing orders',
    transactions: 'Transactions',
    'funds-confirmation': 'Whether there is enough money',
    'domestic-payments': 'Payment',
    'domestic-scheduled-payments': 'Payment at a later time',
  },
  end: 'End this access',
  endTitle: (tpp) => `End the access of ${tpp}?`,
  endText: {
    Authorised:
      'It cannot use your accounts from now on. What it has read so far, it has. Payments that were made stay.',
    AwaitingAuthorisation: 'You refuse what it asks for. It has no access, and gets none by this request.',
  },
  endNow: 'End it now',
  keep: 'Keep it',
  hasEnded: 'The access has ended.',
  hadEnded: 'This access had ended before. Nothing has changed.',
  stale: 'This form is out of date',
  staleText: 'Nothing has changed. Open the page again, then try once more.',
  unknown: 'There is nothing here',
  unknownText: 'The address is wrong, or it belongs to somebody else.',
};

const PT: OwnWords = {
  intro:
    'O que as empresas podem fazer com as suas contas, e o que pedem. Pode terminar cada acesso em qualquer altura.',
  open: 'Agora',
  noneOpen: 'Ninguém pode usar as suas contas.',
  over: 'Terminados',
  noneOver: 'Ainda nada terminou.',
  older: 'Mostrar mais antigos',
  back: 'Voltar à lista',
  kinds: {
    account: 'Lê a informação das suas contas. Não pode movimentar dinheiro.',
    payment: 'Faz um pagamento a partir da sua conta.',
    funds: 'Pergunta, com sim ou não, se há dinheiro suficiente na sua conta.',
  },
  what: 'O que pode fazer',
  status: 'Estado',
  statuses: {
    AwaitingAuthorisation: 'Espera por si: ainda nada foi autorizado',
    Authorised: 'Ativo',
    Paused: 'Suspenso até o confirmar de novo junto da empresa',
    Rejected: 'Recusado',
    Revoked: 'Terminado',
    Expired: 'Expirado',
    Consumed: 'Usado para o seu pagamento',
  },
  askedOn: 'Pedido em',
  since: 'Autorizado desde',
  endedOn: 'Terminou em',
  confirmBy: 'A confirmar de novo até',
  lastReading: 'Última utilização',
  never: 'Nunca',
  sees: 'Pode ver',
  saw: 'Podia ver',
  accounts: 'Contas',
  noAccounts: 'Nenhuma conta foi escolhida.',
  currency: 'Moeda',
  payment: 'Pagamento',
  noPayment: 'Nenhum pagamento foi feito.',
  madeOn: 'Ordenado em',
  payments: {
    Pending: 'Espera pelo seu dia',
    InitiationPending: 'Espera pelo seu dia',
    AcceptedSettlementInProcess: 'Espera que o beneficiário o aceite',
    AcceptedSettlementCompleted: 'Pago',
    InitiationCompleted: 'Pago',
    Rejected: 'Recusado',
    InitiationFailed: 'Recusado',
    Cancelled: 'Cancelado',
  },
  number: 'Número',
  readings: 'Quem leu o quê',
  noReadings: 'Nada foi lido.',
  who: 'Quem',
  when: 'Quando',
  account: 'Conta',
  outcome: 'Resultado',
  answered: 'Respondemos',
  refused: 'Recusámos',
  presence: 'Consigo',
  present: 'Sim, estava a usar a aplicação',
  absent: 'Não, por si só',
  resources: {
    accounts: 'Contas',
    balances: 'Saldos',
    beneficiaries: 'Beneficiários',
    'direct-debits': 'Débitos diretos',
    'standing-orders': 'Ordens permanentes',
    transactions: 'Movimentos',
    'funds-confirmation': 'Se há dinheiro suficiente',
    'domestic-payments': 'Pagamento',
    'domestic-scheduled-payments': 'Pagamento mais tarde',
  },
  end: 'Terminar este acesso',
  endTitle: (tpp) => `Terminar o acesso de ${tpp}?`,
  endText: {
    Authorised:
      'A partir de agora não pode usar as suas contas. O que já leu, tem. Os pagamentos que foram feitos ficam feitos.',
    AwaitingAuthorisation: 'Recusa o que é pedido. Não tem acesso, e não o obtém com este pedido.',
  },
  endNow: 'Terminar agora',
  keep: 'Manter',
  hasEnded: 'O acesso terminou.',
  hadEnded: 'Este acesso já tinha terminado. Nada mudou.',
  stale: 'Este formulário já não é válido',
  staleText: 'Nada mudou. Abra a página de novo e tente outra vez.',
  unknown: 'Não há nada aqui',
  unknownText: 'O endereço está errado, ou pertence a outra pessoa.',
};

export const OWN_WORDS: Record<'en' | 'pt', OwnWords> = { en: EN, pt: PT };
