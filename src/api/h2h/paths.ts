/** The path segments of each kind of payment: ids of the catalogue, and the ranges of the service description. */
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

/** Paths that have a rule of their own. */
export const ONLY = {
  /** Every path of the catalogue. Any other path is answered with 404, whatever the body contains. */
  known: /^(?:[1-9]|27|43|30|31|4[4-9]|5[0-9]|6[0-5]|27,43|30-31|44-47,52-55|48-51,56-59)$/,
  /** The merchant may authorize first and capture later. */
  capturable: /^(?:[1-9]|4[4-9]|5[0-9]|44-47,52-55|48-51,56-59|64|65)$/,
  /** The payer always leaves the merchant's page and must come back. */
  redirecting: /^(?:27|64|65)$/,
} as const;

/** The documented ranges, as written in the paths. The first id is the default of `methodId`. */
export const DOCUMENTED_RANGES: Readonly<Record<string, readonly number[]>> = {
  '48-51,56-59': [48, 49, 50, 51, 56, 57, 58, 59],
  '44-47,52-55': [44, 45, 46, 47, 52, 53, 54, 55],
  '30-31': [30, 31],
  '27,43': [27, 43],
};
