export const ALIAS_TYPES = ['phone', 'email', 'handle'] as const;
export type AliasType = (typeof ALIAS_TYPES)[number];

/** What a customer can be sent money by, in the one form in which it is looked up. */
export interface AliasName {
  type: AliasType;
  value: string;
}

const EMAIL = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;
const LONGEST_EMAIL = 254;
/** A telephone number in international form, without spaces. */
export const E164 = /^\+[1-9]\d{6,14}$/;
/** Begins with a letter, so that it is no number; letters of ASCII alone, so that no two look the same. */
const HANDLE = /^[a-z][a-z0-9._-]{2,29}$/;
/** A handle that could be taken for an identifier of ours. */
const IDENTIFIER = /^[a-z]{2,4}_/;

export const ALIAS_FORM =
  'must be an e-mail address, a telephone number in international form (+44…), or a handle: a letter and 2 to 29 more ' +
  'letters, digits, dots, hyphens or underscores';

/** Reads an alias as people write it; undefined when it is none. A handle may be written with an @ in front. */
export function parseAlias(text: string): AliasName | undefined {
  const plain = text.trim().normalize('NFC');
  const handle = plain.replace(/^@/, '').toLowerCase();
  if (HANDLE.test(handle) && !IDENTIFIER.test(handle)) return { type: 'handle', value: handle };
  if (plain.includes('@'))
    return EMAIL.test(plain) && plain.length <= LONGEST_EMAIL
      ? { type: 'email', value: plain.toLowerCase() }
      : undefined;
  const phone = plain.replace(/[\s().-]/g, '').replace(/^00/, '+');
  return E164.test(phone) ? { type: 'phone', value: phone } : undefined;
}

/** Enough to recognize an alias one knows, and no more. A handle is a public name. */
export function hintOf({ type, value }: AliasName): string {
  if (type === 'handle') return `@${value}`;
  if (type === 'phone') return `${value.slice(0, 3)}…${value.slice(-4)}`;
  const [local, domain] = value.split('@') as [string, string];
  return `${local[0]}…@${domain}`;
}
