/** What an issuer has done with a card. Lives in memory only, as CardData does. */
export type CardUpdate =
  /** `number` only where it is another one than before. */
  { kind: 'renewed'; number?: string; expiryMonth: string; expiryYear: string } | { kind: 'closed' };
