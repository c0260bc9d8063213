import type { PaymentKind } from '../../domain/connector';
import type { PaymentLinkStatus } from '../../domain/states/payment-link';
import { ACCOUNT_EN, ACCOUNT_PT, type AccountWords } from './account-words';

/** What the buyer's page says, in one language. */
export interface Words extends AccountWords {
  language: string;
  /** Of numbers and dates where the browser names no region. */
  locale: string;
  pay: (amount: string) => string;
  amount: string;
  amountBetween: (min: string, max: string) => string;
  yourOrder: string;
  total: string;
  howToPay: string;
  ways: Record<Way, string>;
  fields: Record<FieldName, string>;
  hints: Partial<Record<FieldName, string>>;
  paysNow: string;
  wrong: string;
  problems: Record<Problem, string>;
  states: Record<StateName, { title: string; text: string }>;
  gone: Record<Exclude<PaymentLinkStatus, 'pending_approval' | 'active'>, { title: string; text: string }>;
  notFound: { title: string; text: string };
  goOn: string;
  openPage: string;
  tryAgain: string;
  reload: string;
  scan: string;
  copy: string;
  copied: string;
  paidOn: string;
  paymentNumber: string;
  details: Record<string, string>;
  until: (time: string) => string;
  otherLanguage: { code: string; name: string };
  help: string;
  helpText: string;
  yourEmail: string;
  yourMessage: string;
  send: string;
  ticketSent: { title: string; text: string };
  answers: string;
  seller: string;
  you: string;
  backToPayment: string;
  paymentsBy: (tenant: string) => string;
  mailReceipt: string;
  receiptSent: string;
}

/** A way to pay, as buyers tell them apart. */
export type Way = Exclude<PaymentKind, 'wallet' | 'upi' | 'apm'> | 'upi_collect' | 'upi_qr' | 'redirect' | 'voucher';

export type FieldName =
  | 'number'
  | 'expiry'
  | 'cvv'
  | 'holder'
  | 'email'
  | 'name'
  | 'country'
  | 'vpa'
  | 'iban'
  | 'asset'
  | 'amount';
export type Problem =
  | 'required'
  | 'cardNumber'
  | 'expiry'
  | 'expired'
  | 'cvv'
  | 'email'
  | 'country'
  | 'iban'
  | 'vpa'
  | 'amount'
  | 'amountSpan'
  | 'tooLong'
  | 'hasCardNumber'
  | 'notOneLine'
  | 'link_busy'
  | 'out_of_stock'
  | 'unavailable'
  | 'notAccepted'
  | 'noWay'
  | 'stale'
  | 'limit'
  | 'fee'
  | 'notConfirmed'
  | 'noCode'
  | 'tooOften'
  | 'cardGone'
  | 'noReceipt';
export type StateName =
  | 'waiting'
  | 'asked'
  | 'paid'
  | 'declined'
  | 'expired'
  | 'cancelled'
  | 'refunded'
  | 'charged_back';

