import cardValidator from 'card-validator';

/** Digits in a row, bare or in groups. */
const RUN = /\d(?:[ -]?\d)+/g;
const SHORTEST = 12;
const LONGEST = 19;

/** What Maestro cards begin with. The library takes any number that begins with a 6 for one. */
const MAESTRO = /^(5018|5020|5038|5893|6304|6390|6759|676[1-3])/;

/**
 * Whether a text has a card number in it: right check digit (ISO/IEC 7812-1, annex B), a prefix that a scheme has given out,
 * and a length that this scheme has. A number of an order that passes for one by its check digit alone is none.
 */
export function hasCardNumber(text: string): boolean {
  for (const run of text.match(RUN) ?? [])
    for (const digits of numbersIn(run.split(/[ -]/))) if (isCardNumber(digits)) return true;
  return false;
}

/** What groups that follow each other come to: a card number may have others beside it, such as its expiry. */
function* numbersIn(groups: string[]): Generator<string> {
  for (let first = 0; first < groups.length; first += 1) {
    let digits = '';
    for (let last = first; last < groups.length && digits.length < LONGEST; last += 1) {
      digits += groups[last];
      if (digits.length >= SHORTEST && digits.length <= LONGEST) yield digits;
    }
  }
}

function isCardNumber(digits: string): boolean {
  const { isValid, card } = cardValidator.number(digits);
  return isValid && (card?.type !== 'maestro' || MAESTRO.test(digits));
}
