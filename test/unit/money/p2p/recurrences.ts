import { type Frequency, nextOccurrence, type Recurrence } from '../../../../src/money/p2p/occurrences';

/** The first days on which a recurrence comes due, by our own reckoning. */
export const days = (recurrence: Recurrence, count: number): string[] => {
  const found: string[] = [];
  for (let after: Date | undefined = new Date(0); found.length < count; ) {
    after = nextOccurrence(recurrence, after);
    if (!after) break;
    found.push(after.toISOString().replace('T10:30:15.000Z', ''));
  }
  return found;
};

/** A recurrence that begins on a day, at 10:30:15 UTC. */
export const from = (day: string, frequency: Frequency, endsAt?: string): Recurrence => ({
  frequency,
  startsAt: new Date(`${day}T10:30:15Z`),
  ...(endsAt && { endsAt: new Date(endsAt) }),
});
