import type { Json } from '../json-schema';
import type { Entrance } from '../route';

/** How the OpenAPI document describes the entrance of third-party providers. */

const SERVERS = [
  {
    url: '{authUrl}',
    description: 'The entrance of third-party providers, by mutual TLS',
    variables: { authUrl: { default: 'https://127.0.0.1:8443', description: '`authUrl` of `credentials.json`' } },
  },
];

export const ENTRANCE_SCHEMES: Json = {
  certificate: {
    type: 'mutualTLS',
    description: 'The client certificate of the third-party provider. Access tokens are bound to it (RFC 8705)',
  },
  tpp: {
    type: 'oauth2',
    description: 'Tokens of third-party providers, from the entrance of AUTH_PORT',
    flows: {
      clientCredentials: {
        tokenUrl: '/token',
        scopes: { accounts: 'Consents for account access', payments: 'Consents for payments' },
      },
      authorizationCode: {
        authorizationUrl: '/authorize',
        tokenUrl: '/token',
        scopes: {
          accounts: 'What the customer has consented to',
          payments: 'One payment',
          fundsconfirmations: 'Whether there is enough money',
        },
      },
    },
  },
};

export const ENTRANCE_PARAMETERS: Json = {
  interactionId: {
    name: 'x-fapi-interaction-id',
    in: 'header',
    description: 'We return and log it. If it is absent or malformed, we make one',
    schema: { type: 'string', maxLength: 128 },
  },
  customerAddress: {
    name: 'x-fapi-customer-ip-address',
    in: 'header',
    description: 'Address of the customer. Send it if the customer is present',
    schema: { type: 'string', maxLength: 64 },
  },
  jwsSignature: {
    name: 'x-jws-signature',
    in: 'header',
    required: true,
    description: 'Detached JWS over the raw body (RFC 7515, appendix F)',
    schema: { type: 'string' },
  },
  tppIdempotencyKey: {
    name: 'x-idempotency-key',
    in: 'header',
    required: true,
    description:
      'At most 40 characters, kept for 24 hours. The same key with the same body gets the first answer again',
    schema: { type: 'string', maxLength: 40 },
  },
};

/** The members of an operation that is served at the entrance. */
export function entranceOf({ scope, token }: Entrance): Json {
  return {
    servers: SERVERS,
    'x-token': token,
    security: [{ certificate: [], tpp: [scope] }],
  };
}

/** The names of its parameters beyond those of the route. */
export function entranceParameters({ signed, idempotent }: Entrance): string[] {
  return [
    'interactionId',
    'customerAddress',
    ...(signed ? ['jwsSignature'] : []),
    ...(idempotent ? ['tppIdempotencyKey'] : []),
  ];
}
