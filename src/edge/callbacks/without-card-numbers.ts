/** Digits as a card number has them: 12 to 19, bare or in groups. */
const CANDIDATE = /(?<!\d)\d(?:[ -]?\d){11,18}(?!\d)/g;

/** Hides card numbers but for their first six and last four digits. The length stays the same, in characters. */
export function withoutCardNumbers(text: string): { text: string; hidden: number } {
  let hidden = 0;
  const masked = text.replace(CANDIDATE, (run) => {
    const digits = run.replace(/\D/g, '');
    if (!passesCheckDigit(digits)) return run;
    hidden += 1;
    let place = 0;
    return run.replace(/\d/g, (digit) => {
      place += 1;
      return place <= 6 || place > digits.length - 4 ? digit : '*';
    });
  });
  return { text: masked, hidden };
}

/** ISO/IEC 7812-1, annex B. */
function passesCheckDigit(digits: string): boolean {
  const sum = [...digits].reverse().reduce((total, digit, place) => {
    const value = Number(digit) * (place % 2 === 1 ? 2 : 1);
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return sum % 10 === 0;
}
