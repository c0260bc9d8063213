import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expectPublished } from './published';

test.each([
  ['account-info', '36afb5a9a76a79c74fe523e6a84ccfc002cf7f6b74f1c304ea22af27510c442f'],
  ['payment-initiation', '86540bf84d2a17fd24d1ca0aab84839dde33704cf66a63d7763d093e10ac3e58'],
])('%s stands here as it was published', (name, digest) => {
  const bytes = readFileSync(join(__dirname, `${name}.json`));
  expect(createHash('sha256').update(bytes).digest('hex')).toBe(digest);
});

const balance = (changes: object = {}) => ({
  Data: {
    Balance: [
      {
        AccountId: '22289',
        CreditDebitIndicator: 'Credit',
        Type: 'InterimAvailable',
        DateTime: '2017-04-05T10:43:07+00:00',
        Amount: { Amount: '1230.00', Currency: 'GBP' },
        ...changes,
      },
    ],
  },
  Links: { Self: 'https://api.example.com/open-banking/3.1/aisp/accounts/22289/balances/' },
  Meta: { TotalPages: 1 },
});
const BALANCES = 'GET /accounts/{AccountId}/balances';

test('an answer of the standard passes, and each departure from it is refused', () => {
  expectPublished('account-info', BALANCES, 200, balance());
  const refused = (changes: object) => () => expectPublished('account-info', BALANCES, 200, balance(changes));
  expect(refused({ Type: 'Interim' })).toThrow('/Data/Balance/0/Type');
  expect(refused({ Amount: { Amount: '1,230.00', Currency: 'GBP' } })).toThrow('/Data/Balance/0/Amount/Amount');
  expect(refused({ DateTime: '2017-04-05' })).toThrow('/Data/Balance/0/DateTime');
  expect(refused({ AccountId: undefined })).toThrow('AccountId');
  expect(() => expectPublished('account-info', BALANCES, 200, { ...balance(), More: 1 })).toThrow('More');
});

test('error codes are the standard’s, or in a namespace of our own', () => {
  const error = (ErrorCode: string) => () =>
    expectPublished('payment-initiation', 'POST /domestic-payments', 400, {
      Code: '400 BadRequest',
      Id: '1',
      Message: 'Refused',
      Errors: [{ ErrorCode, Message: 'Refused' }],
    });
  expect(error('UK.OBIE.Signature.Missing')).not.toThrow();
  expect(error('Tillway.Limit.Exceeded')).not.toThrow();
  expect(error('UK.OBIE.Limit.Exceeded')).toThrow('/Errors/0/ErrorCode');
});

test('an operation or a status that the standard lacks is an error of the test', () => {
  expect(() => expectPublished('account-info', 'GET /nothing', 200, {})).toThrow('has no GET /nothing');
  expect(() => expectPublished('account-info', BALANCES, 201, {})).toThrow('with status 201');
  expect(() => expectPublished('account-info', BALANCES, 401, {})).toThrow('no body');
});
