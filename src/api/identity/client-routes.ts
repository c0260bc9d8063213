import { refuse } from '../../domain/errors';
import type { ApiClients } from '../../people/identity/api-clients';
import { type RotateBody, rotateBody } from '../records/rotation';
import { actorOf } from '../server/actor';
import { listOf, pageOf } from '../server/conventions';
import { type Route, route } from '../server/route';
import { managed, scopeOf } from './people-routes';
import {
  type ClientParams,
  clientParams,
  clientQuery,
  clientSchema,
  clientWithSecretSchema,
  type NewClientBody,
  newClientBody,
} from './people-schema';

const CLIENTS = '/identity/1.0.0/clients';
const ONE = `${CLIENTS}/{clientId}`;

interface ClientDependencies {
  onboarding: { apiClients: ApiClients };
  /** How long a replaced secret still works, in milliseconds: by default, and at most. */
  rotationOverlap: { defaultMs: number; maxMs: number };
}

/** Programs that sign in with client id and secret. */
export function clientRoutes({ onboarding, rotationOverlap }: ClientDependencies): Route[] {
  // The OpenAPI document is made without dependencies.
  const { apiClients } = onboarding ?? {};
  const common = { area: 'People and clients', roles: ['tenant_admin', 'merchant', 'ops'] as const };
  const answered = { 200: { description: 'The client', schema: clientSchema } };
  const act = (verb: 'disable' | 'enable', summary: string, description: string): Route =>
    route<unknown, unknown, ClientParams>({
      ...common,
      method: 'POST',
      path: `${ONE}/${verb}`,
      summary,
      description,
      params: clientParams,
      responses: answered,
      handler: async (ctx) => ({
        status: 200,
        body: await apiClients[verb](managed(ctx), ctx.params.clientId, actorOf(ctx)),
      }),
    });
  return [
    route<unknown, { limit: number; cursor?: string }>({
      ...common,
      method: 'GET',
      path: CLIENTS,
      summary: 'The clients of a tenant',
      description:
        'A tenant admin sees all clients of the tenant, a merchant those of its organization. Operators see their own, ' +
        'or with the `tenantId` header those of that tenant. No answer has a secret.',
      query: clientQuery,
      responses: { 200: { description: 'Newest first', schema: listOf(clientSchema) } },
      handler: async (ctx) => {
        const rows = await apiClients.list(scopeOf(ctx), ctx.query);
        return { status: 200, body: pageOf(rows, ctx.query.limit, ({ clientId }) => clientId) };
      },
    }),
    route<NewClientBody>({
      ...common,
      method: 'POST',
      path: CLIENTS,
      summary: 'Create a client',
      description:
        'Only this answer has the secret. If you lose it, repeat the request with the same `Idempotency-Key`. Of a ' +
        'merchant, only a signed-in user may do this, not a client.',
      body: newClientBody,
      idempotent: true,
      responses: { 201: { description: 'The client with its secret', schema: clientWithSecretSchema } },
      handler: async (ctx) => {
        const order = { ...ctx.body, clientId: ctx.resourceId('client') };
        const { client, secret } = await apiClients.create(managed(ctx), order, actorOf(ctx));
        return { status: 201, body: { ...client, secret } };
      },
    }),
    route<unknown, unknown, ClientParams>({
      ...common,
      method: 'GET',
      path: ONE,
      summary: 'One client',
      params: clientParams,
      responses: answered,
      handler: async (ctx) => ({ status: 200, body: await apiClients.find(scopeOf(ctx), ctx.params.clientId) }),
    }),
    route<RotateBody, unknown, ClientParams>({
      ...common,
      method: 'POST',
      path: `${ONE}/rotate`,
      summary: 'Replace the secret of a client',
      description:
        'Only this answer has the new secret. The old one also works for `overlapSeconds`; with 0 the tokens of the client end too. The answer is 409 for a ' +
        'client that belongs to the integration parameters of a merchant: these are rotated there.',
      params: clientParams,
      body: rotateBody,
      optionalBody: true,
      idempotent: true,
      responses: { 200: { description: 'The client with its new secret', schema: clientWithSecretSchema } },
      handler: async (ctx) => {
        const { overlapSeconds } = ctx.body;
        const overlapMs = overlapSeconds === undefined ? rotationOverlap.defaultMs : overlapSeconds * 1_000;
        if (overlapMs > rotationOverlap.maxMs)
          refuse('overlapSeconds', `must be at most ${rotationOverlap.maxMs / 1_000}`);
        const { client, secret } = await apiClients.rotate(managed(ctx), ctx.params.clientId, overlapMs, actorOf(ctx));
        return { status: 200, body: { ...client, secret } };
      },
    }),
    act(
      'disable',
      'Disable a client',
      'It gets no more tokens; those that it has stop working within a second. It can be enabled again.',
    ),
    act('enable', 'Enable a client again', 'Its secret works as before.'),
  ];
}
