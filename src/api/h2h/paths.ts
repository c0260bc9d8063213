/** The path segments of each kind of payment: ids of the catalogue, and the ranges that the service description spells out. */
export const PATHS = {
  card: /^[1-9]$/,
  apm: /^(?:27|43|27,43)$/,
  upi: /^(?:30|31|30-31)$/,
  secondWallet: /^(?:4[4-7]|5[2-5]|44-47,52-55)$/,
  firstWallet: /^(?:48|49|50|51|5[6-9]|48-51,56-59)$/,
  qr: /^60$/,
  bankTransfer: /^61$/,
  directDebit: /^62$/,
  crypto: /^63$/,
} as const;

/** Paths to which a rule of their own applies. */
export const ONLY = {
  /** Every path of the catalogue. What is none of them is not found, whatever the body holds. */
  known: /^(?:[1-9]|27|43|30|31|4[4-9]|5[0-9]|6[0-5]|27,43|30-31|44-47,52-55|48-51,56-59)$/,
  /** Authorized first and captured later, where the merchant wants it so. */
  capturable: /^(?:[1-9]|4[4-9]|5[0-9]|44-47,52-55|48-51,56-59|64|65)$/,
  /** The payer always leaves the merchant's page and has to come back. */
  redirecting: /^(?:27|64|65)$/,
} as const;

/** The documented ranges, as they stand in the paths. The first id is the default of `methodId`. */
export const DOCUMENTED_RANGES: Readonly<Record<string, readonly number[]>> = {
  '48-51,56-59': [48, 49, 50, 51, 56, 57, 58, 59],
  '44-47,52-55': [44, 45, 46, 47, 52, 53, 54, 55],
  '30-31': [30, 31],
  '27,43': [27, 43],
};
