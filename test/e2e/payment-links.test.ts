import QRCode from 'qrcode';
import sharp from 'sharp';
import { sharedStack } from '../setup/stack';
import { type Actors, actorsOf, type Json, send, transactionId, until } from './client';
import { ownTenant } from './tenants';

const { credentials, apiUrl } = sharedStack();
const BASE = '/payment-links/1.0.0';
const LINKS = `${BASE}/links`;
const GIFT = { amount: { min: '5.00', max: '500.00' }, currency: 'EUR', title: 'A gift' };

let actors: Actors;
let stranger: Actors;

beforeAll(async () => {
  [actors, stranger] = await Promise.all([actorsOf(credentials), actorsOf(credentials, credentials.other)]);
});

async function create(body: object = {}): Promise<Json> {
  const reply = await actors.merchant.post(LINKS, { ...GIFT, ...body });
  if (reply.status !== 201) throw new Error(`not created: ${JSON.stringify(reply.body)}`);
  return reply.body;
}
const get = async (id: string): Promise<Json> => (await actors.merchant.get(`${LINKS}/${id}`)).body;
const act = (id: string, what: string, body?: object) => actors.merchant.post(`${LINKS}/${id}/${what}`, body);
const decide = (id: string, what: 'approve' | 'reject', body?: object) =>
  actors.tenantAdmin.post(`${LINKS}/${id}/${what}`, body);
const mailbox = async (to: string): Promise<Json[]> =>
  (await send(`${apiUrl}/sandbox/mailbox?to=${encodeURIComponent(to)}`)).body.data;

test('a link is active at once, and can be disabled, enabled and given more time', async () => {
  const link = await create({ reference: 'spring' });
  expect(link).toMatchObject({ status: 'active', amount: GIFT.amount, reference: 'spring', approval: { needed: 0 } });
  expect(link.url).toMatch(/\/pay\/[\w-]{22}$/);
  expect(await get(link.linkId)).toEqual(link);
  expect((await act(link.linkId, 'disable')).body).toMatchObject({ status: 'disabled' });
  expect(await act(link.linkId, 'disable')).toMatchObject({ status: 409, body: { code: 'invalid_state' } });
  expect((await act(link.linkId, 'enable')).body).toMatchObject({ status: 'active' });
  const expiresAt = '2040-01-01T00:00:00.000Z';
  expect((await act(link.linkId, 'expiry', { expiresAt })).body).toMatchObject({ expiresAt });
  const { data } = (await actors.merchant.get(`${LINKS}?reference=spring&status=active&limit=1`)).body;
  expect(data.map(({ linkId }: Json) => linkId)).toEqual([link.linkId]);
});

test('its QR code is a picture of its address', async () => {
  const { linkId, url } = await create();
  const picture = async (query: string, who = actors.merchant) => {
    const response = await fetch(`${apiUrl}${LINKS}/${linkId}/qr${query}`, { headers: who.headers });
    return { response, bytes: Buffer.from(await response.arrayBuffer()) };
  };
  const svg = await picture('');
  expect(svg.response.headers.get('content-type')).toBe('image/svg+xml');
  const png = await picture('?form=png&size=400');
  expect(await sharp(png.bytes).metadata()).toMatchObject({ format: 'png', width: 400, height: 400 });
  const code = QRCode.create(url, { errorCorrectionLevel: 'M' }).modules;
  const across = code.size + 8;
  for (const { bytes } of [svg, png]) {
    // One pixel of each module, with the white border of four around them.
    const pixels = await sharp(bytes, { density: 300 })
      .flatten({ background: '#fff' })
      .resize(across * 9)
      .greyscale()
      .raw()
      .toBuffer();
    const dark = (row: number, column: number) => pixels[(row * 9 + 4) * across * 9 + column * 9 + 4]! < 128;
    const rows = Array.from({ length: across }, (_, row) => Array.from({ length: across }, (_, at) => dark(row, at)));
    const whole = Array.from({ length: across }, (_, row) =>
      Array.from({ length: across }, (_, at) => {
        const [y, x] = [row - 4, at - 4];
        return y >= 0 && x >= 0 && y < code.size && x < code.size && code.get(y, x) === 1;
      }),
    );
    expect(rows).toEqual(whole);
  }
  expect((await picture('', stranger.merchant)).response.status).toBe(404);
  expect((await picture('?form=gif')).response.status).toBe(400);
});

test('it waits for an approval where it asks for one; a rejection has its reason', async () => {
  const link = await create({ approval: 'required' });
  expect(link).toMatchObject({ status: 'pending_approval', approval: { needed: 1, decisions: [] } });
  expect(await act(link.linkId, 'approve')).toMatchObject({ status: 403, body: { code: 'forbidden' } });
  expect(await act(link.linkId, 'enable')).toMatchObject({ status: 409 });
  const approved = await decide(link.linkId, 'approve');
  expect(approved).toMatchObject({
    status: 200,
    body: { status: 'active', approval: { decisions: [{ decision: 'approve' }] } },
  });
  const other = await create({ approval: 'required' });
  expect((await decide(other.linkId, 'reject')).status).toBe(400);
  const rejected = (await decide(other.linkId, 'reject', { reason: 'not our price' })).body;
  expect(rejected).toMatchObject({ status: 'rejected', statusDetail: 'not our price' });
});

test('it expires by itself', async () => {
  const { linkId } = await create({ expiresAt: new Date(Date.now() + 1_500).toISOString() });
  await until('it has expired', async () => (await get(linkId)).status === 'expired');
  expect(await act(linkId, 'enable')).toMatchObject({ status: 409, body: { code: 'invalid_state' } });
});

