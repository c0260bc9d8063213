import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { AsnConvert } from '@peculiar/asn1-schema';
import { Certificate, type Extension } from '@peculiar/asn1-x509';
import { currencyNumber } from '../../../../src/domain/currency-number';
import { CURRENCIES } from '../../../../src/domain/money';
import { INTERMEDIATE_MARKER, LEAF_MARKER } from '../../../../src/edge/device-wallets/certificate-chain';
import { DeviceWalletTokens } from '../../../../src/edge/device-wallets/device-wallet-tokens';
import type { EcV1Token } from '../../../../src/edge/device-wallets/schema';
import {
  authorityExtensions,
  leafExtensions,
  makeCertificate,
  marker,
} from '../../../../src/sandbox/runtime/wallet-authority';
import { sealEcV1 } from '../../../../src/sandbox/simulator/device-wallets/ec-v1';
import { flipped, order, payment, refusalOf, sandboxWallets, TTL_MS } from './sandbox-wallets';

const { issuer, issuerKeys, platform, tokens } = sandboxWallets();
const token = issuer.issueEcV1(order());
const refusal = (changed: unknown, whose = payment) => refusalOf(() => tokens.open('second', changed, whose));

const data = {
  applicationPrimaryAccountNumber: '5555555555554444',
  applicationExpirationDate: '310430',
  currencyCode: '978',
  transactionAmount: 1_099,
  cardholderName: 'A Buyer',
  paymentDataType: '3DSecure',
  paymentData: { onlinePaymentCryptogram: 'Af9x/QwAA/DjmU65oyc1MAABAAA=' },
};
const envelope = { merchantId: payment.merchantId, signedAt: Date.now() };
const sealed = (text: string, changes = {}) => sealEcV1(issuerKeys.ecV1, text, { ...envelope, ...changes });

test('a token gives the card that was put into it', () => {
  expect(tokens.open('second', token, payment)).toEqual({
    number: '4111111111111111',
    expiryMonth: '04',
    expiryYear: '2031',
    cryptogram: expect.stringMatching(/^[A-Za-z0-9+/]+=*$/),
    eci: '05',
    tokenHash: expect.stringMatching(/^[0-9a-f]{64}$/),
  });
});

test('its hash is its own, however its bytes are written', () => {
  const hashOf = (one: EcV1Token) => tokens.open('second', one, payment).tokenHash;
  const { header } = token;
  const rewritten = {
    ...token,
    data: token.data.replace(/=+$/, ''),
    header: { ...header, transactionId: header.transactionId.toUpperCase() },
  };
  expect(rewritten).not.toEqual(token);
  expect(hashOf(rewritten)).toBe(hashOf(token));
  expect(hashOf(issuer.issueEcV1(order()))).not.toBe(hashOf(token));
});

test('the holder is told where the wallet names one, an indicator where it gives one', () => {
  const card = tokens.open('second', sealed(JSON.stringify(data)), payment);
  expect(card).toMatchObject({ number: '5555555555554444', holder: 'A Buyer', eci: undefined });
});

describe('an altered token is refused', () => {
  const { header } = token;
  const alterations: [string, Partial<EcV1Token>, string][] = [
    ['data', { data: flipped(token.data, 0) }, 'has a wrong signature'],
    ['data: tag', { data: flipped(token.data, -1) }, 'has a wrong signature'],
    [
      'header: ephemeral key',
      { header: { ...header, ephemeralPublicKey: flipped(header.ephemeralPublicKey, -1) } },
      'has a wrong signature',
    ],
    ['header: transaction', { header: { ...header, transactionId: '00'.repeat(32) } }, 'has a wrong signature'],
    ['header: application data', { header: { ...header, applicationData: '00' } }, 'has a wrong signature'],
    [
      'header: key hash',
      { header: { ...header, publicKeyHash: flipped(header.publicKeyHash, 0) } },
      'is not encrypted to a key of this platform',
    ],
    ['signature of another token', { signature: issuer.issueEcV1(order()).signature }, 'has a wrong signature'],
    ['signature value', { signature: flipped(token.signature, -1) }, 'has a wrong signature'],
  ];
  test.each(alterations)('%s', (_, change, expected) => {
    expect(refusal({ ...token, ...change })).toBe(expected);
  });

  test('in its CMS structure: refused, or read as what was signed', () => {
    const card = tokens.open('second', token, payment);
    const length = Buffer.from(token.signature, 'base64').length;
    // Who is said to have signed, and lengths that DER repeats, are not under the signature: altered, they change nothing.
    for (let index = 0; index < length; index += 7) {
      const changed = { ...token, signature: flipped(token.signature, index) };
      try {
        expect(tokens.open('second', changed, payment)).toEqual(card);
      } catch {
        refusal(changed);
      }
    }
  });
});

