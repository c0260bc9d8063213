import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DeviceWalletTokens } from '../../../../src/edge/device-wallets/device-wallet-tokens';
import { signingTimeOf } from '../../../../src/edge/device-wallets/ec-v1';
import { decryptMessage, isSignedFor, trustedIntermediateKey } from '../../../../src/edge/device-wallets/ecv2';
import { parseWalletKeys } from '../../../../src/edge/device-wallets/keys';
import type { EcV1Token, Ecv2Token } from '../../../../src/edge/device-wallets/schema';

const read = (name: string) => readFileSync(join(__dirname, 'vectors', name), 'utf8');

describe('a sample message of the publisher of ECv2 (Payment Data Cryptography for .NET, 2019)', () => {
  const now = 1_542_319_793_000;
  const token: Ecv2Token = {
    protocolVersion: 'ECv2',
    signature: 'MEUCIG39tbaQPwJe28U+UMsJmxUBUWSkwlOv9Ibohacer+CoAiEA8Wuq3lLUCwLQ06D2kErxaMg3b/oLDFbd2gcFze1zDqU=',
    intermediateSigningKey: {
      signedKey:
        '{"keyExpiration":"1542394027316","keyValue":"MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE/1+3HBVSbdv+j7NaArdgMyoSAM43yRydzqdg1TxodSzA96Dj4Mc1EiKroxxunavVIvdxGnJeFViTzFvzFRxyCw\\u003d\\u003d"}',
      signatures: ['MEYCIQDcXCoB4fYJF3EolxrE2zB+7THZCfKA7cWxSztKceXTCgIhAN/d5eBgx/1A6qKBdH0IS7/aQ7dO4MuEt26OrLCUxZnl'],
    },
    signedMessage:
      '{"tag":"TjkIKzIOvCrFvjf7/aeeL8/FZJ3tigaNnerag68hIaw\\u003d","ephemeralPublicKey":"BLJoTmxP2z7M2N6JmaN786aJcT/L/OJfuJKQdIXcceuBBZ00sf5nm2+snxAJxeJ4HYFTdNH4MOJrH58GNDJ9lJw\\u003d","encryptedMessage":"mleAf23XkKjj"}',
  };
  const rootKey = {
    keyValue:
      'MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEvhuz8WZo0DhP7Lg1AQtpQpm2i7Gr6yBa+i6mVOwz3iepodYVDE9YGLzUwoL8AEsPUz/26Pg3lofL2u04/edeXg==',
    protocolVersion: 'ECv2',
    keyExpiration: '2154841200000',
  };
  const recipientKey =
    'MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgCPSuFr4iSIaQprjjchHPyDu2NXFe0vDBoTpPkYaK9dehRANCAATnaFz/vQKuO90pxsINyVNWojabHfbx9qIJ6uD7Q7ZSxmtyo/Ez3/o2kDT8g0pIdyVIYktCsq65VoQIDWSh2Bdm';
  const anotherKey =
    'MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgOUIzccyJ3rTx6SVmXrWdtwUP0NU26nvc8KIYw2GmYZKhRANCAAR5AjmTNAE93hQEQE+PryLlgr6Q7FXyNXoZRk+1Fikhq61mFhQ9s14MOwGBxd5O6Jwn/sdUrWxkYk3idtNEN1Rz';
  const { first } = parseWalletKeys(
    JSON.stringify({ first: { rootKeys: [rootKey], privateKeys: [anotherKey, recipientKey] } }),
  );

  test('is trusted, signed for its recipient only, and opens', () => {
    const intermediateKey = trustedIntermediateKey(token, first!, now);
    expect(isSignedFor('gateway:ariane', token, intermediateKey)).toBe(true);
    expect(isSignedFor('gateway:another', token, intermediateKey)).toBe(false);
    expect(decryptMessage(token, first!)).toBe('plaintext');
  });
});

describe('a token of EC_v1 from a real wallet (test data of Spreedly’s gala, 2023)', () => {
  const token = JSON.parse(read('ec-v1.json')) as EcV1Token;
  const root = new X509Certificate(read('apple-root-ca-g3.pem'));
  const now = Date.parse('2023-03-07T05:35:00Z');

  test('is signed by a chain to the root of its maker', () => {
    expect(new Date(signingTimeOf(token, [root], now)).toISOString()).toBe('2023-03-07T05:33:48.000Z');
  });

  test('is refused with one bit of its data altered, and after the end of its certificate', () => {
    const data = Buffer.from(token.data, 'base64');
    data[0]! ^= 1;
    expect(() => signingTimeOf({ ...token, data: data.toString('base64') }, [root], now)).toThrow('a wrong signature');
    expect(() => signingTimeOf(token, [root], Date.parse('2024-06-01'))).toThrow('no root of the wallet');
  });

  test('opens for its merchant and its amount', () => {
    const privateKey =
      'MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgKa8HtvNFzNolfTmUJMra55FVEACK8z8KBsfI5ohypbWhRANCAATilQYcmp8kK5wbjQy90apPC9hHPY31a8K04d20C41/W8HYw9nIuypTfZndrnPVZxYro4eZ8MNKo6t9CrtReVCA';
    const setting = { second: { rootCertificates: [root.raw.toString('base64')], privateKeys: [privateKey] } };
    const tokens = new DeviceWalletTokens(JSON.stringify(setting), { tokenTtlMs: 300_000, now: () => now });
    const merchantId = 'merchant.test.spreedly.123merchant';
    const money = { amountMinor: 100n, currency: 'USD' };
    expect(tokens.open('second', token, { merchantId, money })).toMatchObject({
      expiryMonth: '04',
      expiryYear: '2026',
    });
    expect(() => tokens.open('second', token, { merchantId: 'another', money })).toThrow('another merchant');
    expect(() => tokens.open('second', token, { merchantId, money: { ...money, amountMinor: 99n } })).toThrow(
      'another amount',
    );
  });
});