const EN: Words = {
  language: 'en',
  locale: 'en',
  pay: (amount) => `Pay ${amount}`,
  amount: 'Amount',
  amountBetween: (min, max) => `From ${min} to ${max}`,
  yourOrder: 'Your order',
  total: 'Total',
  howToPay: 'How do you want to pay?',
  ways: {
    card: 'Card',
    upi_collect: 'UPI request',
    upi_qr: 'UPI code',
    qr: 'QR code',
    redirect: 'Online banking',
    voucher: 'Voucher or cash',
    bank_transfer: 'Bank transfer',
    direct_debit: 'SEPA direct debit',
    crypto: 'Crypto currency',
    hosted_page: 'Page of a payment service',
  },
  fields: {
    number: 'Card number',
    expiry: 'Expiry date',
    cvv: 'Security code',
    holder: 'Name on the card',
    email: 'E-mail address',
    name: 'Your name',
    country: 'Country',
    vpa: 'UPI address',
    iban: 'IBAN',
    asset: 'Currency',
    amount: 'Amount',
  },
  hints: {
    expiry: 'Month and year, such as 12/30',
    cvv: 'The 3 or 4 digits on the card',
    country: 'Two letters, such as PT',
    vpa: 'Such as name@bank',
  },
  paysNow: 'You pay when you press this button.',
  wrong: 'Something is not right yet',
  problems: {
    required: 'Please fill this in.',
    cardNumber: 'This is not a card number. Check its digits.',
    expiry: 'Write month and year, such as 12/30.',
    expired: 'This card has expired. Use another one.',
    cvv: 'Write the 3 or 4 digits.',
    email: 'This is not an e-mail address.',
    country: 'Write two letters, such as PT.',
    iban: 'This is not an IBAN. Check its digits.',
    vpa: 'Write an address such as name@bank.',
    amount: 'Write an amount, such as 10.00.',
    amountSpan: 'The amount is too small or too large.',
    tooLong: 'This is too long.',
    hasCardNumber: 'Do not write a card number here.',
    notOneLine: 'Write it on one line.',
    link_busy: 'Somebody else is paying right now. Nothing was charged. Try again in some minutes.',
    out_of_stock: 'Too few pieces are left. Nothing was charged.',
    unavailable: 'This does not work right now. Nothing was charged. Try again shortly.',
    notAccepted: 'This way to pay does not work here. Choose another one.',
    noWay: 'There is no way to pay here. Ask the seller.',
    stale: 'This page was open for too long. Nothing was charged. Please send it again.',
    limit: 'This is more than this wallet may be topped up with. Nothing was charged.',
    fee: 'This is less than the fee. Choose a larger amount. Nothing was charged.',
    notConfirmed: 'What you confirmed is not what was sent. Nothing was charged. Please start again.',
    noCode: 'We have no confirmed address to send you a code. Pay with another card instead.',
    tooOften: 'You have asked for too many codes. Please wait some minutes.',
    cardGone: 'This card is no longer saved. Choose another one.',
    noReceipt: 'The receipt has been sent several times already. Print this page instead.',
  },
  states: {
    waiting: {
      title: 'Your payment is under way',
      text: 'This can take a moment. Do not pay again: this page shows what becomes of it.',
    },
    asked: { title: 'One more step', text: 'Your bank or payment method asks you to confirm the payment.' },
    paid: { title: 'Paid', text: 'Thank you. The seller has been told.' },
    declined: { title: 'Not paid', text: 'The payment was refused. Nothing was charged.' },
    expired: { title: 'Not paid', text: 'The time for this payment is up. Nothing was charged.' },
    cancelled: { title: 'Not paid', text: 'The payment was cancelled. Nothing was charged.' },
    refunded: { title: 'Refunded', text: 'The seller has given the money back.' },
    charged_back: { title: 'Charged back', text: 'Your bank has taken the money back.' },
  },
  gone: {
    disabled: { title: 'Nobody can pay here now', text: 'The seller has switched this page off. Ask the seller.' },
    expired: { title: 'This page has expired', text: 'Ask the seller for a new link.' },
    rejected: { title: 'This page is not in use', text: 'Ask the seller for a new link.' },
    paid: { title: 'Paid', text: 'This has been paid already.' },
  },
  notFound: { title: 'There is nothing here', text: 'Check the address, or ask the seller for the link.' },
  goOn: 'Go on to confirm',
  openPage: 'Open the page of the payment service',
  tryAgain: 'Pay in another way',
  reload: 'See what is new',
  scan: 'Scan this code with the app of your bank',
  copy: 'Copy',
  copied: 'Copied',
  paidOn: 'Paid on',
  paymentNumber: 'Payment number',
  details: {
    iban: 'IBAN',
    bic: 'BIC',
    accountHolder: 'Account holder',
    bankName: 'Bank',
    reference: 'Reference',
    amount: 'Amount',
    currency: 'Currency',
    entity: 'Entity',
    address: 'Address',
    payload: 'Code',
  },
  until: (time) => `Please pay until ${time}.`,
  otherLanguage: { code: 'pt', name: 'Português' },
  help: 'Do you have a question?',
  helpText: 'Write to the seller. The answer appears on this page.',
  yourEmail: 'Your e-mail address',
  yourMessage: 'Your question',
  send: 'Send',
  ticketSent: { title: 'Sent', text: 'The seller has your question. The answer appears on this page.' },
  answers: 'Questions and answers',
  seller: 'Seller',
  you: 'You',
  backToPayment: 'Back to the payment',
  paymentsBy: (tenant) => `Payments by ${tenant}`,
  mailReceipt: 'Send me the receipt by e-mail',
  receiptSent: 'The receipt is on its way to the e-mail address that you gave.',
  ...ACCOUNT_EN,
};

