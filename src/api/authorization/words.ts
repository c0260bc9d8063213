/** What the page about a consent says, in one language. */
export interface ConsentWords {
  language: 'en' | 'pt';
  /** For amounts and times, as BCP 47. */
  locale: string;
  otherLanguage: { code: string; name: string };
  title: Record<'account' | 'payment' | 'funds', string>;
  text: Record<'account' | 'payment' | 'funds', (tpp: string) => string>;
  /** What each permission lets the provider see. */
  permissions: Record<string, string>;
  /** What a provider of a payment is told of the account that pays. */
  refundAccount: string;
  sees: string;
  sharedFrom: string;
  until: string;
  untilRevoked: string;
  amount: string;
  payee: string;
  accounts: string;
  account: string;
  confirm: string;
  refuse: string;
  noAccounts: string;
  chooseAccount: string;
  signedInAs: string;
  signOut: string;
  otherCustomer: string;
  otherCustomerText: string;
  over: string;
  overText: string;
  gone: Record<'ended' | 'provider', string>;
  goBack: string;
  allowed: string;
  failed: string;
  problems: Record<'unavailable' | 'blocked' | 'tooOften' | 'noCode', string>;
}

const EN: ConsentWords = {
  language: 'en',
  locale: 'en-GB',
  otherLanguage: { code: 'pt', name: 'Português' },
  title: {
    account: 'Share account information',
    payment: 'Confirm a payment',
    funds: 'Let your balance be checked',
  },
  text: {
    account: (tpp) => `${tpp} asks to read the accounts that you choose below. It cannot move money.`,
    payment: (tpp) => `${tpp} asks to make this payment from your account, once.`,
    funds: (tpp) => `${tpp} asks to know, with yes or no, whether there is enough money on your account.`,
  },
  permissions: {
    ReadAccountsBasic: 'Your accounts, without their numbers',
    ReadAccountsDetail: 'Your accounts with their numbers',
    ReadBalances: 'Your balances',
    ReadBeneficiariesBasic: 'Whom you have saved as payees, without account numbers',
    ReadBeneficiariesDetail: 'Whom you have saved as payees',
    ReadDirectDebits: 'Your direct debits',
    ReadStandingOrdersBasic: 'Your standing orders, without payees',
    ReadStandingOrdersDetail: 'Your standing orders',
    ReadTransactionsBasic: 'Your transactions, without the other side',
    ReadTransactionsDetail: 'Your transactions',
    ReadTransactionsCredits: 'Money that you received',
    ReadTransactionsDebits: 'Money that you paid',
    ReadParty: 'Your name, e-mail, telephone and address',
    ReadPartyPSU: 'Your name, e-mail, telephone and address',
    ReadStatementsBasic: 'Your statements, without amounts',
    ReadStatementsDetail: 'Your statements',
  },
  refundAccount: 'The number of the account that pays and your name, so that you can be paid back',
  sees: 'It will see',
  sharedFrom: 'From the time',
  until: 'Access ends on',
  untilRevoked: 'when you revoke it',
  amount: 'Amount',
  payee: 'To',
  accounts: 'Choose accounts',
  account: 'Choose an account',
  confirm: 'Confirm',
  refuse: 'Refuse',
  noAccounts: 'You have no account that can be used here.',
  chooseAccount: 'Choose at least one account.',
  signedInAs: 'Signed in as',
  signOut: 'Sign out',
  otherCustomer: 'This request is for somebody else',
  otherCustomerText: 'Sign out, and sign in as the customer that the request names.',
  over: 'This request has ended',
  overText: 'Go back to the app or page that you came from, and begin again there.',
  gone: {
    ended: 'It was withdrawn, or its time is up. It allows nothing.',
    provider: 'The company that asks may not use accounts here at the moment. It has no access.',
  },
  goBack: 'Go back to where you came from',
  allowed: 'What you have allowed',
  failed: 'Something went wrong on our side. Try again.',
  problems: {
    unavailable: 'The service is not available at the moment. Try again shortly.',
    blocked: 'Your account cannot be used at the moment. Ask your bank.',
    tooOften: 'That was too often. Wait a while, then try again.',
    noCode: 'You have no way to get a code. Ask your bank.',
  },
};

