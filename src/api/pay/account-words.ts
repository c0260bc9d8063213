import type { OrderStatus } from '../../domain/states/order';

/** What the page says to customers who sign in, and about wallets, in one language. */
export interface AccountWords {
  walletOf: string;
  anotherCard: string;
  storeCard: string;
  storeCardHint: string;
  removeCard: (card: string) => string;
  confirmsNext: string;
  signIn: string;
  signedInAs: string;
  signOut: string;
  everywhere: string;
  history: string;
  noHistory: string;
  older: string;
  status: string;
  date: string;
  orderNumber: string;
  orderStatus: string;
  orders: Record<OrderStatus, string>;
}

export const ACCOUNT_EN: AccountWords = {
  walletOf: 'Into the wallet of',
  anotherCard: 'Another card',
  storeCard: 'Save this card for my next payments',
  storeCardHint: 'Only you can use it, after you have signed in. You can remove it at any time.',
  removeCard: (card) => `Remove ${card}`,
  confirmsNext: 'You confirm the payment on the next page.',
  signIn: 'Sign in to pay with a saved card',
  signedInAs: 'Signed in as',
  signOut: 'Sign out',
  everywhere: 'Sign out everywhere',
  history: 'My payments',
  noHistory: 'You have not paid here yet.',
  older: 'Older payments',
  status: 'Status',
  date: 'Date',
  orderNumber: 'Order number',
  orderStatus: 'Order',
  orders: { open: 'not paid yet', paid: 'paid', expired: 'expired', cancelled: 'cancelled' },
};

export const ACCOUNT_PT: AccountWords = {
  walletOf: 'Para a carteira de',
  anotherCard: 'Outro cartão',
  storeCard: 'Guardar este cartão para os meus próximos pagamentos',
  storeCardHint: 'Só você o pode usar, depois de entrar. Pode removê-lo a qualquer momento.',
  removeCard: (card) => `Remover ${card}`,
  confirmsNext: 'Confirma o pagamento na página seguinte.',
  signIn: 'Entrar para pagar com um cartão guardado',
  signedInAs: 'Sessão iniciada como',
  signOut: 'Sair',
  everywhere: 'Sair em todo o lado',
  history: 'Os meus pagamentos',
  noHistory: 'Ainda não pagou aqui.',
  older: 'Pagamentos anteriores',
  status: 'Estado',
  date: 'Data',
  orderNumber: 'Número da encomenda',
  orderStatus: 'Encomenda',
  orders: { open: 'ainda não paga', paid: 'paga', expired: 'expirada', cancelled: 'cancelada' },
};
