import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { flameGraph, type Profile } from './flame-graph';
import { repeat } from './operations';
import { freePort } from './platform';
import { profileOf } from './profile';
import { stand } from './stand';

const PICTURES = join(__dirname, '../../docs/pictures');
/** By the table of costs: what takes the API most. */
const HOTTEST = ['frictionless payment', '3-D Secure payment'];
const AT_ONCE = 8;

/**
 * `npm run bench -- flames`: where the main thread of the API spends its time, as pictures in docs/pictures. `names`: other
 * operations than the two hottest.
 */
export async function drawFlames(names: string[]): Promise<void> {
  const port = await freePort();
  const place = await stand({ NODE_OPTIONS: `--inspect-port=${port}` });
  try {
    for (const { name, count, prepare, once } of place.chosen(names.length > 0 ? names : HOTTEST)) {
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