const PT: Words = {
  language: 'pt',
  locale: 'pt-PT',
  pay: (amount) => `Pagar ${amount}`,
  amount: 'Montante',
  amountBetween: (min, max) => `De ${min} a ${max}`,
  yourOrder: 'A sua encomenda',
  total: 'Total',
  howToPay: 'Como quer pagar?',
  ways: {
    card: 'Cartão',
    upi_collect: 'Pedido UPI',
    upi_qr: 'Código UPI',
    qr: 'Código QR',
    redirect: 'Banco online',
    voucher: 'Referência ou numerário',
    bank_transfer: 'Transferência bancária',
    direct_debit: 'Débito direto SEPA',
    crypto: 'Criptomoeda',
    hosted_page: 'Página de um serviço de pagamento',
  },
  fields: {
    number: 'Número do cartão',
    expiry: 'Validade',
    cvv: 'Código de segurança',
    holder: 'Nome no cartão',
    email: 'Endereço de e-mail',
    name: 'O seu nome',
    country: 'País',
    vpa: 'Endereço UPI',
    iban: 'IBAN',
    asset: 'Moeda',
    amount: 'Montante',
  },
  hints: {
    expiry: 'Mês e ano, por exemplo 12/30',
    cvv: 'Os 3 ou 4 algarismos no cartão',
    country: 'Duas letras, por exemplo PT',
    vpa: 'Por exemplo nome@banco',
  },
  paysNow: 'O pagamento é feito quando carrega neste botão.',
  wrong: 'Ainda falta corrigir algo',
  problems: {
    required: 'Preencha este campo.',
    cardNumber: 'Isto não é um número de cartão. Verifique os algarismos.',
    expiry: 'Escreva mês e ano, por exemplo 12/30.',
    expired: 'Este cartão expirou. Use outro.',
    cvv: 'Escreva os 3 ou 4 algarismos.',
    email: 'Isto não é um endereço de e-mail.',
    country: 'Escreva duas letras, por exemplo PT.',
    iban: 'Isto não é um IBAN. Verifique os algarismos.',
    vpa: 'Escreva um endereço, por exemplo nome@banco.',
    amount: 'Escreva um montante, por exemplo 10,00.',
    amountSpan: 'O montante é demasiado pequeno ou demasiado grande.',
    tooLong: 'O texto é demasiado longo.',
    hasCardNumber: 'Não escreva aqui um número de cartão.',
    notOneLine: 'Escreva-o numa só linha.',
    link_busy: 'Outra pessoa está a pagar neste momento. Nada foi cobrado. Tente de novo dentro de alguns minutos.',
    out_of_stock: 'Já não há unidades suficientes. Nada foi cobrado.',
    unavailable: 'Não é possível neste momento. Nada foi cobrado. Tente de novo em breve.',
    notAccepted: 'Esta forma de pagar não funciona aqui. Escolha outra.',
    noWay: 'Não há forma de pagar aqui. Fale com o vendedor.',
    stale: 'Esta página esteve aberta demasiado tempo. Nada foi cobrado. Envie de novo, por favor.',
    limit: 'Isto excede o que esta carteira pode receber. Nada foi cobrado.',
    fee: 'Isto é menos do que a comissão. Escolha um montante maior. Nada foi cobrado.',
    notConfirmed: 'O que confirmou não é o que foi enviado. Nada foi cobrado. Comece de novo, por favor.',
    noCode: 'Não temos um endereço confirmado para lhe enviar um código. Pague com outro cartão.',
    tooOften: 'Pediu demasiados códigos. Espere alguns minutos.',
    cardGone: 'Este cartão já não está guardado. Escolha outro.',
    noReceipt: 'O recibo já foi enviado várias vezes. Imprima esta página.',
  },
  states: {
    waiting: {
      title: 'O seu pagamento está em curso',
      text: 'Pode demorar um momento. Não pague de novo: esta página mostra o resultado.',
    },
    asked: { title: 'Mais um passo', text: 'O seu banco ou método de pagamento pede que confirme o pagamento.' },
    paid: { title: 'Pago', text: 'Obrigado. O vendedor foi informado.' },
    declined: { title: 'Não pago', text: 'O pagamento foi recusado. Nada foi cobrado.' },
    expired: { title: 'Não pago', text: 'O prazo deste pagamento terminou. Nada foi cobrado.' },
    cancelled: { title: 'Não pago', text: 'O pagamento foi cancelado. Nada foi cobrado.' },
    refunded: { title: 'Reembolsado', text: 'O vendedor devolveu o dinheiro.' },
    charged_back: { title: 'Estornado', text: 'O seu banco retirou o dinheiro.' },
  },
  gone: {
    disabled: { title: 'Não é possível pagar agora', text: 'O vendedor desligou esta página. Fale com o vendedor.' },
    expired: { title: 'Esta página expirou', text: 'Peça uma nova ligação ao vendedor.' },
    rejected: { title: 'Esta página não está em uso', text: 'Peça uma nova ligação ao vendedor.' },
    paid: { title: 'Pago', text: 'Isto já foi pago.' },
  },
  notFound: { title: 'Não há nada aqui', text: 'Verifique o endereço, ou peça a ligação ao vendedor.' },
  goOn: 'Continuar para confirmar',
  openPage: 'Abrir a página do serviço de pagamento',
  tryAgain: 'Pagar de outra forma',
  reload: 'Ver novidades',
  scan: 'Leia este código com a aplicação do seu banco',
  copy: 'Copiar',
  copied: 'Copiado',
  paidOn: 'Pago em',
  paymentNumber: 'Número do pagamento',
  details: {
    iban: 'IBAN',
    bic: 'BIC',
    accountHolder: 'Titular da conta',
    bankName: 'Banco',
    reference: 'Referência',
    amount: 'Montante',
    currency: 'Moeda',
    entity: 'Entidade',
    address: 'Endereço',
    payload: 'Código',
  },
  until: (time) => `Pague até ${time}.`,
  otherLanguage: { code: 'en', name: 'English' },
  help: 'Tem uma pergunta?',
  helpText: 'Escreva ao vendedor. A resposta aparece nesta página.',
  yourEmail: 'O seu endereço de e-mail',
  yourMessage: 'A sua pergunta',
  send: 'Enviar',
  ticketSent: { title: 'Enviado', text: 'O vendedor recebeu a sua pergunta. A resposta aparece nesta página.' },
  answers: 'Perguntas e respostas',
  seller: 'Vendedor',
  you: 'Você',
  backToPayment: 'Voltar ao pagamento',
  paymentsBy: (tenant) => `Pagamentos por ${tenant}`,
  mailReceipt: 'Enviar-me o recibo por e-mail',
  receiptSent: 'O recibo está a caminho do endereço de e-mail que indicou.',
  ...ACCOUNT_PT,
};

/** The languages of the page, by their code. */
export const LANGUAGES: Record<string, Words> = { en: EN, pt: PT };
