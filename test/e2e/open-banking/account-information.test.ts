import { expectPublished } from '../../interop/obie-3.1.11/published';
import { sharedStack } from '../../setup/stack';
import { send } from '../client';
import { seededTpp, withoutCertificate } from './tpp';

const { credentials, apiUrl } = sharedStack();
const tpp = seededTpp(credentials);
const browser = withoutCertificate(credentials);
afterAll(() => {
  for (const caller of [tpp, browser]) caller.close();
});

const ACCOUNTS = '/open-banking/2.0.0/accounts';

test('the provider’s own token reads no account, and is told so in the words of the standard', async () => {
  const { body } = await tpp.token({ grant_type: 'client_credentials', scope: 'accounts' });
  const { status, body: refusal } = await tpp.send(ACCOUNTS, {
    headers: { authorization: `Bearer ${body.access_token}` },
  });
  expect(status).toBe(403);
  expectPublished('account-info', 'GET /accounts', 403, refusal);
});

test('nothing is read without a token, without a certificate, or on the plain port', async () => {
  for (const caller of [tpp, browser]) expect((await caller.send(`${ACCOUNTS}/1/transactions`)).status).toBe(401);
  const { status, body } = await send(`${apiUrl}${ACCOUNTS}`);
  expect(status).toBe(401);
  expect(body.message).toContain(credentials.authUrl);
});
