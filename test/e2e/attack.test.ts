import { ATTACKS } from '../../src/sandbox/cli/attack/all';
import { strikeAll, tableOf } from '../../src/sandbox/cli/attack/attack';
import { Place } from '../../src/sandbox/cli/attack/place';
import type { Credentials } from '../../src/sandbox/cli/sandbox';
import { sharedStack } from '../setup/stack';

/** `npm run attack` against the shared platform: nothing gets through. */

let place: Place;
beforeAll(async () => {
  place = await Place.enter(sharedStack().credentials as Credentials);
});

test.each(ATTACKS.map((attack) => [attack.name, attack] as const))('%s', async (_name, attack) => {
  const outcomes = await strikeAll([attack], place);
  expect(outcomes.every(({ ok }) => ok) ? '' : tableOf(outcomes)).toBe('');
});

test('each attack has a name of its own and a point of a standard', () => {
  const names = ATTACKS.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  for (const { point } of ATTACKS) expect(point).toMatch(/^(ASVS|PCI DSS) \d+\.\d+\.\d+$/);
});
