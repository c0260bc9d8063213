import type { LookupAddress } from 'node:dns';
import { NotificationSender } from '../../../../src/edge/notifications/sender';
import { OutboundGuard } from '../../../../src/foundation/outbound/guard';
import { Receiver } from '../../edge/notifications/receiver';

const outside = new OutboundGuard({ sandbox: false });
const inSandbox = new OutboundGuard({ sandbox: true });

const PRIVATE_HOSTS = [
  '127.0.0.1',
  '127.1',
  '2130706433',
  '0x7f000001',
  '0177.0.0.1',
  '0.0.0.0',
  '0',
  '10.1.2.3',
  '172.16.0.1',
  '192.168.1.1',
  '100.64.0.1',
  '169.254.169.254',
  '192.0.0.192',
  '168.63.129.16',
  '198.18.0.1',
  '224.0.0.1',
  '255.255.255.255',
  '１２７.0.0.1',
  '[::1]',
  '[::]',
  '[::ffff:127.0.0.1]',
  '[::ffff:a00:1]',
  '[::127.0.0.1]',
  '[64:ff9b::7f00:1]',
  '[64:ff9b:1::1]',
  '[2002:7f00:1::]',
  '[2001:0:7f00:1::]',
  '[fe80::1]',
  '[fc00::1]',
  '[fd00:ec2::254]',
  '[fec0::1]',
  '[ff02::1]',
];

test.each(PRIVATE_HOSTS)('https://%s is refused outside the sandbox, and allowed in it', (host) => {
  expect(outside.refusal(`https://${host}/hook`)).toBe('must not lead to a private address');
  expect(inSandbox.refusal(`http://${host}/hook`)).toBeUndefined();
});

test.each(['https://8.8.8.8/hook', 'https://[2606:4700::1111]:8443/', 'https://merchant.example/hook?a=b'])(
  '%s is allowed',
  (url) => expect(outside.refusal(url)).toBeUndefined(),
);

test.each([
  ['http://merchant.example/', 'must be an https URL'],
  ['ftp://merchant.example/', 'must be an https URL'],
  ['https://user@merchant.example/', 'must not contain a user name or password'],
  ['https://merchant.example:0/', 'must not name port 0'],
  ['https://1.2.3.256/', 'is not a URL'],
  ['https://', 'is not a URL'],
])('%s is refused', (url, message) => expect(outside.refusal(url)).toBe(message));

test('a user name is refused in the sandbox too', () => {
  expect(inSandbox.refusal('http://user:secret@127.0.0.1/')).toBe('must not contain a user name or password');
});

describe('at connection time', () => {
  let receiver: Receiver;
  let answers: string[][];
  let asked: string[];
  beforeAll(async () => {
    receiver = await new Receiver().listen();
  });
  afterAll(() => receiver.close());
  beforeEach(() => {
    asked = [];
    answers = [];
  });

  /** Plain HTTP, so that a server of this machine could answer; addresses are judged as outside the sandbox. */
  class PlainGuard extends OutboundGuard {
    override refusal(): undefined {
      return undefined;
    }
  }

  async function post(url: string) {
    const guard = new PlainGuard({
      sandbox: false,
      resolve: (hostname, _, done) => {
        asked.push(hostname);
        const addresses = answers.shift() ?? [];
        done(
          null,
          addresses.map((address): LookupAddress => ({ address, family: address.includes(':') ? 6 : 4 })),
        );
      },
    });
    const sender = new NotificationSender({ guard, timeoutMs: 500, connections: 4 });
    try {
      return await sender.send({ id: 'ntf_1', url, body: '{}', secrets: ['s'] });
    } finally {
      await sender.close();
    }
  }

  test.each([
    [['127.0.0.1']],
    [['::1']],
    [['::ffff:127.0.0.1']],
    [['10.0.0.1']],
    [['8.8.8.8', '127.0.0.1']],
    [['127.0.0.1', '8.8.8.8']],
  ])('a name that leads to %p is not connected to', async (addresses) => {
    answers = [addresses];
    const before = receiver.received.length;
    expect(await post(receiver.url('/', 'merchant.example'))).toMatchObject({
      status: null,
      error: 'the target has a private address',
    });
    expect(receiver.received).toHaveLength(before);
    expect(asked).toEqual(['merchant.example']);
  });

  test('a name that answers differently the second time gains nothing: each connection asks and checks', async () => {
    const before = receiver.received.length;
    const url = receiver.url('/', 'rebinding.example');
    // First a public address, where nothing of ours listens; then our own machine.
    answers = [['8.8.8.8'], ['127.0.0.1']];
    expect((await post(url)).error).not.toBe('the target has a private address');
    expect((await post(url)).error).toBe('the target has a private address');
    expect(asked).toHaveLength(2);
    expect(receiver.received).toHaveLength(before);
  });

  test.each(['127.0.0.1', '[::1]', '0x7f.1'])(
    'the literal %s is not connected to, though no resolver is asked',
    async (host) => {
      const before = receiver.received.length;
      expect((await post(receiver.url('/', host))).error).toBe('the target has a private address');
      expect(asked).toEqual([]);
      expect(receiver.received).toHaveLength(before);
    },
  );
});

