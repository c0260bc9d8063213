/** The pause before a question is asked again: `firstMs`, doubled with each of the `tries` so far, at most `maxMs`. */
export function growingPauseMs(firstMs: number, tries: number, maxMs: number): number {
  return Math.min(firstMs * 2 ** Math.min(tries, 20), maxMs);
}
