import type { Place } from './place';

/** Something that must not get through. */
export interface Attack {
  /** What the attacker does. */
  name: string;
  /** The point of a standard that it breaks when it gets through: OWASP ASVS 5.0.0 or PCI DSS 4.0.1. */
  point: string;
  /** What is seen when it does not get through. */
  expected: string;
  /** Does it, and answers what was seen, in the words of `expected`. */
  strike(place: Place): Promise<string>;
}

export interface Outcome extends Attack {
  seen: string;
  ok: boolean;
}

/** Strikes one after the other: what one does must not hide another. An error is seen, and is no defence. */
export async function strikeAll(attacks: readonly Attack[], place: Place): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const attack of attacks) {
    const seen = await attack.strike(place).catch((error: Error) => `error: ${error.message}`);
    outcomes.push({ ...attack, seen, ok: seen === attack.expected });
  }
  return outcomes;
}

/** The outcomes as a table for people. */
export function tableOf(outcomes: readonly Outcome[]): string {
  const rows = outcomes.map(({ name, point, expected, seen, ok }) => [
    name,
    point,
    expected,
    seen,
    ok ? 'ok' : 'THROUGH',
  ]);
  const all = [['attack', 'point', 'expected', 'seen', ''], ...rows];
  const widths = all[0]!.map((_, column) => Math.max(...all.map((row) => row[column]!.length)));
  return all
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
