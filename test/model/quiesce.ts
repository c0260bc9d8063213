import type { World } from './world';

const MINUTE = 60_000;

/** Lets everything come to its end: nothing fails any more, callbacks arrive, time passes. */
export async function quiesce(world: World): Promise<void> {
  world.network.calm();
  world.engine.state = 'up';
  await world.work.all();
  for (let letter = world.letters.shift(); letter; letter = world.letters.shift()) await world.arrive(letter);
  for (const minutes of [1, 10, 65, 15]) {
    await world.pass(minutes * MINUTE);
    for (let letter = world.letters.shift(); letter; letter = world.letters.shift()) await world.arrive(letter);
    await world.work.all();
  }
}
