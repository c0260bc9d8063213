import { parse } from 'csv-parse/sync';
import { sharedStack } from '../setup/stack';
import { type Actors, actorsOf, CARDS, type Caller, type Json, send } from './client';
import { Goods } from './goods';

const { credentials, apiUrl } = sharedStack();
const ROLES = { merchant: 'merchant', tenant_admin: 'tenantAdmin', ops: 'ops' } as const;

interface ListPath {
  path: string;
  roles: string[];
  /** Parameters of the query. */
  query: Json[];
}

let actors: Actors;
let lists: ListPath[];
/** Something for each path parameter. */
let own: Record<string, string>;

beforeAll(async () => {
  actors = await actorsOf(credentials);
  const { merchant, tenantAdmin } = actors;
  const shop = new Goods(actors);
  const { paymentId } = await merchant.paid(CARDS.visa);
  const { body: refunded } = await merchant.refund(paymentId, { amount: '1.00' });
  expect(refunded.data.refund).toMatchObject({ paymentId, amount: '1.00' });
  const { itemId } = await shop.approved({ name: '=HYPERLINK("http://evil.example")' });
  const { orderId } = await shop.ordered([{ itemId, quantity: 1 }]);
  const link = await merchant.post('/payment-links/1.0.0/links', { orderId, title: 'A mug' });
  expect(link.status).toBe(201);
  const person = { firstName: { name: 'Ada' }, lastName: { name: 'Müller' }, email: 'ada@example.com' };
  const record = { customerType: 'Person', customerName: 'Ada', customerStatus: 'verified', person };
  const { customerId } = (await tenantAdmin.post('/customer/1.0.0/create', record)).body;
  const { tenantId, organizationId } = credentials;
  own = { paymentId, itemId, orderId, linkId: link.body.linkId, customerId, tenantId, organizationId };
  const { paths } = (await send(`${apiUrl}/openapi.json`)).body as { paths: Record<string, Json> };
  lists = Object.entries(paths)
    .map(([path, { get }]) => [path, get] as const)
    .filter(([, get]) => {
      const content = get?.responses['200']?.content;
      return content?.['text/csv'] && content['application/json']?.schema.properties.data;
    })
    .map(([path, get]) => ({
      path,
      roles: get['x-roles'],
      query: get.parameters.filter((one: Json) => one.in === 'query'),
    }));
});

const callers = ({ roles }: ListPath): Caller[] =>
  Object.entries(ROLES)
    .filter(([role]) => roles.includes(role))
    .map(([, name]) => actors[name]);

const addressOf = ({ path, query }: ListPath) => {
  const required = query.filter((one) => one.required).map(({ name }): [string, string] => [name, own[name]!]);
  return `${path.replace(/\{(\w+)\}/g, (_, name: string) => own[name] ?? 'unknown')}?${new URLSearchParams(required)}`;
};

/** What both answers show of each record in the first column. */
const firstCells = (records: Json[], heading: string) =>
  records.map((record) => String(heading.split('.').reduce((at, member) => at?.[member], record) ?? ''));

test('every list, asked for a table, answers all that its pages show', async () => {
  const headers = { tenantid: credentials.tenantId, organizationid: credentials.organizationId };
  const wrong: string[] = [];
  let withRows = 0;
  for (const list of lists)
    for (const who of callers(list)) {
      const address = addressOf(list);
      const page = () =>
        who.get(address + (list.query.some(({ name }) => name === 'limit') ? '&limit=200' : ''), headers);
      const before = await page();
      const table = await who.get(address, { ...headers, accept: 'text/csv' });
      if (table.status !== before.status) wrong.push(`${address}: ${before.status} as JSON, ${table.status} as CSV`);
      if (before.status !== 200) continue;
      const after = await page();
      const [headings, ...rows]: string[][] = parse(table.body, { bom: true });
      const cells = new Set(rows.map(([first]) => first));
      const still = new Set(firstCells(after.body.data, headings![0]!));
      // What came or went in between is in one of the pages only.
      const missing = firstCells(before.body.data, headings![0]!).filter((one) => still.has(one) && !cells.has(one));
      if (missing.length > 0) wrong.push(`${address}: ${missing.length} rows are missing, such as ${missing[0]}`);
      if (rows.length > 0) withRows += 1;
    }
  expect(wrong).toEqual([]);
  expect(lists.length).toBeGreaterThan(50);
  expect(withRows).toBeGreaterThan(30);
});

test('a name that is a formula is text in the table', async () => {
  const { body } = await actors.merchant.get('/inventory/1.0.0/items', { accept: 'text/csv' });
  const rows: Json[] = parse(body, { columns: true });
  expect(rows.find(({ itemId }) => itemId === own.itemId)).toMatchObject({
    name: `'=HYPERLINK("http://evil.example")`,
    price: '12.50',
    currency: 'EUR',
  });
});

test('the filters of the list hold for the table', async () => {
  const { body } = await actors.merchant.get('/orders/1.0.0/orders?status=cancelled', { accept: 'text/csv' });
  const rows: Json[] = parse(body, { columns: true });
  expect(new Set([...rows.map(({ status }) => status), 'cancelled'])).toEqual(new Set(['cancelled']));
  const mine = await actors.merchant.get('/inventory/1.0.0/items?search=HYPERLINK', { accept: 'text/csv' });
  const found: Json[] = parse(mine.body, { columns: true });
  expect(found.map(({ itemId }) => itemId)).toContain(own.itemId);
  expect(found.every(({ name }) => name.includes('HYPERLINK'))).toBe(true);
});
