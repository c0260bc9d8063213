import type { PageOutcome } from '../records';
import type { FactName, Task } from './view';

/** What a page says when there is nothing to press. */
export type Message =
  | 'unknown'
  | 'nothingToDo'
  | 'choose'
  | 'notPaid'
  | 'partlyPaid'
  | 'confirmed'
  | 'refused'
  | 'tooLate';

export interface Words {
  /** Heading of a page on which a card's owner says who they are, and of one on which somebody pays. */
  isThisYours: string;
  pay: (amount: string) => string;
  /** What there is to do, in one sentence. */
  tasks: Record<Task, string>;
  merchant: string;
  unnamedMerchant: string;
  amount: string;
  stillMissing: string;
  receivedSoFar: string;
  card: string;
  cardEnding: (brand: string, last4: string) => string;
  payment: string;
  openUntil: string;
  facts: Record<FactName, string>;
  qrCode: string;
  authenticate: Record<'authenticated' | 'failed', string>;
  payOrNot: Record<'authenticated' | 'failed', string>;
  send: Record<PageOutcome, string>;
  messages: Record<Message, [title: string, text: string]>;
  simulated: (processor: string) => string;
  scan: {
    title: string;
    task: string;
    label: string;
    button: string;
    noCode: string;
    noPayment: string;
    otherAmount: string;
  };
}

const ENGLISH: Words = {
  isThisYours: 'Is this your payment?',
  pay: (amount) => `Pay ${amount}?`,
  tasks: {
    card: 'The bank that issued your card asks you to confirm this payment.',
    hosted_page: 'You pay on this page.',
    apm: 'You pay here with your bank.',
    voucher: 'You pay with these details, at a cash machine or in a shop.',
    bank_transfer: 'You transfer the amount to this account from your bank.',
    upi: 'You approve this payment in your UPI app.',
    qr: 'You scan this code with your payment app.',
    crypto: 'You send the amount to this address from your wallet. You can scan the code.',
  },
  merchant: 'Merchant',
  unnamedMerchant: 'A merchant that gave no name',
  amount: 'Amount',
  stillMissing: 'Still to pay',
  receivedSoFar: 'Received so far',
  card: 'Card',
  cardEnding: (brand, last4) => `${brand} ending in ${last4}`,
  payment: 'Payment',
  openUntil: 'Open until',
  facts: {
    payer: 'Payer',
    iban: 'IBAN',
    bic: 'BIC',
    accountHolder: 'Account holder',
    transferReference: 'Reference to quote',
    voucherEntity: 'Entity',
    voucherReference: 'Reference',
    voucherNumber: 'Voucher number',
    upiAddress: 'Your UPI address',
    assetAmount: 'To send',
    rate: 'Rate',
    address: 'To the address',
  },
  qrCode: 'QR code of this payment',
  authenticate: { authenticated: 'Yes, this is my payment', failed: 'No, refuse it' },
  payOrNot: { authenticated: 'Pay', failed: 'Do not pay' },
  send: {
    authenticated: 'Send exactly what is missing',
    underpaid: 'Send half of it',
    overpaid: 'Send a tenth too much',
    failed: 'Do not pay',
  },
  messages: {
    unknown: ['Unknown payment', 'There is no such payment.'],
    nothingToDo: ['Nothing to do', 'This payment does not wait for you any more.'],
    choose: ['Please choose', 'Go back and press one of the buttons.'],
    notPaid: ['Not paid', 'You have not paid. You can close this page.'],
    partlyPaid: ['Partly paid', 'A part is paid. The rest is still missing.'],
    confirmed: ['Thank you', 'You have confirmed the payment. You can close this page.'],
    refused: ['Refused', 'You have refused the payment. You can close this page.'],
    tooLate: ['Too late', 'This payment does not wait for you any more.'],
  },
  simulated: (processor) => `This is a simulated page of the sandbox (${processor}). No money moves.`,
  scan: {
    title: 'Your payment app',
    task: 'Paste what the QR code says, as if you scanned it.',
    label: 'Content of the code (an EMV code or a upi: link)',
    button: 'Scan',
    noCode: 'This is not a code of Processor F.',
    noPayment: 'Nobody asks for this payment.',
    otherAmount: 'The code asks for another amount than the merchant did.',
  },
};

