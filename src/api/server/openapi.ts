import { STATUS_CODES } from 'node:http';
import type { Schema } from 'joi';
import { CLIENT_ROLES } from '../../people/identity/principal';
import { errorSchema } from './conventions';
import { ENTRANCE_PARAMETERS, ENTRANCE_SCHEMES, entranceOf, entranceParameters } from './entrance/document';
import { obieErrorSchema } from './entrance/obie-error';
import { JSON_VALUE, type Json, jsonSchemaOf, OPEN_OBJECT } from './json-schema';
import { listOfRoute } from './list';
import { type DocumentOptions, outsideOperations } from './outside-operations';
import type { Route } from './route';

/** Version of the contract with integrators. It is the version in the paths. */
const API_VERSION = '1.0.0';
const READ_ERRORS = [400, 401, 403, 404, 429, 500, 503];
const WRITE_ERRORS = [...READ_ERRORS, 409, 413, 415, 422];

/** The OpenAPI 3.1 document of the API, made from its route table. */
export function openApiDocument(routes: readonly Route[], options: DocumentOptions = {}): Json {
  const paths: Record<string, Json> = {};
  for (const route of routes) at(paths, route.path)[route.method.toLowerCase()] = operationOf(route);
  for (const { path, method, operation } of outsideOperations(options)) at(paths, path)[method] = operation;
  return {
    openapi: '3.1.0',
    info: {
      title: 'Tillway',
      version: API_VERSION,
      description: INTRODUCTION,
      license: { name: 'Apache 2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    tags: tagsOf(paths).map((name) => ({ name })),
    paths,
    components: {
      schemas: {
        Error: jsonSchemaOf(errorSchema, 'output'),
        ObieError: jsonSchemaOf(obieErrorSchema, 'output'),
        JsonValue: JSON_VALUE,
      },
      parameters: { ...PARAMETERS, ...ENTRANCE_PARAMETERS },
      headers: HEADERS,
      responses: Object.fromEntries(
        (['Error', 'ObieError'] as const).flatMap((schema) =>
          WRITE_ERRORS.map((status) => [`${schema}${status}`, errorResponse(schema, status)]),
        ),
      ),
      securitySchemes: {
        oauth2: {
          type: 'oauth2',
          description:
            'Client id and secret, or terminal id and terminal password. The access token is valid for 10,000 s.',
          flows: {
            clientCredentials: {
              tokenUrl: '/auth/1.0.0/token',
              scopes: Object.fromEntries(CLIENT_ROLES.map((role) => [role, ROLE_TEXTS[role]])),
            },
          },
        },
        customer: {
          type: 'http',
          scheme: 'bearer',
          description:
            'Token of a customer, from /auth/1.0.0/customers/token or getCredentials. It is valid for 15 minutes.',
        },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: '__Host-tillway_session',
          description:
            'Cookie of a user, from POST /auth/1.0.0/users/session. Without TLS on the loopback its name is ' +
            '`tillway_session`. Requests other than GET need the header `X-Requested-With: tillway-console`.',
        },
        ...ENTRANCE_SCHEMES,
        client: { type: 'http', scheme: 'basic', description: 'Client id and client secret' },
      },
    },
  };
}

/** Authentication first, then the areas in the order of the route table. */
function tagsOf(paths: Record<string, Json>): string[] {
  const areas = Object.values(paths).flatMap((item) => Object.values(item as Json).flatMap((one: Json) => one.tags));
  return [...new Set<string>(['Authentication', ...areas])];
}

const ROLE_TEXTS = {
  merchant: 'One organization',
  tenant_admin: 'One tenant and all its organizations',
  ops: 'Reads everything',
};

const INTRODUCTION = `Amounts are decimal strings with exactly the decimals of their currency (\`"10.00"\` EUR, \`"1000"\` JPY). \
Times are RFC 3339 UTC. We refuse unknown members and parameters. \`null\` counts as absent. An error names all wrong fields at once. \
POST requests that create or move something accept the header \`Idempotency-Key\`. If the first request is refused (4xx), you can use \
the key again. After any other outcome the key belongs to that request for at least 24 hours. Every list answers \
\`Accept: text/csv\` with all its records as CSV, from \`cursor\` on, by the same filters and without pages: \`limit\` has no effect.`;

const PARAMETERS = {
  organizationId: {
    name: 'organizationId',
    in: 'header',
    required: true,
    description: 'The organization for which you act. The access token must be allowed to see it',
    schema: { type: 'string' },
  },
  tenantId: {
    name: 'tenantId',
    in: 'header',
    required: true,
    description: 'The tenant for which you act. It must be the tenant of the access token',
    schema: { type: 'string' },
  },
  idempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'The same key with the same body gets the first answer again. A key belongs to one client and path. We keep it for 24 hours or longer.',
    schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[ -~]+$' },
  },
  requestId: {
    name: 'X-Request-Id',
    in: 'header',
    description: 'We return and log it. If it is absent or malformed, we create one',
    schema: { type: 'string' },
  },
};

const HEADERS = {
  requestId: {
    description: 'Id of this request in our logs. Quote it when you ask about the request',
    schema: { type: 'string' },
  },
  replayed: { description: '`true` if this is the answer to an earlier request', schema: { type: 'string' } },
  interactionId: {
    description: 'The `x-fapi-interaction-id` of the request, or a new one',
    schema: { type: 'string' },
  },
  signature: { description: 'Detached JWS over the body of the answer', schema: { type: 'string' } },
  retryAfter: { description: 'Seconds to wait before you try again', schema: { type: 'integer' } },
};

function at(paths: Record<string, Json>, path: string): Json {
  paths[path] ??= {};
  return paths[path];
}

