import { randomBytes } from 'node:crypto';
import type { Knex } from 'knex';
import { newId } from '../../../../src/domain/ids';
import {
  type AttemptLimit,
  admitCardAttempt,
  type CardAttempt,
  forgetCardAttempt,
  replaceAttemptLimits,
  sweepCardAttempts,
} from '../../../../src/money/limits/attempt-limits';
import { openPlace, type Place, STAFF } from '../../people/customers/place';

let place: Place;
/** One card under two ids, as two payments have it. */
let cards: [string, string];

beforeAll(async () => {
  place = await openPlace('attempt-limits');
});
afterAll(() => place?.close());

const inTenant = <T>(work: (trx: Knex.Transaction) => Promise<T>) => place.database.tenant(place.tenantId, work);
const limit = (...limits: AttemptLimit[]) =>
  inTenant((trx) => replaceAttemptLimits(trx, place.tenantId, STAFF, limits));
const attempt = (more: Partial<CardAttempt> = {}): CardAttempt => ({
  tenantId: place.tenantId,
  id: newId('payment'),
  cardId: cards[0],
  ...more,
});
const admit = (wanted: CardAttempt) => inTenant((trx) => admitCardAttempt(trx, wanted));
const rows = () => place.database.system('card_attempts').orderBy('per').select('per', 'attempt_id');
/** Makes everything counted so far as old as that. Attempts are never changed, so they are written anew. */
const age = (interval: string) =>
  place.database.system.transaction(async (trx) => {
    const kept = await trx('card_attempts').delete().returning('*');
    const at = trx.raw('clock_timestamp() - ?::interval', interval);
    if (kept.length > 0) await trx('card_attempts').insert(kept.map((row) => ({ ...row, at })));
  });

beforeEach(async () => {
  await place.database.system('card_attempts').delete();
  const fingerprint = randomBytes(32);
  cards = [newId('card'), newId('card')];
  await inTenant(async (trx) => {
    for (const id of cards)
      await trx('vault_cards').insert({
        id,
        tenant_id: place.tenantId,
        fingerprint,
        key_id: 'k1',
        wrapped_key: Buffer.alloc(60),
        sealed: Buffer.alloc(60),
      });
  });
});

test('without limits nothing is refused and nothing is written down', async () => {
  await limit();
  expect(await admit(attempt())).toEqual([]);
  expect(await rows()).toEqual([]);
});

test('exactly so many of many at once pass, by the card and not by its id', async () => {
  await limit({ per: 'card', declined: 7, windowSeconds: 60 });
  // As many at a time as there are connections: who waits for one too long is turned away.
  const answers: string[][] = [];
  const line = async () => {
    while (answers.length < 24) answers.push(await admit(attempt({ cardId: cards[answers.length % 2]! })));
  };
  await Promise.all([line(), line(), line(), line()]);
  expect(answers.filter((refused) => refused.length === 0)).toHaveLength(7);
  expect(answers.filter((refused) => refused[0] === 'card')).toHaveLength(answers.length - 7);
});

test('an attempt counts once, however often it is asked, and not when it is refused', async () => {
  await limit({ per: 'customer', declined: 1, windowSeconds: 60 }, { per: 'merchant', declined: 9, windowSeconds: 60 });
  const first = attempt({ customerId: 'cus_1', organizationId: 'org_1', address: '192.0.2.1' });
  expect(await admit(first)).toEqual([]);
  expect(await admit(first)).toEqual([]);
  expect(await admit({ ...first, id: newId('payment') })).toEqual(['customer']);
  expect(await rows()).toEqual(
    ['address', 'card', 'customer', 'merchant'].map((per) => ({ per, attempt_id: first.id })),
  );
});

test('what is forgotten, or older than the window, does not count', async () => {
  await limit({ per: 'card', declined: 1, windowSeconds: 60 });
  const first = attempt();
  await admit(first);
  expect(await admit(attempt())).toEqual(['card']);
  await inTenant((trx) => forgetCardAttempt(trx, first.id));
  expect(await admit(attempt())).toEqual([]);
  expect(await admit(attempt())).toEqual(['card']);
  await age('61 seconds');
  expect(await admit(attempt())).toEqual([]);
  await age('31 days');
  await sweepCardAttempts(place.database);
  expect(await rows()).toEqual([]);
});

test('a transaction that is rolled back has counted nothing', async () => {
  await limit({ per: 'card', declined: 1, windowSeconds: 60 });
  await inTenant(async (trx) => {
    await admitCardAttempt(trx, attempt());
    throw new Error('undo');
  }).catch(() => undefined);
  expect(await admit(attempt())).toEqual([]);
});

test('what is no address limits nobody', async () => {
  await limit({ per: 'address', declined: 1, windowSeconds: 60 });
  for (const address of ['', 'unknown', undefined, undefined]) expect(await admit(attempt({ address }))).toEqual([]);
});