const PORTUGUESE: Words = {
  isThisYours: 'Este pagamento é seu?',
  pay: (amount) => `Pagar ${amount}?`,
  tasks: {
    card: 'O banco que emitiu o seu cartão pede que confirme este pagamento.',
    hosted_page: 'O pagamento é feito nesta página.',
    apm: 'O pagamento é feito aqui com o seu banco.',
    voucher: 'Pague com estes dados, num multibanco ou numa loja.',
    bank_transfer: 'Transfira o valor do seu banco para esta conta.',
    upi: 'Aprove este pagamento na sua aplicação UPI.',
    qr: 'Leia este código com a sua aplicação de pagamentos.',
    crypto: 'Envie o valor da sua carteira para este endereço. Pode ler o código.',
  },
  merchant: 'Comerciante',
  unnamedMerchant: 'Um comerciante que não indicou o nome',
  amount: 'Valor',
  stillMissing: 'Por pagar',
  receivedSoFar: 'Recebido até agora',
  card: 'Cartão',
  cardEnding: (brand, last4) => `${brand} terminado em ${last4}`,
  payment: 'Pagamento',
  openUntil: 'Aberto até',
  facts: {
    payer: 'Pagador',
    iban: 'IBAN',
    bic: 'BIC',
    accountHolder: 'Titular da conta',
    transferReference: 'Referência a indicar',
    voucherEntity: 'Entidade',
    voucherReference: 'Referência',
    voucherNumber: 'Número do talão',
    upiAddress: 'O seu endereço UPI',
    assetAmount: 'A enviar',
    rate: 'Câmbio',
    address: 'Para o endereço',
  },
  qrCode: 'Código QR deste pagamento',
  authenticate: { authenticated: 'Sim, este pagamento é meu', failed: 'Não, recusar' },
  payOrNot: { authenticated: 'Pagar', failed: 'Não pagar' },
  send: {
    authenticated: 'Enviar exatamente o que falta',
    underpaid: 'Enviar metade',
    overpaid: 'Enviar um décimo a mais',
    failed: 'Não pagar',
  },
  messages: {
    unknown: ['Pagamento desconhecido', 'Este pagamento não existe.'],
    nothingToDo: ['Nada a fazer', 'Este pagamento já não espera por si.'],
    choose: ['Escolha uma opção', 'Volte atrás e carregue num dos botões.'],
    notPaid: ['Não pago', 'Não pagou. Pode fechar esta página.'],
    partlyPaid: ['Pago em parte', 'Uma parte está paga. O resto ainda falta.'],
    confirmed: ['Obrigado', 'Confirmou o pagamento. Pode fechar esta página.'],
    refused: ['Recusado', 'Recusou o pagamento. Pode fechar esta página.'],
    tooLate: ['Tarde demais', 'Este pagamento já não espera por si.'],
  },
  simulated: (processor) => `Esta é uma página simulada da sandbox (${processor}). Nenhum dinheiro muda de mãos.`,
  scan: {
    title: 'A sua aplicação de pagamentos',
    task: 'Cole o que o código QR diz, como se o tivesse lido.',
    label: 'Conteúdo do código (um código EMV ou uma ligação upi:)',
    button: 'Ler',
    noCode: 'Este código não é do Processor F.',
    noPayment: 'Ninguém pede este pagamento.',
    otherAmount: 'O código pede outro valor do que o comerciante pediu.',
  },
};

/** Languages with the ways of writing numbers that readers of them ask for. The first is for everybody else. */
export const LANGUAGES: ReadonlyMap<string, Words> = new Map([
  ['en', ENGLISH],
  ['en-GB', ENGLISH],
  ['en-IN', ENGLISH],
  ['pt-PT', PORTUGUESE],
  ['pt-BR', PORTUGUESE],
]);