function operationOf(route: Route): Json {
  const isPublic = route.roles === 'public';
  const common = (route.method === 'GET' ? READ_ERRORS : WRITE_ERRORS).filter(
    (status) => !isPublic || ![401, 403, 429].includes(status),
  );
  const errors = [...common, ...(route.errors ?? [])];
  return {
    operationId: operationIdOf(route.method, route.path),
    tags: [route.area],
    summary: route.summary,
    ...(route.description && { description: route.description }),
    'x-roles': isPublic ? [] : [...(route.roles as readonly string[])],
    ...(route.entrance
      ? entranceOf(route.entrance)
      : { security: isPublic ? [] : securityOf(route.roles as readonly string[]) }),
    parameters: parametersOf(route),
    ...bodyOf(route),
    responses: {
      ...Object.fromEntries(Object.entries(route.responses).map(([status, spec]) => [status, answerOf(route, spec)])),
      ...Object.fromEntries(
        errors
          .filter((status) => !(status in route.responses))
          .map((status) => [status, { $ref: `#/components/responses/${errorName(route)}${status}` }]),
      ),
    },
  };
}

/** Whoever is no customer comes with a token, or as a user with a cookie. */
function securityOf(roles: readonly string[]): Json[] {
  const byToken = roles.map((role) => (role === 'customer' ? { customer: [] } : { oauth2: [role] }));
  return roles.some((role) => role !== 'customer') ? [...byToken, { session: [] }] : byToken;
}

function bodyOf(route: Route): Json {
  if (route.uploads) return { requestBody: { required: true, content: contentOf(route.uploads) } };
  if (!route.body) return {};
  const schema = jsonSchemaOf(route.body, 'input', { nullIsAbsent: !route.keepNulls });
  // An empty object is allowed and has no effect.
  if (route.optionalBody && schema.type === 'object' && !schema.properties) return {};
  return { requestBody: { required: !mayBeEmpty(route.body), content: { 'application/json': { schema } } } };
}

/** A request without a body counts as `{}`, and as nothing where an array is asked for. */
function mayBeEmpty(body: Schema): boolean {
  return body.type !== 'array' && body.validate({}).error === undefined;
}

/** Bodies without a schema, by media type. */
function contentOf(types: readonly string[]): Json {
  return Object.fromEntries(
    types.map((type) => {
      if (type === 'application/json') return [type, { schema: OPEN_OBJECT }];
      return [type, { schema: { type: 'string', ...(!type.startsWith('text/') && { format: 'binary' }) } }];
    }),
  );
}

function parametersOf(route: Route): Json[] {
  const known = route.params ? jsonSchemaOf(route.params, 'input').properties : {};
  const names = [...route.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]!);
  const reference = (name: string) => ({ $ref: `#/components/parameters/${name}` });
  const query: Json = route.query ? jsonSchemaOf(route.query, 'input') : { properties: {} };
  return [
    ...names.map((name) => parameter('path', name, known[name] ?? { type: 'string' }, true)),
    ...(route.identity ? [reference(route.identity)] : []),
    ...Object.entries(route.headers ?? {}).map(([name, schema]) =>
      parameter('header', name, jsonSchemaOf(schema, 'input'), true),
    ),
    ...Object.entries(query.properties as Json).map(([name, schema]) =>
      parameter('query', name, schema, query.required?.includes(name) ?? false),
    ),
    ...(route.idempotent ? [reference('idempotencyKey')] : []),
    ...(route.entrance ? entranceParameters(route.entrance).map(reference) : []),
    reference('requestId'),
  ];
}

function parameter(place: 'path' | 'query' | 'header', name: string, given: Json, required: boolean): Json {
  const { description, ...schema } = given;
  return { name, in: place, ...(required && { required }), ...(description && { description }), schema };
}

function answerOf(route: Route, spec: Route['responses'][number]): Json {
  const { description, schema, contentType } = spec;
  const csv = spec === route.responses[200] && listOfRoute(route) ? ['text/csv'] : [];
  const alternatives = [...csv, ...(spec.alternatives ?? [])];
  const header = (name: keyof typeof HEADERS) => ({ $ref: `#/components/headers/${name}` });
  return {
    description,
    headers: {
      'X-Request-Id': header('requestId'),
      ...(route.entrance && { 'x-fapi-interaction-id': header('interactionId') }),
      ...(route.entrance?.signed && { 'x-jws-signature': header('signature') }),
      ...(route.idempotent && { 'Idempotent-Replayed': header('replayed') }),
    },
    ...((schema || contentType) && {
      content: {
        ...(schema && { [contentType ?? 'application/json']: { schema: jsonSchemaOf(schema, 'output') } }),
        ...contentOf([...(!schema && contentType ? [contentType] : []), ...alternatives]),
      },
    }),
  };
}

function errorResponse(schema: 'Error' | 'ObieError', status: number): Json {
  return {
    description: STATUS_CODES[status],
    headers: {
      'X-Request-Id': { $ref: '#/components/headers/requestId' },
      ...([429, 503].includes(status) && { 'Retry-After': { $ref: '#/components/headers/retryAfter' } }),
    },
    content: { 'application/json': { schema: { $ref: `#/components/schemas/${schema}` } } },
  };
}

function errorName({ entrance }: Route): 'Error' | 'ObieError' {
  return entrance?.errors === 'obie' ? 'ObieError' : 'Error';
}

function operationIdOf(method: string, path: string): string {
  const words = path.split(/[^A-Za-z0-9]+/).filter(Boolean);
  return method.toLowerCase() + words.map((word) => word[0]!.toUpperCase() + word.slice(1)).join('');
}
