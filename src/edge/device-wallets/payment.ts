import type { Money } from '../../domain/money';

/** What a wallet token holds: a card or its stand-in at the network, to be treated like a card number typed in. */
export interface DeviceWalletCard {
  number: string;
  holder?: string;
  /** '01' to '12' */
  expiryMonth: string;
  /** Four digits. */
  expiryYear: string;
  /** Base64; proves the payer's presence to the network, once. Absent where the wallet holds the card's own number. */
  cryptogram?: string;
  /** SHA-256 of what the wallet has signed, hexadecimal: the same for this token alone, however it is written. */
  tokenHash: string;
  /** Electronic commerce indicator, as the wallet states it. */
  eci?: string;
}

/** The payment that a token is to pay: whose it is (the organization's id), and how much. */
export interface DeviceWalletPayment {
  merchantId: string;
  money: Money;
}
