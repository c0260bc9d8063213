import { DomainError } from '../../../../src/domain/errors';
import { DeviceWalletTokens } from '../../../../src/edge/device-wallets/device-wallet-tokens';
import { parseWalletKeys } from '../../../../src/edge/device-wallets/keys';
import { order, payment, refusalOf, sandboxWallets, TTL_MS } from './sandbox-wallets';

const { issuer, platform, tokens } = sandboxWallets();
const first = issuer.issueEcv2(order());
const second = issuer.issueEcV1(order());

/** `depth` objects inside each other. */
function nested(depth: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < depth; level++) value = { value };
  return value;
}

const SHAPES: [string, unknown][] = [
  ['nothing', undefined],
  ['null', null],
  ['a number', 4111111111111111],
  ['text', 'token'],
  ['JSON text of a token', JSON.stringify(first)],
  ['a list', [first, second]],
  ['an empty object', {}],
  ['a deep object', nested(5_000)],
  ['a token in a member named __proto__', JSON.parse(`{"__proto__":${JSON.stringify(first)}}`)],
  [
    'an object that throws when read',
    Object.defineProperty({}, 'version', { enumerable: true, get: () => nested(-1) }),
  ],
  ['a member too many', { ...first, ...second, '4111111111111111': '4111111111111111' }],
];

test.each(SHAPES)('neither kind takes %s', (_, token) => {
  refusalOf(() => tokens.open('first', token, payment));
  refusalOf(() => tokens.open('second', token, payment));
});

test('one kind is no token of the other', () => {
  refusalOf(() => tokens.open('first', second, payment));
  refusalOf(() => tokens.open('second', first, payment));
});

/** Every member of a token, and what is put into its place. */
const MEMBERS: Record<'first' | 'second', [token: object, paths: string[]]> = {
  first: [
    first,
    [
      'protocolVersion',
      'signature',
      'intermediateSigningKey',
      'intermediateSigningKey.signedKey',
      'intermediateSigningKey.signatures',
      'intermediateSigningKey.signatures.0',
      'signedMessage',
    ],
  ],
  second: [
    second,
    [
      'version',
      'data',
      'signature',
      'header',
      'header.ephemeralPublicKey',
      'header.publicKeyHash',
      'header.transactionId',
      'header.applicationData',
    ],
  ],
};
const INSTEAD: unknown[] = [
  null,
  true,
  0,
  -1,
  2 ** 60,
  '',
  ' ',
  '=',
  'AA==',
  'A'.repeat(2_000_000),
  '\u0000',
  '\ud800',
  '{}',
  '{"keyValue":1}',
  '{"a":1,"a":2}',
  '['.repeat(10_000),
  [],
  {},
  [[[[]]]],
  { length: 1e9 },
  Array.from({ length: 10_000 }, () => 'AA=='),
  nested(2_000),
];

describe.each(['first', 'second'] as const)('a member of the wrong kind, %s', (kind) => {
  const [token, paths] = MEMBERS[kind];
  test.each(paths)('%s', (path) => {
    for (const value of INSTEAD) refusalOf(() => tokens.open(kind, replaced(token, path.split('.'), value), payment));
  });
});

function replaced(object: object, [name, ...rest]: string[], value: unknown): unknown {
  const copy = structuredClone(object) as Record<string, unknown>;
  copy[name!] = rest.length > 0 ? replaced(copy[name!] as object, rest, value) : value;
  return copy;
}

describe('ASN.1 that is none, or too much of it', () => {
  const definite = (depth: number): Buffer => {
    let value = Buffer.alloc(0);
    for (let level = 0; level < depth; level++)
      value = Buffer.concat([Buffer.from([0x30, 0x82, value.length >> 8, value.length & 255]), value]);
    return value;
  };
  const repeated = (pattern: string, length = 12_000) => Buffer.alloc(length, Buffer.from(pattern, 'hex'));
  const good = Buffer.from(second.signature, 'base64');
  const signatures: [string, Buffer][] = [
    ['no content', Buffer.from('3000', 'hex')],
    ['indefinite, nested deep', repeated('3080')],
    ['indefinite contexts, nested deep', repeated('a080')],
    ['definite, nested deep', definite(2_900)],
    ['a length beyond the end', Buffer.from('3084ffffffff', 'hex')],
    ['a length of 127 bytes', Buffer.concat([Buffer.from('30ff', 'hex'), repeated('ff', 127)])],
    ['thousands of members', Buffer.concat([Buffer.from('30822ee0', 'hex'), repeated('0500')])],
    ['an object identifier without arcs', Buffer.from('30020600', 'hex')],
    ['an endless arc', Buffer.concat([Buffer.from('3082100406821000', 'hex'), repeated('ff', 4_096)])],
    ['cut off in the middle', good.subarray(0, good.length / 2)],
    ['without its last byte', good.subarray(0, -1)],
    ['a certificate for a signature', Buffer.from(platform.second.rootCertificates[0], 'base64')],
    ['a key for a signature', Buffer.from(second.header.ephemeralPublicKey, 'base64')],
  ];
  test.each(signatures)('%s', (_, der) => {
    const signature = der.toString('base64');
    refusalOf(() => tokens.open('second', { ...second, signature }, payment));
  });

  test('every length of a token cut short', () => {
    for (let length = 1; length < good.length; length += 13)
      refusalOf(() =>
        tokens.open('second', { ...second, signature: good.subarray(0, length).toString('base64') }, payment),
      );
  });
});

describe('keys', () => {
  const { first: firstKeys, second: secondKeys } = platform;

  test('a kind without keys is not enabled', () => {
    for (const setting of [undefined, '', '{}'])
      for (const kind of ['first', 'second'] as const) {
        const open = () => new DeviceWalletTokens(setting, { tokenTtlMs: TTL_MS }).open(kind, first, payment);
        expect(open).toThrow(DomainError);
        expect(open).toThrow(expect.objectContaining({ code: 'method_not_enabled' }));
      }
  });

  test('root keys of other protocol versions, published beside ours, are passed over', () => {
    const [rootKey] = firstKeys.rootKeys;
    const rootKeys = [{ keyValue: rootKey.keyValue, protocolVersion: 'ECv1' }, rootKey];
    const setting = JSON.stringify({ first: { ...firstKeys, rootKeys } });
    const keys = new DeviceWalletTokens(setting, { tokenTtlMs: TTL_MS });
    expect(keys.open('first', first, payment).number).toBe('4111111111111111');
  });

  const malformed: [string, string][] = [
    ['no JSON', `{"first":"${firstKeys.privateKeys[0]}`],
    ['a list', '[]'],
    ['an unknown wallet', '{"third":{}}'],
    ['no keys', JSON.stringify({ first: { ...firstKeys, privateKeys: [] } })],
    [
      'a root key for a private key',
      JSON.stringify({ first: { ...firstKeys, privateKeys: [firstKeys.rootKeys[0].keyValue] } }),
    ],
    [
      'a key for a certificate',
      JSON.stringify({ second: { ...secondKeys, rootCertificates: secondKeys.privateKeys } }),
    ],
  ];
  test.each(malformed)('DEVICE_WALLET_KEYS with %s is refused without being quoted', (_, setting) => {
    expect(() => parseWalletKeys(setting)).toThrow(/^DEVICE_WALLET_KEYS [A-Za-z0-9 .,-]{1,100}$/);
  });
});
