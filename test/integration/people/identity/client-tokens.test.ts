import { type Database, openDatabase } from '../../../../src/foundation/db/database';
import { openAdmin } from '../../../../src/foundation/db/migrate';
import { endOverlap } from '../../../../src/people/identity/clients';
import { createTestDatabase } from '../../../setup/environment';

/** The end of a client's tokens, among many. */

const TOKENS = 50_000;
let place: Awaited<ReturnType<typeof createTestDatabase>>;
let database: Database;

beforeAll(async () => {
  place = await createTestDatabase('client_tokens');
  database = openDatabase(place.logins, 4, 'test-client-tokens');
  const owner = openAdmin(place.adminUrl);
  // Five tokens for each client, as many of every other kind, and nothing else.
  for (const model of ['ClientCredentials', 'AccessToken'])
    await owner.raw(
      `INSERT INTO oidc_payloads (model, id, payload, expires_at)
       SELECT ?, 't' || n, jsonb_build_object('clientId', 'c' || n / 5), now() + interval '1 hour'
       FROM generate_series(0, ?) AS n`,
      [model, TOKENS / 2 - 1],
    );
  await owner.raw('ANALYZE oidc_payloads');
  await owner.destroy();
});
afterAll(async () => {
  await database?.close();
  await place?.drop();
});

const tokensOf = (clientId: string) =>
  database.system('oidc_payloads').whereRaw("payload->>'clientId' = ?", [clientId]).orderBy('model').pluck('model');

test(`they are found by their index among ${TOKENS}; tokens of other kinds and clients stay`, async () => {
  const clientId = 'c1234';
  const asked: { sql: string; bindings: readonly never[] }[] = [];
  await database.system.transaction(async (trx) => {
    trx.on('query', (query) => asked.push(query));
    await endOverlap(trx, clientId);
  });
  expect(await tokensOf(clientId)).toEqual(Array(5).fill('AccessToken'));
  expect(await tokensOf('c1235')).toHaveLength(10);

  const [ending] = asked.filter(({ sql }) => sql.includes('oidc_payloads'));
  const bound = ending!.sql.replaceAll(/\$\d+/g, '?');
  const { rows } = await database.system.raw(`EXPLAIN ${bound}`, [...ending!.bindings]);
  const plan = rows.map((row: Record<string, string>) => row['QUERY PLAN']).join('\n');
  expect(plan).toContain('oidc_payloads_client');
  expect(plan).not.toContain('Seq Scan');
});
