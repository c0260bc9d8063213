import { ANY_VALUE, OPEN_OBJECT } from './json-schema';

/** The endpoints outside the conventions, as the OpenAPI document shows them: OAuth and the callback receivers. */
export interface OutsideOperation {
  path: string;
  method: 'get' | 'post';
  operation: object;
}

const oauthError = {
  description: 'OAuth error (RFC 6749 section 5.2)',
  content: {
    'application/json': {
      schema: {
        type: 'object',
        required: ['error'],
        properties: { error: { type: 'string' }, error_description: { type: 'string' } },
      },
    },
  },
};

const token: OutsideOperation = {
  path: '/auth/1.0.0/token',
  method: 'post',
  operation: {
    operationId: 'postAuthToken',
    tags: ['Authentication'],
    summary: 'Get an access token',
    description:
      'OAuth 2.0 client credentials (RFC 6749 section 4.4). Send the client id and secret in the Basic header or in ' +
      'the form. After ten wrong attempts in a minute from one address the answer is 429. Unknown parameters are ' +
      'ignored.',
    'x-roles': [],
    security: [{ client: [] }, {}],
    parameters: [{ $ref: '#/components/parameters/requestId' }],
    requestBody: {
      required: true,
      content: {
        'application/x-www-form-urlencoded': {
          schema: {
            type: 'object',
            required: ['grant_type'],
            properties: {
              grant_type: { type: 'string', enum: ['client_credentials'] },
              client_id: { type: 'string', description: 'Needed if you send no Basic header' },
              client_secret: { type: 'string', description: 'Needed if you send no Basic header' },
              scope: { type: 'string', description: 'The role of the client. It is also the default' },
            },
          },
        },
      },
    },
    responses: {
      200: {
        description: 'The token',
        content: {
          'application/json': {
            schema: {
              type: 'object',
              required: ['access_token', 'token_type', 'expires_in', 'scope'],
              properties: {
                access_token: { type: 'string' },
                token_type: { type: 'string', const: 'Bearer' },
                expires_in: { type: 'integer', description: 'Lifetime of the token in seconds' },
                scope: { type: 'string', enum: ['merchant', 'tenant_admin', 'ops'] },
              },
            },
          },
        },
      },
      400: oauthError,
      401: oauthError,
      413: oauthError,
      429: oauthError,
      503: oauthError,
    },
  },
};

const revoke: OutsideOperation = {
  path: '/auth/1.0.0/revoke',
  method: 'post',
  operation: {
    operationId: 'postAuthRevoke',
    tags: ['Authentication'],
    summary: 'End an access token',
    description:
      'RFC 7009. Ends one of your own tokens within a second. Authenticate as for a token. What is no token, or has ' +
      'ended, is answered alike; the token of another client with 400.',
    'x-roles': [],
    security: [{ client: [] }, {}],
    parameters: [{ $ref: '#/components/parameters/requestId' }],
    requestBody: {
      required: true,
      content: {
        'application/x-www-form-urlencoded': {
          schema: {
            type: 'object',
            required: ['token'],
            properties: {
              token: { type: 'string', description: 'The access token' },
              token_type_hint: { type: 'string', description: 'Not needed' },
              client_id: { type: 'string', description: 'Needed if you send no Basic header' },
              client_secret: { type: 'string', description: 'Needed if you send no Basic header' },
            },
          },
        },
      },
    },
    responses: {
      200: { description: 'The token does not work any more' },
      400: oauthError,
      401: oauthError,
      413: oauthError,
      429: oauthError,
      503: oauthError,
    },
  },
};

interface Receiver {
  name: string;
  method: 'get' | 'post';
  summary: string;
  contentType?: string;
}

