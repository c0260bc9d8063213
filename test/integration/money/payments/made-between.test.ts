import { randomUUID } from 'node:crypto';
import { idAt, idFromUuid, newId } from '../../../../src/domain/ids';
import { type Database, openDatabase } from '../../../../src/foundation/db/database';
import { listPayments } from '../../../../src/money/payments/payment-list';
import { writeCatalogue } from '../../../../src/money/routing/method-catalogue';
import { CallbackSecrets } from '../../../../src/people/identity/callback-secrets';
import { type SeededTenant, seedSandbox } from '../../../../src/sandbox/seed/tenants';
import { createTestDatabase } from '../../../setup/environment';

const HOUR_MS = 3_600_000;
const LAG_MS = 72 * HOUR_MS;
let place: Awaited<ReturnType<typeof createTestDatabase>>;
let database: Database;
let tenant: SeededTenant;

beforeAll(async () => {
  place = await createTestDatabase('made_between');
  database = openDatabase(place.logins, 2, 'test-made-between');
  await writeCatalogue(database.system);
  tenant = await seedSandbox(database.system, new CallbackSecrets(`k1:${Buffer.alloc(32, 7).toString('base64')}`));
});
afterAll(async () => {
  await database.close();
  await place.drop();
});

test('ids sort by their time, and the smallest of a time comes before every id made then', () => {
  const at = Date.parse('2026-01-31T12:00:00.000Z');
  const hex = at.toString(16).padStart(12, '0');
  const made = idFromUuid('payment', `${hex.slice(0, 8)}-${hex.slice(8)}-7abc-9def-000000000000`);
  expect(idAt('payment', at) <= made && made < idAt('payment', at + 1)).toBe(true);
  const now = Date.now();
  const fresh = newId('refund');
  expect(idAt('refund', now - 1) < fresh && fresh < idAt('refund', Date.now() + 1)).toBe(true);
  expect(idAt('payment', -1)).toBe(idAt('payment', 0));
  expect(idAt('payment', Number.MAX_SAFE_INTEGER)).toMatch(/^pay_7/);
});

test('a part of time has what was created in it, also where the id is older', async () => {
  const at = Date.parse('2026-03-10T12:00:00.000Z');
  const made = async (idMs: number, createdMs: number) => {
    const id = idAt('payment', idMs);
    await database.system('payments').insert({
      id,
      tenant_id: tenant.tenantId,
      organization_id: tenant.organizationId,
      terminal_id: tenant.terminalId,
      merchant_transaction_id: randomUUID(),
      method_id: 1,
      kind: 'card',
      brand: 'VISA',
      processor: 'a',
      currency: 'EUR',
      amount_minor: 1_000n,
      capture_mode: 'automatic',
      status: 'initiated',
      result_code: 100,
      status_detail: '',
      request: '{}',
      created_at: new Date(createdMs),
    });
    return id;
  };
  const repeated = await made(at - LAG_MS, at);
  const clockAhead = await made(at + HOUR_MS + 60_000, at + HOUR_MS - 1);
  const first = await made(at, at);
  await made(at - 1, at - 1);
  await made(at + HOUR_MS, at + HOUR_MS);
  const { tenantId, organizationId } = tenant;
  const hour = { from: new Date(at).toISOString(), to: new Date(at + HOUR_MS).toISOString() };
  const rows = await listPayments(database, { tenantId, organizationId }, { limit: 10, ...hour }, LAG_MS);
  expect(rows.map(({ id }) => id)).toEqual([clockAhead, first, repeated]);
});
