import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { flameGraph, type Profile } from './flame-graph';
import { repeat } from './operations';
import { freePort } from './platform';
import { profileOf } from './profile';
import { published } from './report';
import { stand } from './stand';

const PICTURES = join(__dirname, '../../docs/pictures');
const AT_ONCE = 8;

/** The two operations that take the API most, by a table of costs as it is published. */
export function hottest(table: string): string[] {
  const rows = [...table.matchAll(/^\| ([^|]+) \| ([\d.]+) \|/gm)].map(([, name, api]) => ({
    name: name!,
    api: Number(api),
  }));
  return rows
    .sort((one, other) => other.api - one.api)
    .slice(0, 2)
    .map(({ name }) => name);
}

/**
 * `npm run bench -- flames`: where the main thread of the API spends its time, as pictures in docs/pictures. `names`: other
 * operations than the two hottest.
 */
export async function drawFlames(names: string[]): Promise<void> {
  const port = await freePort();
  const place = await stand({ NODE_OPTIONS: `--inspect-port=${port}` });
  try {
    for (const { name, count, prepare, once } of place.chosen(names.length > 0 ? names : hottest(published('cost')))) {
      await prepare?.(3 * count);
      await repeat(count, AT_ONCE, once);
      const profile: Profile = await profileOf(place.platform.pidOf('tillway-api'), port, () =>
        repeat(2 * count, AT_ONCE, once),
      );
      const file = join(PICTURES, `flame-${name.replaceAll(/\W+/g, '-').toLowerCase()}.svg`);
      writeFileSync(file, flameGraph(profile, `Main thread of the API: ${name}, ${AT_ONCE} at a time`));
      console.log(file);
    }
  } finally {
    await place.close();
  }
}
