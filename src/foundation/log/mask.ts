/** Hides runs of digits long enough for a card number. */
export function maskDigits(text: string): string {
  return text.replace(/\d(?:[ -]?\d){11,}/g, '…');
}
