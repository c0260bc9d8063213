import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { DeviceWalletTokens } from '../../../../src/edge/device-wallets/device-wallet-tokens';
import { signedKeyBytes, signedMessageBytes } from '../../../../src/edge/device-wallets/ecv2';
import type { Ecv2Token } from '../../../../src/edge/device-wallets/schema';
import { sealEcv2 } from '../../../../src/sandbox/simulator/device-wallets/ecv2';
import { flipped, order, payment, refusalOf, sandboxWallets, TTL_MS } from './sandbox-wallets';

const wallets = sandboxWallets();
const { issuer, issuerKeys, platform, tokens } = wallets;
const token = issuer.issueEcv2(order());
const refusal = (changed: unknown, whose = payment) => refusalOf(() => tokens.open('first', changed, whose));

const message = {
  messageExpiration: String(Date.now() + TTL_MS),
  paymentMethod: 'CARD',
  paymentMethodDetails: {
    pan: '4111111111111111',
    expirationMonth: 12,
    expirationYear: 2040,
    authMethod: 'PAN_ONLY',
  },
};
const envelope = { recipientId: `merchant:${payment.merchantId}`, keyExpiresAt: Date.now() + TTL_MS };
const sealed = (text: string, changes = {}) => sealEcv2(issuerKeys.ecv2, text, { ...envelope, ...changes });

/** `object`, a member of it that is JSON text, changed. */
function inside(text: string, change: (object: Record<string, string>) => Record<string, string>): string {
  return JSON.stringify(change(JSON.parse(text)));
}

test('a token gives the card that was put into it', () => {
  expect(tokens.open('first', token, payment)).toEqual({
    number: '4111111111111111',
    expiryMonth: '04',
    expiryYear: '2031',
    cryptogram: expect.stringMatching(/^[A-Za-z0-9+/]+=*$/),
    eci: '05',
    tokenHash: expect.stringMatching(/^[0-9a-f]{64}$/),
  });
});

test('its hash is its own', () => {
  const hashOf = (one: typeof token) => tokens.open('first', one, payment).tokenHash;
  expect(hashOf({ ...token })).toBe(hashOf(token));
  expect(hashOf(issuer.issueEcv2(order()))).not.toBe(hashOf(token));
});

test('a card without a cryptogram is taken as such', () => {
  const card = tokens.open('first', issuer.issueEcv2(order({ authMethod: 'PAN_ONLY' })), payment);
  expect(card).toMatchObject({ cryptogram: undefined, eci: undefined });
});

test('a token that names no merchant is good for whom it was signed for', () => {
  expect(tokens.open('first', sealed(JSON.stringify(message)), payment).number).toBe('4111111111111111');
});

describe('an altered token is refused', () => {
  const { intermediateSigningKey: key } = token;
  const alterations: [string, Partial<Ecv2Token>, string][] = [
    ['signature', { signature: flipped(token.signature, -1) }, 'has a wrong signature'],
    ['signature, no DER', { signature: flipped(token.signature, 0) }, 'has a wrong signature'],
    ['signature, empty sequence', { signature: 'MAA=' }, 'has a wrong signature'],
    [
      'message: text',
      {
        signedMessage: inside(token.signedMessage, (m) => ({
          ...m,
          encryptedMessage: flipped(m.encryptedMessage!, 9),
        })),
      },
      'has a wrong signature',
    ],
    [
      'message: tag',
      { signedMessage: inside(token.signedMessage, (m) => ({ ...m, tag: flipped(m.tag!, 31) })) },
      'has a wrong signature',
    ],
    [
      'message: ephemeral key',
      {
        signedMessage: inside(token.signedMessage, (m) => ({
          ...m,
          ephemeralPublicKey: flipped(m.ephemeralPublicKey!, 64),
        })),
      },
      'has a wrong signature',
    ],
    ['message: a blank more', { signedMessage: `${token.signedMessage} ` }, 'has a wrong signature'],
    [
      'intermediate key: signature',
      { intermediateSigningKey: { ...key, signatures: [flipped(key.signatures[0]!, -1)] } },
      'has an intermediate key that no root key of the wallet has signed',
    ],
    [
      'intermediate key: end',
      {
        intermediateSigningKey: {
          ...key,
          signedKey: inside(key.signedKey, (k) => ({ ...k, keyExpiration: String(Number(k.keyExpiration) + 1) })),
        },
      },
      'has an intermediate key that no root key of the wallet has signed',
    ],
  ];
  test.each(alterations)('%s', (_, change, expected) => {
    expect(refusal({ ...token, ...change })).toBe(expected);
  });

  test('one good signature of the intermediate key among others is enough', () => {
    const signatures = [flipped(key.signatures[0]!, -1), key.signatures[0]!];
    const changed = { ...token, intermediateSigningKey: { ...key, signatures } };
    expect(tokens.open('first', changed, payment).number).toBe('4111111111111111');
  });

  test('the intermediate key of another token vouches for nothing here', () => {
    const another = issuer.issueEcv2(order());
    expect(refusal({ ...token, intermediateSigningKey: another.intermediateSigningKey })).toBe('has a wrong signature');
  });
});

test('an expired token, an expired intermediate key and an expired root key are told apart', () => {
  expect(refusal(issuer.issueEcv2(order({ expiresInMs: -1 })))).toBe('has expired');
  const late = sealed(JSON.stringify(message), { keyExpiresAt: Date.now() - 1 });
  expect(refusal(late)).toBe('has expired: its intermediate key is no longer good');
  const [rootKey] = platform.first.rootKeys;
  const ended = { ...platform, first: { ...platform.first, rootKeys: [{ ...rootKey, keyExpiration: '1' }] } };
  const stale = new DeviceWalletTokens(JSON.stringify(ended), { tokenTtlMs: TTL_MS });
  expect(refusalOf(() => stale.open('first', token, payment))).toContain('no root key');
});

