import { loadConfig } from '../../foundation/config/config';
import { ATTACKS } from './attack/all';
import { strikeAll, tableOf } from './attack/attack';
import { Place } from './attack/place';
import { readCredentials } from './sandbox';

/** `npm run attack`: attacks the running sandbox, and says what got through. */
async function main(): Promise<void> {
  const place = await Place.enter(readCredentials(loadConfig()));
  const outcomes = await strikeAll(ATTACKS, place);
  const through = outcomes.filter(({ ok }) => !ok).length;
  console.log(tableOf(outcomes));
  console.log(
    through === 0
      ? `\n${outcomes.length} attacks, none got through.`
      : `\n${through} of ${outcomes.length} got through.`,
  );
  process.exitCode = through === 0 ? 0 : 1;
}

main().catch((error: Error) => {
  console.error(`attack: ${error.message}`);
  process.exitCode = 1;
});
