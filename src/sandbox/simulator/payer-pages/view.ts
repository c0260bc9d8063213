/** What a payer may be shown of a payment, besides its merchant, amount and card. */
export type FactName =
  | 'payer'
  | 'iban'
  | 'bic'
  | 'accountHolder'
  | 'transferReference'
  | 'voucherEntity'
  | 'voucherReference'
  | 'voucherNumber'
  | 'upiAddress'
  | 'assetAmount'
  | 'rate'
  | 'address';

/** What there is for the payer to do. */
export type Task = 'card' | 'hosted_page' | 'apm' | 'voucher' | 'bank_transfer' | 'upi' | 'qr' | 'crypto';

/** A decimal number of units; with `per`, what one of those costs. */
export interface Quantity {
  decimal: string;
  unit: string;
  per?: string;
}

export interface PayerView {
  /** Where it is not what the kind of payment says. */
  task?: Task;
  /** In the order of the page. Those without a value are left out. */
  facts: readonly (readonly [name: FactName, value: string | Quantity | undefined])[];
  /** What the QR code says that the payer scans, where there is one. */
  code?: string;
  /** To whom the means of payment pays, where the order names no merchant. */
  payee?: string;
}