test('a token is good from its signing for as long as the setting says, and not before', () => {
  expect(refusal(issuer.issueEcV1(order({ expiresInMs: -1_000 })))).toBe('has expired');
  expect(refusal(sealed(JSON.stringify(data), { signedAt: Date.now() + 60_000 }))).toBe(
    'is signed at a time that is yet to come',
  );
  const soon = sealed(JSON.stringify(data), { signedAt: Date.now() - TTL_MS + 60_000 });
  expect(tokens.open('second', soon, payment).expiryYear).toBe('2031');
});

test('another merchant, another amount and another currency are told apart', () => {
  expect(refusal(token, { ...payment, merchantId: 'org_another' })).toBe('was issued for another merchant');
  const money = { amountMinor: 1_098n, currency: 'EUR' };
  expect(refusal(token, { ...payment, money })).toBe('was issued for another amount than the payment');
  expect(refusal(token, { ...payment, money: { ...payment.money, currency: 'USD' } })).toBe(
    'was issued for another currency than the payment',
  );
});

test('every currency the platform knows has a number', () => {
  for (const currency of CURRENCIES) expect(`${currency} ${currencyNumber(currency)}`).toMatch(/^[A-Z]{3} \d{3}$/);
  expect(new Set(CURRENCIES.map(currencyNumber)).size).toBe(CURRENCIES.length);
});

test('keys and roots rotate: new ones beside the old', () => {
  const next = sandboxWallets();
  const both = {
    second: {
      rootCertificates: [...next.platform.second.rootCertificates, ...platform.second.rootCertificates],
      privateKeys: [...next.platform.second.privateKeys, ...platform.second.privateKeys],
    },
  };
  const rotating = new DeviceWalletTokens(JSON.stringify(both), { tokenTtlMs: TTL_MS });
  for (const each of [token, next.issuer.issueEcV1(order())])
    expect(rotating.open('second', each, payment).number).toBe('4111111111111111');
  expect(refusal(next.issuer.issueEcV1(order()))).toContain('lead to no root of the wallet');
});