const PT: ConsentWords = {
  language: 'pt',
  locale: 'pt-PT',
  otherLanguage: { code: 'en', name: 'English' },
  title: {
    account: 'Partilhar informação de contas',
    payment: 'Confirmar um pagamento',
    funds: 'Permitir a consulta do saldo',
  },
  text: {
    account: (tpp) => `${tpp} pede para ler as contas que escolher abaixo. Não pode movimentar dinheiro.`,
    payment: (tpp) => `${tpp} pede para fazer este pagamento a partir da sua conta, uma só vez.`,
    funds: (tpp) => `${tpp} pede para saber, com sim ou não, se há dinheiro suficiente na sua conta.`,
  },
  permissions: {
    ReadAccountsBasic: 'As suas contas, sem os números',
    ReadAccountsDetail: 'As suas contas, com os números',
    ReadBalances: 'Os seus saldos',
    ReadBeneficiariesBasic: 'Os beneficiários que guardou, sem números de conta',
    ReadBeneficiariesDetail: 'Os beneficiários que guardou',
    ReadDirectDebits: 'Os seus débitos diretos',
    ReadStandingOrdersBasic: 'As suas ordens permanentes, sem beneficiários',
    ReadStandingOrdersDetail: 'As suas ordens permanentes',
    ReadTransactionsBasic: 'Os seus movimentos, sem a outra parte',
    ReadTransactionsDetail: 'Os seus movimentos',
    ReadTransactionsCredits: 'O dinheiro que recebeu',
    ReadTransactionsDebits: 'O dinheiro que pagou',
    ReadParty: 'O seu nome, e-mail, telefone e morada',
    ReadPartyPSU: 'O seu nome, e-mail, telefone e morada',
    ReadStatementsBasic: 'Os seus extratos, sem montantes',
    ReadStatementsDetail: 'Os seus extratos',
  },
  refundAccount: 'O número da conta que paga e o seu nome, para que possa ser reembolsado',
  sees: 'Vai ver',
  sharedFrom: 'Do período',
  until: 'O acesso termina em',
  untilRevoked: 'quando o revogar',
  amount: 'Montante',
  payee: 'Para',
  accounts: 'Escolha as contas',
  account: 'Escolha uma conta',
  confirm: 'Confirmar',
  refuse: 'Recusar',
  noAccounts: 'Não tem nenhuma conta que possa ser usada aqui.',
  chooseAccount: 'Escolha pelo menos uma conta.',
  signedInAs: 'Sessão iniciada por',
  signOut: 'Terminar sessão',
  otherCustomer: 'Este pedido é para outra pessoa',
  otherCustomerText: 'Termine a sessão e entre como o cliente que o pedido indica.',
  over: 'Este pedido terminou',
  overText: 'Volte à aplicação ou página de onde veio e comece aí de novo.',
  gone: {
    ended: 'Foi retirado, ou o seu prazo terminou. Não autoriza nada.',
    provider: 'A empresa que pede não pode usar contas aqui de momento. Não tem acesso.',
  },
  goBack: 'Voltar ao sítio de onde veio',
  allowed: 'O que autorizou',
  failed: 'Algo correu mal do nosso lado. Tente de novo.',
  problems: {
    unavailable: 'O serviço não está disponível de momento. Tente de novo daqui a pouco.',
    blocked: 'A sua conta não pode ser usada de momento. Pergunte ao seu banco.',
    tooOften: 'Foram demasiadas tentativas. Espere um pouco e tente de novo.',
    noCode: 'Não tem forma de receber um código. Pergunte ao seu banco.',
  },
};

const LANGUAGES: Record<string, ConsentWords> = { en: EN, pt: PT };

/** The language that was chosen on the page, else the first that the browser asks for. */
export function wordsFor(ctx: {
  query: Record<string, unknown>;
  acceptsLanguages(languages: string[]): string | false;
}): ConsentWords {
  const chosen = typeof ctx.query.lang === 'string' ? LANGUAGES[ctx.query.lang] : undefined;
  return chosen ?? LANGUAGES[ctx.acceptsLanguages(Object.keys(LANGUAGES)) || 'en']!;
}
