import fc from 'fast-check';
import { APPROVAL_KINDS, approvalIdOf, subjectOf, type WaitingRow } from '../../../../src/commerce/approvals/approval';
import { cursorOf, listWaiting, type WaitingFilter } from '../../../../src/commerce/approvals/waiting';
import { Inventory } from '../../../../src/commerce/inventory/service';
import { newId } from '../../../../src/domain/ids';
import { insertPerson, openPlace, type Place, STAFF } from '../../people/customers/place';

let place: Place;
let organizationId: string;
let inventory: Inventory;

beforeAll(async () => {
  place = await openPlace('approvals');
  await place.database.tenant(place.tenantId, async (trx) => {
    ({ organization_id: organizationId } = await trx('merchant_accounts').first());
  });
  inventory = new Inventory(place.database);
});
afterAll(() => place?.close());

const seller = () => ({ tenantId: place.tenantId, organizationId });
const list = (filter: Partial<WaitingFilter> = {}, tenantId = place.tenantId): Promise<WaitingRow[]> =>
  place.database.tenant(tenantId, (trx) => listWaiting(trx, tenantId, { limit: 200, ...filter }));

let names = 0;
async function item(): Promise<string> {
  names += 1;
  const id = newId('item');
  const price = { amountMinor: 500n, currency: 'EUR' };
  await inventory.add(
    seller(),
    { id, sku: `sku-${names}`, name: `Mug ${names}`, price, quantity: 1, images: [] },
    STAFF,
  );
  return id;
}

async function link(): Promise<string> {
  const id = newId('paymentLink');
  await place.database.tenant(place.tenantId, async (trx) => {
    await trx('payment_links').insert({
      id,
      tenant_id: place.tenantId,
      organization_id: organizationId,
      terminal_id: 'terminal',
      status: 'pending_approval',
      status_detail: '',
      token_digest: Buffer.from(id),
      title: 'A gift',
      currency: 'JPY',
      amount_min_minor: 1n,
      amount_max_minor: 900n,
      most_minor: 900n,
      approvals_needed: 2,
      request_expires_at: new Date(Date.now() + 3_600_000),
      expires_at: new Date(Date.now() + 7_200_000),
      created_by: 'cli_seller',
    });
    const decision = { link_id: id, tenant_id: place.tenantId, decided_by: 'cli_first', decision: 'approve' };
    await trx('payment_link_decisions').insert(decision);
  });
  return id;
}

test('an id says what it is about, and what was looked at', () => {
  const part = fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: 1, maxLength: 26 });
  const prefixes = fc.constantFrom('itm', 'lnk', 'doc', 'cus', 'pac');
  fc.assert(
    fc.property(prefixes, part, fc.option(part, { nil: null }), (prefix, id, mark) => {
      const subject_id = `${prefix}_${id}`;
      expect(subjectOf(approvalIdOf({ subject_id, mark }))).toMatchObject({ id: subject_id, ...(mark && { mark }) });
    }),
  );
  for (const none of ['', 'pay_1', 'itm', '.', 'xitm_1']) expect(subjectOf(none)).toBeUndefined();
});

test('what waits of every kind is in one list, with what has to be known of it', async () => {
  const [itemId, customer] = [await item(), await insertPerson(place, 'under_verificaiton')];
  const linkId = await link();
  const account = { id: newId('payoutAccount'), tenant_id: place.tenantId, organization_id: organizationId };
  await place.database.system('payout_accounts').insert({
    ...account,
    iban_sealed: Buffer.from('x'),
    iban_country: 'DE',
    iban_last4: '3000',
    holder: 'A Seller',
    status: 'unverified',
    effective_from: new Date(),
    created_by: 'cli_seller',
  });
  const document = { id: newId('document'), customer_id: customer.id, tenant_id: place.tenantId };
  await place.database.tenant(place.tenantId, (trx) =>
    trx('customer_documents').insert({
      ...document,
      position: 0,
      document_type: 'Passport',
      content_sealed: Buffer.from('x'),
      content_key: Buffer.from('x'),
      status: 'underverification',
      verification_response: 'Awaiting review',
    }),
  );
  const rows = await list();
  expect(new Set(rows.map(({ kind }) => kind))).toEqual(new Set(APPROVAL_KINDS));
  const about = (id: string) => rows.find(({ subject_id }) => subject_id === id);
  expect(about(itemId)).toMatchObject({ mark: '1', amount_minor: 500n, currency: 'EUR', needs: 1, approved_by: [] });
  expect(about(linkId)).toMatchObject({ title: 'A gift', amount_minor: 900n, needs: 2, approved_by: ['cli_first'] });
  expect(about(linkId)!.due_at).toBeInstanceOf(Date);
  expect(about(document.id)).toMatchObject({ title: `Passport of ${customer.id}`, mark: null });
  expect(about(customer.id)).toMatchObject({ title: `Person ${customer.id}` });
  expect(about(account.id)).toMatchObject({ title: 'A Seller, DE**3000', organization_id: organizationId });
  for (const kind of APPROVAL_KINDS)
    expect(new Set((await list({ kind })).map((row) => row.kind))).toEqual(new Set([kind]));
  expect((await list({ organizationId })).map(({ subject_id }) => subject_id).sort()).toEqual(
    [itemId, linkId, account.id].sort(),
  );
  expect(await list({}, place.otherTenantId)).toEqual([]);
  expect(await list({ cursor: 'of another list' })).toEqual([]);
});

