/**
 * Prints how many of 200 statements, each with a value of 20 kB, the young collector of V8 leaves behind once they are
 * answered. In a process of its own: under jest, V8 makes functions otherwise.
 */
const { setTimeout: sleep } = require('node:timers/promises');
const { openDatabase } = require('../../../../dist/src/foundation/db/database');
const { statement } = require('../../../../dist/src/foundation/db/named-statements');

const STATEMENTS = 200;
const BYTES = 20_000;
const length = statement('length', 'SELECT length($1::bytea) AS length');

async function bytesAfter(collect) {
  for (let nth = 0; nth < 3; nth += 1) {
    collect();
    // Buffers are freed a moment later.
    await sleep(100);
  }
  return process.memoryUsage().arrayBuffers;
}

async function main() {
  const database = openDatabase(JSON.parse(process.env.LOGINS), 1, 'kept');
  const send = () => database.named.app.rows(length, [Buffer.alloc(BYTES)]);
  await send();
  const before = await bytesAfter(() => gc());
  for (let nth = 0; nth < STATEMENTS; nth += 1) await send();
  const after = await bytesAfter(() => gc({ type: 'minor' }));
  process.stdout.write(`${Math.round((after - before) / BYTES)}`);
  await database.close();
}

void main();