const RECEIVERS: Receiver[] = [
  { name: 'processor_a', method: 'post', summary: 'Processor A: payment status', contentType: 'application/json' },
  { name: 'processor_a3ds', method: 'get', summary: 'Processor A: 3DS result, signed query' },
  {
    name: 'processor_a-chargeback',
    method: 'post',
    summary: 'Processor A: chargeback',
    contentType: 'application/json',
  },
  { name: 'processor_a-refund', method: 'post', summary: 'Processor A: refund', contentType: 'application/json' },
  { name: 'processor_b', method: 'get', summary: 'Processor B: payment status and incoming transfers, signed query' },
  {
    name: 'processor_c',
    method: 'post',
    summary: 'Processor C: payment status, refunds, disputes; signed form',
    contentType: 'application/x-www-form-urlencoded',
  },
  {
    name: 'processor_chp',
    method: 'post',
    summary: 'Processor C: result of the hosted page, signed form',
    contentType: 'application/x-www-form-urlencoded',
  },
  {
    name: 'processor_dhp',
    method: 'post',
    summary: 'Processor D: result of the hosted page, refunds, disputes',
    contentType: 'application/json',
  },
  {
    name: 'processor_e',
    method: 'post',
    summary: 'Processor E: direct debits, refunds, disputes; signed with a time',
    contentType: 'application/json',
  },
  {
    name: 'processor_eh2h',
    method: 'post',
    summary: 'Processor E: outcome of wallet payments; signed with a time',
    contentType: 'application/json',
  },
  {
    name: 'processor_f',
    method: 'post',
    summary: 'Processor F: payment status as a compact JWS',
    contentType: 'application/jose',
  },
  {
    name: 'processor_g',
    method: 'post',
    summary: 'Processor G: unsigned hints; we ask the processor before we believe one',
    contentType: 'application/x-www-form-urlencoded',
  },
  {
    name: 'processor_h',
    method: 'post',
    summary: 'Processor H: invoices in cryptocurrency; signed with a time',
    contentType: 'application/json',
  },
  {
    name: 'stripe',
    method: 'post',
    summary: 'Stripe: events',
    contentType: 'application/json',
  },
  {
    name: '3ds',
    method: 'post',
    summary: '3D Secure authentication result',
    contentType: 'application/x-www-form-urlencoded',
  },
];
const TEST_RECEIVERS: Receiver[] = [
  { name: 'test/json', method: 'post', summary: 'Test callback, JSON', contentType: 'application/json' },
  {
    name: 'test/form',
    method: 'post',
    summary: 'Test callback, form',
    contentType: 'application/x-www-form-urlencoded',
  },
  { name: 'test/text', method: 'get', summary: 'Test callback, plain text' },
];

/** What a processor may send, by media type. The documentation of each processor says more. */
const RECEIVED: Record<string, object> = {
  'application/json': OPEN_OBJECT,
  'application/x-www-form-urlencoded': { type: 'object', additionalProperties: { type: 'string' } },
  'application/jose': { type: 'string' },
};

/** What the test receivers take. */
const TRIED: Record<string, object> = { ...RECEIVED, 'application/json': ANY_VALUE };

function receiverOperation({ name, method, summary, contentType }: Receiver, signed: boolean): OutsideOperation {
  const error = (status: number) => ({ $ref: `#/components/responses/Error${status}` });
  const isText = name === 'test/text';
  const received = {
    type: 'object',
    required: ['received', 'duplicate'],
    properties: { received: { type: 'boolean' }, duplicate: { type: 'boolean' } },
  };
  return {
    path: `/callbacks/${name}`,
    method,
    operation: {
      operationId: `${method}Callback${name.replace(/(?:^|[^a-zA-Z0-9])(\w)/g, (_all, first: string) => first.toUpperCase())}`,
      tags: ['Processor callbacks'],
      summary,
      description: signed
        ? 'The processor sends it. We verify the signature over the raw bytes and keep unknown members. A duplicate is answered with 200.'
        : 'Use it to try the connection. It is unsigned and changes nothing.',
      'x-roles': [],
      security: [],
      parameters: [{ $ref: '#/components/parameters/requestId' }],
      ...(contentType && {
        requestBody: {
          // A form without fields is a form. What is only tried may be any JSON.
          required: signed || contentType === 'application/json',
          content: { [contentType]: { schema: signed ? RECEIVED[contentType] : TRIED[contentType] } },
        },
      }),
      responses: {
        200: {
          description: 'The callback is stored now or was stored before',
          content: isText
            ? { 'text/plain': { schema: { type: 'string' } } }
            : { 'application/json': { schema: received } },
        },
        400: error(400),
        ...(signed && { 401: error(401) }),
        413: error(413),
        503: error(503),
      },
    },
  };
}

export interface DocumentOptions {
  /** Whether there is a receiver of this name. Without it, the document is that of a sandbox without Stripe. */
  hasReceiver?: (name: string) => boolean;
}

export function outsideOperations({ hasReceiver = isOfSandbox }: DocumentOptions): OutsideOperation[] {
  const there = ({ name }: Receiver) => hasReceiver(name);
  return [
    token,
    revoke,
    ...RECEIVERS.filter(there).map((receiver) => receiverOperation(receiver, true)),
    ...TEST_RECEIVERS.filter(there).map((receiver) => receiverOperation(receiver, false)),
  ];
}

const isOfSandbox = (name: string) => name !== 'stripe';
