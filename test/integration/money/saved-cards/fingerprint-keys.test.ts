import { randomBytes } from 'node:crypto';
import type { Knex } from 'knex';
import { newId } from '../../../../src/domain/ids';
import { Messenger } from '../../../../src/foundation/messages/messenger';
import { eraseCards, Vault } from '../../../../src/foundation/vault/vault';
import { endLowValueRun, giveBackLowValue, useLowValue } from '../../../../src/money/authentication/low-value';
import { LOW_VALUE_USES } from '../../../../src/money/authentication/policy';
import { admitCardAttempt, replaceAttemptLimits } from '../../../../src/money/limits/attempt-limits';
import { keepCard } from '../../../../src/money/payments/saved-card';
import { brandOf, shownCard } from '../../../../src/money/payments/shown-card';
import { updateSavedCards } from '../../../../src/money/saved-cards/update';
import { ProfileSeal } from '../../../../src/people/customers/customer';
import { insertPerson, KEYS, openPlace, type Place, STAFF } from '../../people/customers/place';

const key = (id: string) => `${id}:${randomBytes(32).toString('base64')}`;
const F1 = key('f1');
const F2 = key('f2');
const hmacKey = randomBytes(32).toString('base64');
const vaultOf = (...fingerprintKeys: string[]) =>
  new Vault({ keys: KEYS, hmacKey, fingerprintKeys: fingerprintKeys.join(), cvvTtlMs: 60_000 });

/** The steps of a rotation: each process is at one of two that follow each other. */
const BEFORE = vaultOf(F1);
const READS = vaultOf(F1, F2);
const MAKES = vaultOf(F2, F1);
const AFTER = vaultOf(F2);

let place: Place;
beforeAll(async () => {
  place = await openPlace('fingerprint-keys');
});
afterAll(() => place?.close());

const inTenant = <T>(work: (trx: Knex.Transaction) => Promise<T>) => place.database.tenant(place.tenantId, work);

