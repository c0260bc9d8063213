import { DomainError } from '../../domain/errors';
import type { IntegrationParameters, Reader } from '../../people/onboarding/parameters';
import { type RotateBody, rotateBody } from '../records/rotation';
import type { RequestContext } from '../server/context';
import { type Route, route } from '../server/route';
import { ONBOARDING, requireWholeOrganization } from './merchant-routes';
import { type ParameterParams, parameterParams, parametersSchema, secretSchema } from './schema';

const PARAMETERS = `${ONBOARDING}/parameters`;

export interface ParameterDependencies {
  parameters: IntegrationParameters;
  /** How long a replaced secret still works, in milliseconds: by default, and at most. */
  overlap: { defaultMs: number; maxMs: number };
}

/** The parameters with which a merchant connects its server. */
export function parameterRoutes({ parameters, overlap }: ParameterDependencies): Route[] {
  const common = { area: 'Onboarding', roles: ['merchant'] as const };
  return [
    route({
      ...common,
      method: 'GET',
      path: PARAMETERS,
      summary: 'The integration parameters',
      description:
        'Client id and secret, terminal id and password, and callback secret. The technical user sees the values of ' +
        'the secrets once, the first time. After that the answer has only their last four characters and `since`. ' +
        'Client credentials never see the values.',
      responses: { 200: { description: 'The parameters', schema: parametersSchema } },
      handler: async (ctx) => {
        requireWholeOrganization(ctx);
        const reveal = ctx.principal.userId !== undefined;
        const { clientId, terminalId, secrets } = await parameters.read(readerOf(ctx), { reveal });
        const byName = Object.fromEntries(secrets.map(({ name, ...shown }) => [name, shown]));
        return { status: 200, body: { clientId, terminalId, ...byName } };
      },
    }),
    route<RotateBody, unknown, ParameterParams>({
      ...common,
      method: 'POST',
      path: `${PARAMETERS}/{name}/rotate`,
      summary: 'Replace a secret',
      description:
        'Only the technical user may do this. Only this answer has the new value. The old value also works for ' +
        '`overlapSeconds`: you can sign in with both, and notifications have one signature for each callback secret ' +
        '(`t=…,v1=<new>,v1=<old>`). If you lose the answer, repeat the request with the same `Idempotency-Key`.',
      params: parameterParams,
      body: rotateBody,
      optionalBody: true,
      idempotent: true,
      responses: { 200: { description: 'The new value', schema: secretSchema } },
      handler: async (ctx) => {
        requirePerson(ctx);
        const overlapMs = ctx.body.overlapSeconds === undefined ? overlap.defaultMs : ctx.body.overlapSeconds * 1_000;
        if (overlapMs > overlap.maxMs) refuseOverlap(overlap.maxMs);
        return { status: 200, body: await parameters.rotate(readerOf(ctx), ctx.params.name, overlapMs) };
      },
    }),
    route<unknown, unknown, ParameterParams>({
      ...common,
      method: 'DELETE',
      path: `${PARAMETERS}/{name}/previous`,
      summary: 'End the overlap of a secret now',
      description:
        'Only the technical user may do this. Then only the current value works. The answer is 404 if there was no ' +
        'old value.',
      params: parameterParams,
      responses: { 204: { description: 'Only the current value works' } },
      handler: async (ctx) => {
        requirePerson(ctx);
        await parameters.endOverlap(readerOf(ctx), ctx.params.name);
        return { status: 204 };
      },
    }),
  ];
}

function readerOf(ctx: RequestContext<unknown, unknown, unknown>): Reader {
  const { clientId: actor } = ctx.principal;
  return { tenantId: ctx.tenantId, organizationId: ctx.organizationId, actor, source: ctx.source };
}

/** A stolen client token must not lead to lasting access. */
function requirePerson(ctx: RequestContext<unknown, unknown, unknown>): void {
  if (!ctx.principal.userId)
    throw new DomainError('forbidden', 'Only the technical user may do this. Sign in as the technical user');
}

function refuseOverlap(maxMs: number): never {
  const message = `must be at most ${maxMs / 1_000}`;
  throw new DomainError('invalid_request', `overlapSeconds ${message}`, {
    details: [{ field: 'overlapSeconds', message }],
  });
}