test('a token for another merchant is told from an altered one', () => {
  expect(refusal(token, { ...payment, merchantId: 'org_another' })).toBe('was issued for another merchant');
  const unnamed = sealed(JSON.stringify(message));
  expect(refusal(unnamed, { ...payment, merchantId: 'org_another' })).toBe('has a wrong signature');
  const misnamed = sealed(JSON.stringify({ ...message, gatewayMerchantId: 'org_another' }));
  expect(refusal(misnamed)).toBe('was issued for another merchant');
});

test('keys rotate: a new root key and a new key of ours are tried beside the old ones, and strangers’ are refused', () => {
  const next = sandboxWallets();
  const both = {
    first: {
      rootKeys: [...next.platform.first.rootKeys, ...platform.first.rootKeys],
      privateKeys: [...next.platform.first.privateKeys, ...platform.first.privateKeys],
    },
  };
  const rotating = new DeviceWalletTokens(JSON.stringify(both), { tokenTtlMs: TTL_MS });
  for (const each of [token, next.issuer.issueEcv2(order())])
    expect(rotating.open('first', each, payment).number).toBe('4111111111111111');
  expect(refusal(next.issuer.issueEcv2(order()))).toContain('no root key of the wallet');
  const foreignKey = { ...platform.first, privateKeys: next.platform.first.privateKeys };
  const stranger = new DeviceWalletTokens(JSON.stringify({ first: foreignKey }), { tokenTtlMs: TTL_MS });
  expect(refusalOf(() => stranger.open('first', token, payment))).toBe('is not encrypted to a key of this platform');
});

describe('what the wallet itself has signed is checked as well', () => {
  const details = message.paymentMethodDetails;
  const contents: [string, string, RegExp][] = [
    ['no JSON', 'a text', /not JSON/],
    ['an array', '[]', /missing or wrong/],
    ['null', 'null', /missing or wrong/],
    ['a member named twice', JSON.stringify(message).replace('{', '{"paymentMethod":"CARD",'), /names a member twice/],
    [
      'a member named twice further inside',
      JSON.stringify(message).replace('{"pan"', '{"p\\u0061n":"4000000000000002","pan"'),
      /names a member twice/,
    ],
    ['no card', JSON.stringify({ ...message, paymentMethod: 'TOKENIZED_CARD' }), /paymentMethod/],
    ['no end', JSON.stringify({ ...message, messageExpiration: undefined }), /messageExpiration/],
    ['an end that is no time', JSON.stringify({ ...message, messageExpiration: 'never' }), /messageExpiration/],
    ['no details', JSON.stringify({ ...message, paymentMethodDetails: undefined }), /paymentMethodDetails/],
    [
      'a number that fails its check digit',
      JSON.stringify({ ...message, paymentMethodDetails: { ...details, pan: '4111111111111112' } }),
      /pan is missing or wrong/,
    ],
    [
      'a month beyond the year',
      JSON.stringify({ ...message, paymentMethodDetails: { ...details, expirationMonth: 13 } }),
      /expirationMonth/,
    ],
    [
      'a cryptogram that is missing',
      JSON.stringify({ ...message, paymentMethodDetails: { ...details, authMethod: 'CRYPTOGRAM_3DS' } }),
      /cryptogram/,
    ],
    ['very deep', `${'['.repeat(5_000)}${']'.repeat(5_000)}`, /cannot be read/],
    ['a prototype', '{"__proto__":{"messageExpiration":"9999999999999"}}', /messageExpiration/],
  ];
  test.each(contents)('%s', (_, text, expected) => {
    expect(refusal(sealed(text))).toMatch(expected);
  });
});

test('points beside the curve, of another form or length are refused', () => {
  const offCurve = Buffer.concat([Buffer.from([4]), Buffer.alloc(63), Buffer.from([1])]);
  const p384 = generateKeyPairSync('ec', { namedCurve: 'P-384' }).publicKey.export({ format: 'der', type: 'spki' });
  const good = Buffer.from(JSON.parse(token.signedMessage).ephemeralPublicKey, 'base64');
  const compressed = Buffer.concat([Buffer.from([2 + (good[64]! & 1)]), good.subarray(1, 33)]);
  for (const point of [offCurve, compressed, p384, Buffer.from([0]), Buffer.alloc(65), good.subarray(0, 64)]) {
    const signed = { encryptedMessage: 'AA==', ephemeralPublicKey: point.toString('base64'), tag: 'AA==' };
    // Signed by the wallet as it stands, so that the point is really looked at.
    expect(refusal(withMessage(JSON.stringify(signed)))).toBe('cannot be read');
  }
});

/** A token whose `signedMessage` is any text, with signatures that are good. */
function withMessage(signedMessage: string): Ecv2Token {
  const intermediate = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const signedKey = JSON.stringify({
    keyValue: intermediate.publicKey.export({ format: 'der', type: 'spki' }).toString('base64'),
    keyExpiration: String(envelope.keyExpiresAt),
  });
  const signature = (content: Buffer, key: KeyObject) => sign('sha256', content, key).toString('base64');
  return {
    protocolVersion: 'ECv2',
    signature: signature(signedMessageBytes(envelope.recipientId, signedMessage), intermediate.privateKey),
    intermediateSigningKey: { signedKey, signatures: [signature(signedKeyBytes(signedKey), issuerKeys.ecv2.rootKey)] },
    signedMessage,
  };
}