describe('what a receiver answers', () => {
  let receiver: Receiver;
  let inner: Receiver;
  const patient = new NotificationSender({ guard: inSandbox, timeoutMs: 10_000, connections: 4 });
  const hasty = new NotificationSender({ guard: inSandbox, timeoutMs: 100, connections: 4 });
  beforeAll(async () => {
    receiver = await new Receiver().listen();
    inner = await new Receiver().listen();
  });
  afterAll(() => Promise.all([receiver.close(), inner.close(), patient.close(), hasty.close()]));
  const post = (sender = patient) =>
    sender.send({ id: 'ntf_1', url: receiver.url('/hook?x=1'), body: '{"a":1}', secrets: ['s'] });

  test.each([301, 302, 303, 307, 308])('%i: the redirect is not followed', async (status) => {
    receiver.behave = (_, response) => response.writeHead(status, { location: inner.url('/inner') }).end();
    expect(await post()).toMatchObject({ status, error: 'redirects are not followed' });
    expect(inner.received).toEqual([]);
  });

  test.each([200, 201, 202, 204, 299])('%i counts as delivered', async (status) => {
    receiver.behave = (_, response) => response.writeHead(status).end();
    expect(await post()).toMatchObject({ status, error: null });
  });

  test.each([400, 401, 404, 410, 429, 500, 503])('%i does not', async (status) => {
    receiver.behave = (_, response) => response.writeHead(status).end('no');
    expect(await post()).toMatchObject({ status, error: 'the answer is not a success' });
  });

  test('no answer in time', async () => {
    receiver.behave = () => undefined;
    expect(await post(hasty)).toMatchObject({ status: null, error: 'no answer within 100 ms' });
  });

  test('a success that never ends is a success, and ends', async () => {
    receiver.behave = (_, response) => {
      response.writeHead(200);
      const pour = setInterval(() => response.write(Buffer.alloc(64 * 1024)), 1);
      response.on('close', () => clearInterval(pour));
    };
    expect(await post()).toMatchObject({ status: 200, error: null });
  });

  test('a connection that is cut, and one that is refused', async () => {
    receiver.behave = (_, response) => response.destroy();
    expect(await post()).toMatchObject({ status: null, error: 'the connection was cut' });
    const gone = await new Receiver().listen();
    const url = gone.url('/');
    await gone.close();
    expect(await patient.send({ id: 'ntf_1', url, body: '{}', secrets: ['s'] })).toMatchObject({
      status: null,
      error: 'the connection was refused',
    });
  });

  test('what is sent: the body as it is, its id, and path and query as given', async () => {
    receiver.behave = (_, response) => response.writeHead(204).end();
    await post();
    expect(receiver.received.at(-1)).toMatchObject({
      method: 'POST',
      path: '/hook?x=1',
      body: '{"a":1}',
      headers: { 'content-type': 'application/json', 'webhook-id': 'ntf_1' },
    });
  });
});