test('pages of any size show everything once, what has waited longest first', async () => {
  for (let made = 0; made < 12; made += 1) await (made % 3 === 0 ? link() : item());
  // Some at the very same time: their ids decide.
  await place.database.system.raw(
    "UPDATE items SET waiting_since = date_trunc('minute', waiting_since) WHERE status = 'pending_approval'",
  );
  const all = await list();
  expect(all.length).toBeGreaterThan(12);
  const key = ({ waiting_since, subject_id }: WaitingRow) => `${waiting_since.toISOString()} ${subject_id}`;
  expect(all.map(key)).toEqual(all.map(key).sort());
  for (const limit of [1, 2, 5, 7]) {
    const seen: string[] = [];
    for (let cursor: string | undefined; ; ) {
      const rows = await list({ limit, ...(cursor && { cursor }) });
      const page = rows.slice(0, limit);
      seen.push(...page.map(key));
      if (rows.length <= limit) break;
      cursor = cursorOf(page.at(-1)!);
    }
    expect(seen).toEqual(all.map(key));
  }
});

test('an item waits from its first change on, and again after a decision', async () => {
  const id = await item();
  const waiting = async () => (await list({ kind: 'item' })).find(({ subject_id }) => subject_id === id);
  const first = await waiting();
  await inventory.change(seller(), id, { name: 'Another mug' }, STAFF);
  expect(await waiting()).toMatchObject({ mark: '2', waiting_since: first!.waiting_since });
  await inventory.decide({ tenantId: place.tenantId }, id, { decision: 'approved' }, STAFF);
  expect(await waiting()).toBeUndefined();
  await inventory.change(seller(), id, { name: 'A third mug' }, STAFF);
  expect((await waiting())!.waiting_since.getTime()).toBeGreaterThan(first!.waiting_since.getTime());
});

test('a page reads each table by its index, however much there is', async () => {
  const plans = await place.database.tenant(place.tenantId, async (trx) => {
    await trx.raw('SET LOCAL enable_seqscan = off');
    const queries: string[] = [];
    trx.on('query', ({ sql }: { sql: string }) => queries.push(sql));
    const seen = await listWaiting(trx, place.tenantId, { limit: 5 });
    const cursor = cursorOf(seen[0]!);
    const [, since, after] = /^(\S+) (\S+)$/.exec(cursor)!;
    await listWaiting(trx, place.tenantId, { limit: 5, cursor });
    const text = queries.at(-1)!;
    const bindings = [...text.matchAll(/\$\d+|\?/g)].length;
    expect(bindings).toBeGreaterThan(0);
    const { rows } = await trx.raw(
      `EXPLAIN ${text.replace(/\$\d+/g, '?')}`,
      valuesFor(text, { tenantId: place.tenantId, since: since!, after: after!, limit: 6 }),
    );
    return rows.map((row: Record<string, string>) => row['QUERY PLAN']).join('\n');
  });
  for (const index of ['items_waiting', 'payment_links_waiting', 'customer_documents_waiting', 'customers_waiting'])
    expect(plans).toContain(`Index Scan using ${index}`);
  expect(plans).toContain('payout_accounts_waiting');
});

/** The values of a query in which named bindings have become numbers, in their order: each part has tenant, since, after, limit. */
function valuesFor(
  text: string,
  { tenantId, since, after, limit }: { tenantId: string; since: string; after: string; limit: number },
): (string | number)[] {
  const parts = APPROVAL_KINDS.flatMap(() => [tenantId, since, after, limit]);
  const values = [...parts, limit];
  expect([...text.matchAll(/\$\d+|\?/g)]).toHaveLength(values.length);
  return values;
}