test('it is shared by e-mail with a QR code, by SMS and by other ways, and sent again', async () => {
  const link = await create();
  const to = `${transactionId()}@buyer.example`;
  const share = (await act(link.linkId, 'share', { channel: 'email', to, note: 'As we said' })).body;
  expect(share).toMatchObject({ channel: 'email', recipient: 't…@buyer.example', delivery: 'queued', sends: 1 });
  const letter = await until('the e-mail is there', async () => (await mailbox(to))[0]);
  expect(letter.text).toContain(link.url);
  expect(letter.text).toContain('As we said');
  const delivered = await until('it is delivered', async () => {
    const { data } = (await actors.merchant.get(`${LINKS}/${link.linkId}/shares`)).body;
    return data[0].delivery === 'delivered' && data[0];
  });
  expect(delivered.shareId).toBe(share.shareId);
  expect((await act(link.linkId, `shares/${share.shareId}/resend`)).body).toMatchObject({ sends: 2 });
  await until('it is there twice', async () => (await mailbox(to)).length === 2);
  const sms = (await act(link.linkId, 'share', { channel: 'sms', to: '+351210000001' })).body;
  expect(sms.recipient).toBe('+35…0001');
  const own = (await act(link.linkId, 'share', { channel: 'external', to: 'our messenger' })).body;
  expect(own).toMatchObject({ delivery: 'recorded', recipient: 'our messenger' });
  expect(await act(link.linkId, `shares/${own.shareId}/resend`)).toMatchObject({ status: 409 });
  await act(link.linkId, 'disable');
  expect(await act(link.linkId, 'share', { channel: 'external', to: 'x' })).toMatchObject({ status: 409 });
});

test('the same key makes one, and what cannot be is refused with every fault', async () => {
  const key = { 'idempotency-key': transactionId() };
  const [one, again] = [await actors.merchant.post(LINKS, GIFT, key), await actors.merchant.post(LINKS, GIFT, key)];
  expect(again.body).toEqual(one.body);
  const fieldsOf = async (body: object) => {
    const reply = await actors.merchant.post(LINKS, body);
    expect(reply.status).toBe(400);
    return reply.body.details.map(({ field }: Json) => field);
  };
  expect(await fieldsOf({ ...GIFT, expiresAt: '2020-01-01T00:00:00Z' })).toEqual(['expiresAt']);
  expect(await fieldsOf({ ...GIFT, amount: { min: '5.00', max: '4.00' } })).toEqual(['amount.max']);
  expect(await fieldsOf({ ...GIFT, amount: { min: '5', max: '6' } })).toEqual(['amount.min', 'amount.max']);
  expect(await fieldsOf({ title: 'x', currency: 'EUR' })).toEqual(['body']);
  expect(await fieldsOf({ ...GIFT, kinds: ['wallet'] })).toEqual(['kinds[0]']);
  expect(await fieldsOf({ title: 'x', currency: 'JPY', lines: [{ description: 'y', amount: '1.50' }] })).toEqual([
    'lines[0].amount',
  ]);
});

test('statistics begin at nothing; nobody else sees a link', async () => {
  const { linkId } = await create();
  const statistics = (await actors.merchant.get(`${LINKS}/${linkId}/statistics`)).body;
  expect(statistics).toEqual({ opened: 0, tried: 0, paid: 0, amount: '0.00', currency: 'EUR', byDay: [] });
  expect((await stranger.merchant.get(`${LINKS}/${linkId}`)).status).toBe(404);
  expect((await stranger.tenantAdmin.post(`${LINKS}/${linkId}/approve`)).status).toBe(404);
  expect((await actors.tenantAdmin.get(`${LINKS}/${linkId}`)).body.linkId).toBe(linkId);
});

test('a tenant settles who approves, and lets others do it', async () => {
  // In a tenant of its own: whoever makes a link has it approved from here on.
  const own = await ownTenant();
  const { merchant, tenantAdmin } = await actorsOf(credentials, own);
  const admins = (method: string, path: string, body?: object) =>
    send(`${apiUrl}${BASE}${path}`, { method, headers: tenantAdmin.headers, body });
  const settle = (settings: object) => admins('PUT', '/settings', settings);
  const before = (await tenantAdmin.get(`${BASE}/settings`)).body;
  expect(before).toEqual({ approvalRequired: false, fourEyes: [], requestTtlHours: 168, remindAfterHours: 24 });
  const settings = { ...before, approvalRequired: true, fourEyes: [{ currency: 'EUR', amount: '400.00' }] };
  expect((await settle(settings)).body).toEqual(settings);
  const link = (await merchant.post(LINKS, GIFT)).body;
  expect(link).toMatchObject({ status: 'pending_approval', approval: { needed: 2 } });
  const to = own.clients.merchant.clientId;
  const endsAt = '2040-01-01T00:00:00.000Z';
  const given = await tenantAdmin.post(`${BASE}/delegations`, { to, currency: 'EUR', most: '900.00', endsAt });
  expect(given).toMatchObject({ status: 201, body: { to, most: '900.00' } });
  expect((await tenantAdmin.get(`${BASE}/delegations`)).body.data).toHaveLength(1);
  // The delegate made this link: somebody else decides.
  expect((await merchant.post(`${LINKS}/${link.linkId}/approve`)).status).toBe(403);
  expect((await admins('DELETE', `/delegations/${given.body.delegationId}`)).status).toBe(204);
  expect((await settle(before)).status).toBe(200);
});
