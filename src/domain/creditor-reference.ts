/**
 * The structured creditor reference of ISO 11649: `RF`, two check digits, up to 21 letters and digits. Ours have 15 digits:
 * what payers type by hand has no letter that looks like a digit.
 */
const DIGITS = 15;
const OURS = new RegExp(`^RF\\d{2}\\d{${DIGITS}}$`);
const ALPHABET = '0123456789';

/** The reference with these characters (1 to 21 letters and digits), with its check digits (ISO 7064, MOD 97-10). */
export function creditorReference(body: string): string {
  if (!/^[0-9A-Z]{1,21}$/.test(body)) throw new RangeError('a creditor reference has 1 to 21 letters and digits');
  const check = 98 - remainder(`${body}RF00`);
  return `RF${String(check).padStart(2, '0')}${body}`;
}

/** One of ours: `number` counts modulo 10^15. */
export function ourReference(number: bigint): string {
  return creditorReference(String(number % 10n ** BigInt(DIGITS)).padStart(DIGITS, '0'));
}

/** Whether this is a creditor reference whose check digits are right. Without spaces, in capital letters. */
export function isCreditorReference(text: string): boolean {
  if (!/^RF\d{2}[0-9A-Z]{1,21}$/.test(text)) return false;
  return remainder(`${text.slice(4)}${text.slice(0, 4)}`) === 1;
}

/** In groups of four, as it is printed. */
export function printedReference(reference: string): string {
  return reference.replace(/(.{4})(?=.)/g, '$1 ');
}

/** The text in capital letters with nothing between letters and digits: payers type references as they like. */
export function compactText(text: string): string {
  return text.toUpperCase().replace(/[^A-Z0-9]+/g, '');
}

/** The references of ours with right check digits in a compact text, each once. */
export function referencesIn(compact: string): string[] {
  const found = new Set<string>();
  for (let at = compact.indexOf('RF'); at !== -1; at = compact.indexOf('RF', at + 1)) {
    const candidate = compact.slice(at, at + 4 + DIGITS);
    if (OURS.test(candidate) && isCreditorReference(candidate)) found.add(candidate);
  }
  return [...found];
}

/**
 * The right references of ours that a mistyped one in a compact text may stand for: one character wrong, missing or too many,
 * two neighbours exchanged, or the letters in front left out. A caller holds them against references that were given out.
 */
export function correctionsIn(compact: string): string[] {
  const found = new Set<string>();
  const keep = (candidate: string) => {
    if (OURS.test(candidate) && isCreditorReference(candidate)) found.add(candidate);
  };
  for (let at = compact.indexOf('RF'); at !== -1; at = compact.indexOf('RF', at + 1))
    for (const length of [DIGITS + 1, DIGITS + 2, DIGITS + 3]) {
      const typed = compact.slice(at + 2, at + 2 + length);
      // A character that is no digit is one mistake.
      if (typed.length === length && typed.replace(/\d/g, '').length <= 1) edits(typed, keep);
    }
  for (const [digits] of compact.matchAll(new RegExp(`(?<!\\d)\\d{${DIGITS + 2}}(?!\\d)`, 'g'))) keep(`RF${digits}`);
  for (const right of referencesIn(compact)) found.delete(right);
  return [...found];
}

function edits(typed: string, keep: (candidate: string) => void): void {
  for (let at = 0; at <= typed.length; at += 1) {
    const [before, rest, after] = [typed.slice(0, at), typed.slice(at), typed.slice(at + 1)];
    if (after !== rest) keep(`RF${before}${after}`);
    if (rest.length > 1) keep(`RF${before}${rest[1]}${rest[0]}${rest.slice(2)}`);
    for (const digit of ALPHABET) {
      keep(`RF${before}${digit}${rest}`);
      if (rest !== '') keep(`RF${before}${digit}${after}`);
    }
  }
}

/** Letters count as the numbers 10 to 35. */
function remainder(text: string): number {
  let rest = 0;
  for (const character of text) {
    const value = Number.parseInt(character, 36);
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97;
  }
  return rest;
}
