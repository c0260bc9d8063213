import { gzipSync } from 'node:zlib';
import type { Attack } from './attack';
import type { Answer, Place } from './place';

const H2H = '/payments/h2h/1';
const PAYMENTS = '/ipg/1.0.0/payment/payments';
const MANY = 1_000;
const BOMB_BYTES = 8 * 1_048_576;

/** The status, and the members that were named as wrong: an order must not fail for anything else. */
const said = ({ status, body }: Answer): string =>
  [status, ...(body?.details ?? []).map(({ field }: { field: string }) => field)].join(' ');

/** An order that was changed, and what is said to it. */
const ordered =
  (more: object) =>
  async ({ merchant, order }: Place): Promise<string> =>
    said(await merchant.post(H2H, order(more)));

/** The text of an order with something in front of its members. */
const written =
  (member: string) =>
  async ({ merchant, order }: Place): Promise<string> =>
    said(await merchant.post(H2H, JSON.stringify(order()).replace('{', `{${member},`)));

/** Sends what a parser, a database or a log may take for something else. */
export const BODY_ATTACKS: Attack[] = [
  {
    name: 'a card number in words for people',
    point: 'PCI DSS 3.5.1',
    expected: '400 remark',
    strike: ordered({ remark: 'his card is 4111 1111 1111 1111' }),
  },
  {
    name: 'a card number comes back in an error',
    point: 'PCI DSS 3.4.1',
    expected: 'no',
    strike: async ({ merchant, order }) => {
      const { body } = await merchant.post(H2H, order({ remark: '4111111111111111', currency: '4111111111111111' }));
      return JSON.stringify(body).includes('4111111111111111') ? 'yes' : 'no';
    },
  },
  { name: 'a member that only we set', point: 'ASVS 15.3.3', expected: '400 fee', strike: ordered({ fee: '0.00' }) },
  { name: 'a number for an amount', point: 'ASVS 2.2.1', expected: '400 amount', strike: ordered({ amount: 10 }) },
  { name: 'NUL in a text', point: 'ASVS 2.2.1', expected: '400 remark', strike: ordered({ remark: 'a\0b' }) },
  {
    name: 'a control character in a name',
    point: 'ASVS 2.2.1',
    expected: '400 customer.firstName',
    strike: ordered({ customer: { firstName: 'Ada\u001b[2J', lastName: 'L' } }),
  },
  {
    name: 'an address of another scheme to call',
    point: 'ASVS 1.3.6',
    expected: '400 notificationUrl',
    strike: ordered({ notificationUrl: 'file:///etc/passwd' }),
  },
  {
    name: 'an address whose host parsers read differently',
    point: 'ASVS 1.3.6',
    expected: '400 notificationUrl',
    strike: ordered({ notificationUrl: 'https://shop.example@127.0.0.1/' }),
  },
  { name: 'one member twice', point: 'ASVS 1.5.3', expected: '400 amount', strike: written('"amount":"0.01"') },
  {
    name: '__proto__ as a member',
    point: 'ASVS 15.3.6',
    expected: '400 __proto__',
    strike: written('"__proto__":{"a":1}'),
  },
  {
    name: 'arrays a thousand deep',
    point: 'ASVS 15.2.2',
    expected: '400',
    strike: written(`"customer":${'['.repeat(MANY)}${']'.repeat(MANY)}`),
  },
  {
    name: 'a body of 2 MiB',
    point: 'ASVS 15.2.2',
    expected: '413',
    strike: ordered({ remark: 'a'.repeat(2 * 1_048_576) }),
  },
  {
    name: 'a small body that becomes a large one',
    point: 'ASVS 15.2.2',
    expected: '415',
    strike: async ({ merchant }) =>
      `${(await merchant.post(H2H, gzipSync(Buffer.alloc(BOMB_BYTES)), { 'content-encoding': 'gzip' })).status}`,
  },
  {
    name: 'XML where JSON is asked for',
    point: 'ASVS 1.5.1',
    expected: '415',
    strike: async ({ merchant }) =>
      `${(await merchant.post(H2H, '<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>', { 'content-type': 'application/xml' })).status}`,
  },
  {
    name: 'SQL in a search',
    point: 'ASVS 1.2.4',
    expected: '200, 0 found',
    strike: async ({ merchant }) => {
      const { status, body } = await merchant.get(`${PAYMENTS}?search=${encodeURIComponent("' OR '1'='1' --")}`);
      return `${status}, ${body.data?.length} found`;
    },
  },
  {
    name: 'SQL for an id',
    point: 'ASVS 1.2.4',
    expected: '404',
    strike: async ({ merchant }) =>
      `${(await merchant.get(`${PAYMENTS}/${encodeURIComponent("x' OR '1'='1")}/status-by-payment-id`)).status}`,
  },
  {
    name: 'one parameter twice',
    point: 'ASVS 15.3.7',
    expected: '400',
    strike: async ({ merchant }) => `${(await merchant.get(`${PAYMENTS}?limit=1&limit=200`)).status}`,
  },
  {
    name: 'a method that no route has',
    point: 'ASVS 4.1.4',
    expected: '405',
    strike: async ({ merchant }) => `${(await merchant.send('PROPFIND', PAYMENTS)).status}`,
  },
  {
    name: 'a path that leaves the folder of the console',
    point: 'ASVS 5.3.2',
    expected: 'nothing of ours',
    strike: async ({ nobody }) => {
      const answers = await Promise.all(
        [
          '/console/..%2f..%2f..%2fpackage.json',
          '/console/%2e%2e/%2e%2e/package.json',
          '/console/assets/..%5c..%5cpackage.json',
        ].map((path) => nobody.get(path)),
      );
      return answers.some(({ body }) => JSON.stringify(body).includes('devDependencies'))
        ? 'a file'
        : 'nothing of ours';
    },
  },
];