describe('the signer has to be the wallet', () => {
  const now = Date.now();
  const makeKey = () => generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const rootKey = makeKey();
  const [intermediateKey, leafKey] = [makeKey(), makeKey()];
  const certificate = (
    subject: string,
    key: KeyObject,
    issuer: string,
    issuerKey: KeyObject,
    extensions: Extension[],
    at = now,
  ) => makeCertificate({ subject, key, issuer, issuerKey, extensions, now: at });
  const root = certificate('Root', rootKey.publicKey, 'Root', rootKey.privateKey, authorityExtensions());
  const trusting = new DeviceWalletTokens(
    JSON.stringify({ second: { ...platform.second, rootCertificates: [root] } }),
    {
      tokenTtlMs: TTL_MS,
    },
  );

  interface Chain {
    intermediate?: Extension[];
    leaf?: Extension[];
    issuer?: string;
    issuerKey?: KeyObject;
    at?: number;
  }
  function signedBy({ intermediate, leaf, issuer = 'Intermediate', issuerKey, at }: Chain): EcV1Token {
    const chain = [
      certificate(
        'Leaf',
        leafKey.publicKey,
        issuer,
        issuerKey ?? intermediateKey.privateKey,
        leaf ?? leafExtensions(),
        at,
      ),
      certificate(
        'Intermediate',
        intermediateKey.publicKey,
        'Root',
        rootKey.privateKey,
        intermediate ?? [...authorityExtensions(), marker(INTERMEDIATE_MARKER)],
        at,
      ),
    ];
    const certificates = chain.map((encoded) => AsnConvert.parse(Buffer.from(encoded, 'base64'), Certificate));
    return sealEcV1(
      { ...issuerKeys.ecV1, certificates, signingKey: leafKey.privateKey },
      JSON.stringify(data),
      envelope,
    );
  }

  test('a chain as it should be is trusted', () => {
    expect(trusting.open('second', signedBy({}), payment).number).toBe('5555555555554444');
  });

  const unmarked = (extensions: Extension[], ...ids: string[]) =>
    extensions.filter(({ extnID }) => !ids.includes(extnID));
  const BASIC_CONSTRAINTS = '2.5.29.19';
  const KEY_USAGE = '2.5.29.15';
  const authority = () => [...authorityExtensions(), marker(INTERMEDIATE_MARKER)];
  const strangeAndCritical = Object.assign(marker('1.2.3.4'), { critical: true });
  const chains: [string, Chain][] = [
    ['a leaf without its marker', { leaf: unmarked(leafExtensions(), LEAF_MARKER) }],
    ['an intermediate without its marker', { intermediate: authorityExtensions() }],
    ['an intermediate that is no authority', { intermediate: unmarked(authority(), BASIC_CONSTRAINTS) }],
    [
      'an intermediate that may not sign certificates',
      {
        intermediate: [...unmarked(authority(), KEY_USAGE), ...leafExtensions().filter((e) => e.extnID === KEY_USAGE)],
      },
    ],
    ['a leaf that is an authority', { leaf: [...authorityExtensions(), marker(LEAF_MARKER)] }],
    ['a leaf of another issuer', { issuer: 'Somebody' }],
    ['a leaf that another key has signed', { issuerKey: makeKey().privateKey }],
    ['both markers on both', { leaf: [...leafExtensions(), marker(INTERMEDIATE_MARKER)] }],
    ['a critical extension that nobody here understands', { leaf: [...leafExtensions(), strangeAndCritical] }],
    ['certificates of the future', { at: now + 3 * 24 * 3_600_000 }],
    ['certificates of the past', { at: now - 21 * 365 * 24 * 3_600_000 }],
  ];
  test.each(chains)('%s', (_, chain) => {
    expect(refusalOf(() => trusting.open('second', signedBy(chain), payment))).toBe(
      'has a signature whose certificates lead to no root of the wallet',
    );
  });

  test('a chain is no signature: the key has to be the leaf’s', () => {
    const keys = { ...issuerKeys.ecV1, signingKey: makeKey().privateKey };
    expect(refusal(sealEcV1(keys, JSON.stringify(data), envelope))).toBe('has a wrong signature');
  });
});

describe('what the wallet itself has signed is checked as well', () => {
  const contents: [string, string, RegExp][] = [
    ['no JSON', 'a text', /not JSON/],
    ['a member named twice', JSON.stringify(data).replace('{', '{"transactionAmount":1,'), /names a member twice/],
    ['an amount as text', JSON.stringify({ ...data, transactionAmount: '1099' }), /transactionAmount/],
    ['an amount with a fraction', JSON.stringify({ ...data, transactionAmount: 1099.5 }), /transactionAmount/],
    ['a negative amount', JSON.stringify({ ...data, transactionAmount: -1 }), /transactionAmount/],
    ['an amount beyond what is exact', JSON.stringify(data).replace('1099', '9007199254740993'), /transactionAmount/],
    ['another kind of data', JSON.stringify({ ...data, paymentDataType: 'EMV' }), /paymentDataType/],
    ['a month beyond the year', JSON.stringify({ ...data, applicationExpirationDate: '311301' }), /applicationExp/],
    ['no cryptogram', JSON.stringify({ ...data, paymentData: {} }), /onlinePaymentCryptogram/],
  ];
  test.each(contents)('%s', (_, text, expected) => {
    expect(refusal(sealed(text))).toMatch(expected);
  });
});