/** Another number each time: 4 at first, a valid check digit at the end. */
function newCard() {
  const digits = `4${Array.from(randomBytes(14), (byte) => byte % 10).join('')}`;
  const sum = [...digits].reverse().reduce((total, digit, at) => {
    const value = Number(digit) * (at % 2 === 0 ? 2 : 1);
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return { number: `${digits}${(10 - (sum % 10)) % 10}`, holder: 'A Buyer', expiryMonth: '12', expiryYear: '2030' };
}
type Card = ReturnType<typeof newCard>;

/** A card that comes in with a request to a process with these keys; answers its id in the vault. */
async function take(vault: Vault, card: Card): Promise<string> {
  const id = newId('card');
  const { cvv: _cvv, cvv_expires_at: _until, ...sealed } = vault.seal(id, card);
  await inTenant((trx) => trx('vault_cards').insert({ id, tenant_id: place.tenantId, ...sealed }));
  return id;
}

async function save(vault: Vault, card: Card, customerId: string) {
  const card_id = await take(vault, card);
  const shown = { ...shownCard(card, brandOf(card.number)!), tenant_id: place.tenantId, card_id };
  return inTenant((trx) => keepCard(trx, { customer_id: customerId }, shown));
}

const erase = (cardId: string) =>
  inTenant((trx) =>
    trx('vault_cards')
      .where({ id: cardId })
      .update({ sealed: Buffer.alloc(0), wrapped_key: Buffer.alloc(0), erased_at: trx.fn.now() }),
  );
const rotate = (vault: Vault) => vault.moveFingerprints(place.database.system);

const pairs: [string, Vault, Vault][] = [
  ['the older to the newer', BEFORE, READS],
  ['the newer to the older', READS, MAKES],
  ['back', MAKES, READS],
  ['one to the last', MAKES, AFTER],
  ['the derived key to its own', vaultOf('hmac'), vaultOf(F1, 'hmac')],
];

describe.each(pairs)('from process to process, %s', (_how, one, other) => {
  test('the same card saved again is the same object', async () => {
    const { id } = await insertPerson(place);
    const card = newCard();
    const first = await save(one, card, id);
    const again = await save(other, card, id);
    expect([first.fresh, again.fresh, again.saved.id]).toEqual([true, false, first.saved.id]);
    expect((await save(other, newCard(), id)).fresh).toBe(true);
  });

  test('declined attempts count together', async () => {
    await inTenant((trx) =>
      replaceAttemptLimits(trx, place.tenantId, STAFF, [{ per: 'card', declined: 2, windowSeconds: 60 }]),
    );
    const card = newCard();
    const attempt = async (vault: Vault, used = card) => {
      const cardId = await take(vault, used);
      return inTenant((trx) => admitCardAttempt(trx, { tenantId: place.tenantId, id: newId('payment'), cardId }));
    };
    expect([await attempt(one), await attempt(other)]).toEqual([[], []]);
    expect([await attempt(one), await attempt(other)]).toEqual([['card'], ['card']]);
    expect(await attempt(other, newCard())).toEqual([]);
  });

  test('exemptions for low values count together, and end together', async () => {
    const card = newCard();
    const isLetOff = (vault: Vault) => letOff(vault, card, 100n);
    const uses: boolean[] = [];
    for (let use = 0; use <= LOW_VALUE_USES; use += 1) uses.push(await isLetOff(use % 2 === 0 ? one : other));
    expect(uses).toEqual([...Array(LOW_VALUE_USES).fill(true), false]);
    const cardId = await take(other, card);
    const counted = { tenant_id: place.tenantId, card_id: cardId, amount_minor: 100n, created_at: new Date() };
    const request = { authentication: { exemption: 'low_value' } };
    await inTenant((trx) => giveBackLowValue(trx, { ...counted, request }));
    expect([await isLetOff(one), await isLetOff(other)]).toEqual([true, false]);
    await inTenant((trx) => endLowValueRun(trx, cardId));
    expect(await isLetOff(one)).toBe(true);
  });

  test('an update that an issuer announces reaches the saved card', async () => {
    const { id } = await insertPerson(place);
    const card = newCard();
    const { saved } = await save(one, card, id);
    const paid = await take(other, card);
    await erase(paid);
    expect(await announce(other, paid)).toBe(1);
    const renewed = await place.database.system('payment_methods').where({ id: saved.id }).first();
    expect(renewed.expiry_year).toBe('2035');
  });
});

function letOff(vault: Vault, card: Card, amountMinor: bigint): Promise<boolean> {
  const { tenantId } = place;
  const exemption = { card: vault.fingerprintsOf(card.number), otherwise: 'required' } as const;
  return inTenant((trx) => useLowValue(trx, { tenantId, amountMinor }, exemption));
}

async function announce(vault: Vault, cardId: string): Promise<number> {
  const letters = { messenger: new Messenger(KEYS), profiles: new ProfileSeal(KEYS) };
  return inTenant(async (trx) => {
    const used = await trx('vault_cards').where({ id: cardId }).first('fingerprint', 'other_fingerprints');
    return updateSavedCards(trx, { vault, letters }, used, { kind: 'renewed', expiryMonth: '12', expiryYear: '2035' });
  });
}

test('two processes at different steps save a card at once: one object', async () => {
  const { id } = await insertPerson(place);
  const card = newCard();
  const saved = await Promise.all([READS, MAKES, READS, MAKES].map((vault) => save(vault, card, id)));
  expect(new Set(saved.map((one) => one.saved.id)).size).toBe(1);
  expect(saved.filter(({ fresh }) => fresh)).toHaveLength(1);
});

test('a rotation brings all of a number that is there; without the older key everything is found', async () => {
  const { id } = await insertPerson(place);
  const card = newCard();
  const { saved } = await save(BEFORE, card, id);
  const paidOnce = await take(BEFORE, card);
  await erase(paidOnce);
  expect(await rotate(READS)).toBeGreaterThanOrEqual(2);
  expect(await rotate(READS)).toBe(0);
  expect(await rotate(MAKES)).toBeGreaterThanOrEqual(3);
  expect(await rotate(MAKES)).toBe(0);
  expect((await save(AFTER, card, id)).saved.id).toBe(saved.id);
  expect(await announce(AFTER, paidOnce)).toBe(1);
  expect(await place.database.system('fingerprint_moves').first()).toBeUndefined();
});

test('what has no number left keeps its fingerprint, and is found while its key is there', async () => {
  const { id } = await insertPerson(place);
  const card = newCard();
  const gone = await take(BEFORE, card);
  await erase(gone);
  await rotate(MAKES);
  const row = await place.database.system('vault_cards').where({ id: gone }).first();
  expect(row.fingerprint).toEqual(BEFORE.fingerprintsOf(card.number).fingerprint);
  const attempt = async (cardId: string) =>
    inTenant((trx) => admitCardAttempt(trx, { tenantId: place.tenantId, id: newId('payment'), cardId }));
  await inTenant((trx) =>
    replaceAttemptLimits(trx, place.tenantId, STAFF, [{ per: 'card', declined: 1, windowSeconds: 60 }]),
  );
  expect(await attempt(gone)).toEqual([]);
  expect(await attempt(await take(MAKES, card))).toEqual(['card']);
  // Saved after the rotation, under the newer key: the next rotation knows the number, and finds what it was.
  await save(MAKES, card, id);
  await rotate(MAKES);
  expect(await announce(AFTER, gone)).toBe(1);
});

test('two saved cards of one owner that prove to be the same stay as they are', async () => {
  const { id } = await insertPerson(place);
  const card = newCard();
  const [first, second] = [await save(vaultOf(F1), card, id), await save(vaultOf(F2), card, id)];
  expect(second.fresh).toBe(true);
  await rotate(MAKES);
  const rows = await place.database.system('payment_methods').where({ customer_id: id }).orderBy('created_at');
  expect(rows.map((row) => row.id)).toEqual([first.saved.id, second.saved.id]);
});

test('a run of low values moves with its card', async () => {
  const card = newCard();
  await take(BEFORE, card);
  const isLetOff = (vault: Vault) => letOff(vault, card, 3_000n);
  expect([await isLetOff(BEFORE), await isLetOff(AFTER), await isLetOff(BEFORE)]).toEqual([true, true, true]);
  await rotate(MAKES);
  // 90 euros in all, under both keys.
  expect(await isLetOff(AFTER)).toBe(false);
});

test('fingerprints are not those of another key, and are gone with the customer', async () => {
  const { number } = newCard();
  const all = [BEFORE, AFTER, vaultOf('hmac')].map((vault) => vault.fingerprintsOf(number).fingerprint.toString('hex'));
  expect(new Set(all.map((hex) => hex.slice(-64))).size).toBe(3);
  expect(BEFORE.fingerprintsOf(number).fingerprint.subarray(0, 3).toString()).toBe('\x02f1');
  const cardId = await take(MAKES, newCard());
  await inTenant((trx) => eraseCards(trx, [cardId]));
  const row = await place.database.system('vault_cards').where({ id: cardId }).first();
  expect([row.fingerprint.length, row.other_fingerprints]).toEqual([0, []]);
});
