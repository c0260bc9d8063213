import { sharedStack } from '../setup/stack';
import { type Actors, actorsOf, Caller, type Json, send } from './client';
import { type Operation, Requests, sendRequest } from './operations';
import { callerWith, cookieOf, credentialsOf, invited, SESSION, Staff, TOKEN } from './staff';

/**
 * Each operation of the API against each role, from outside: what the document promises in `x-roles` holds. Each request has a
 * query parameter that no route knows. So nothing is done: whoever has the role is told that the request is wrong, which is
 * looked at after the role.
 */

const { credentials } = sharedStack();
const { apiUrl, organizationId, tenantId } = credentials;
const WRONG = { nobodyKnowsThis: '1' };
/** What somebody may do who still has to add a second factor. */
const WHILE_ENROLLING = [
  'GET /auth/1.0.0/users/session',
  'DELETE /auth/1.0.0/users/session',
  'DELETE /auth/1.0.0/users/token',
  'GET /auth/1.0.0/users/factors',
  'POST /auth/1.0.0/users/totp',
  'POST /auth/1.0.0/users/totp/confirm',
  'POST /auth/1.0.0/users/passkeys/options',
  'POST /auth/1.0.0/users/passkeys',
];
const STAFF = ['merchant', 'tenant_admin', 'ops'];

let actors: Actors;
let requests: Requests;
let guarded: Operation[];

beforeAll(async () => {
  actors = await actorsOf(credentials);
  requests = new Requests((await send(`${apiUrl}/openapi.json`)).body, { organizationId, tenantId });
  guarded = requests.operations.filter(({ roles }) => roles.length > 0);
});

const inviter = (role: string) => (role === 'ops' ? actors.ops : actors.tenantAdmin);
const placeOf = (role: string) => (role === 'merchant' ? { organizationId } : {});

/** What each guarded operation answers: `403 forbidden`. */
async function answersTo(headers: Record<string, string>): Promise<Map<Operation, string>> {
  const answers = new Map<Operation, string>();
  const waiting = [...guarded];
  const ask = async () => {
    for (let operation = waiting.pop(); operation; operation = waiting.pop()) {
      const request = requests.of(operation);
      const { status, body } = await sendRequest(apiUrl, {
        ...request,
        query: { ...request.query, ...WRONG },
        headers: { ...request.headers, ...headers },
      });
      answers.set(operation, `${status} ${body?.code}`);
    }
  };
  await Promise.all([1, 2, 3, 4].map(ask));
  return answers;
}

/** The operations that answer otherwise than `expected`. */
async function surprises(headers: Record<string, string>, expected: (operation: Operation) => string) {
  const answers = await answersTo(headers);
  expect(answers.size).toBe(guarded.length);
  return [...answers].flatMap(([operation, said]) =>
    said === expected(operation) ? [] : [`${operation.id}: ${said}`],
  );
}

const byRole = (role: string) => (operation: Operation) =>
  operation.roles.includes(role) ? '400 invalid_request' : '403 forbidden';

test('every operation says who may call it', () => {
  expect(guarded.length).toBeGreaterThan(200);
  const known = new Set([...STAFF, 'customer']);
  expect(guarded.filter(({ roles }) => roles.some((role) => !known.has(role)))).toEqual([]);
});

test.each(STAFF)('%s, a client with a token', async (role) => {
  const client = { merchant: actors.merchant, tenant_admin: actors.tenantAdmin, ops: actors.ops }[role]!;
  expect(await surprises({ authorization: client.headers.authorization! }, byRole(role))).toEqual([]);
});

test.each(STAFF)('%s, a person with a token, and with a cookie', async (role) => {
  const person = await Staff.create(inviter(role), role, placeOf(role));
  expect(await surprises(person.caller.headers, byRole(role))).toEqual([]);
  const cookie = await person.another(SESSION);
  expect(await surprises(cookie.headers, byRole(role))).toEqual([]);
  const { 'x-requested-with': _ours, ...bare } = cookie.headers;
  expect(
    await surprises(bare, (operation) =>
      operation.method === 'GET' ? byRole(role)(operation) : '403 cross_site_request',
    ),
  ).toEqual([]);
});

test('a customer', async () => {
  const { email, password } = credentials.customer;
  const { body } = await send(`${apiUrl}/auth/1.0.0/customers/token`, {
    method: 'POST',
    body: { tenantId, email, password },
  });
  const { access_token, token = access_token } = body as Json;
  expect(await surprises({ authorization: `Bearer ${token}` }, byRole('customer'))).toEqual([]);
});

test.each(['', 'Bearer nobody-has-this-token-at-all', 'Basic eDp5'])('nobody: %p', async (authorization) => {
  expect(await surprises(authorization ? { authorization } : {}, () => '401 unauthorized')).toEqual([]);
});

test.each(['tenant_admin', 'ops'])('%s who still has to add a second factor', async (role) => {
  const login = await invited(inviter(role), role);
  const expected = ({ id }: Operation) =>
    WHILE_ENROLLING.includes(id) ? '400 invalid_request' : '403 second_factor_missing';
  const token = await send(apiUrl + TOKEN, { method: 'POST', body: credentialsOf(login) });
  const bearer = new Caller(apiUrl, { authorization: `Bearer ${token.body.access_token}` });
  expect(await surprises(bearer.headers, expected)).toEqual([]);
  const { headers } = await send(apiUrl + SESSION, { method: 'POST', body: credentialsOf(login) });
  expect(await surprises(callerWith(apiUrl, cookieOf(headers)).headers, expected)).toEqual([]);
});
