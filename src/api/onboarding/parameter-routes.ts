import { DomainError } from '../../domain/errors';
import type { IntegrationParameters, Reader } from '../../people/onboarding/parameters';
import type { RequestContext } from '../server/context';
import { type Route, route } from '../server/route';
import { ONBOARDING, requireWholeOrganization } from './merchant-routes';
import {
  type ParameterParams,
  parameterParams,
  parametersSchema,
  type RotateBody,
  rotateBody,
  secretSchema,
} from './schema';

const PARAMETERS = `${ONBOARDING}/parameters`;

export interface ParameterDependencies {
  parameters: IntegrationParameters;
  /** How long a replaced secret is good as well, in milliseconds, where the request says nothing; and at most. */
  overlap: { defaultMs: number; maxMs: number };
}

/** What a merchant integrates with. */
export function parameterRoutes({ parameters, overlap }: ParameterDependencies): Route[] {
  const common = { area: 'Onboarding', roles: ['merchant'] as const };
  return [
    route({
      ...common,
      method: 'GET',
      path: PARAMETERS,
      summary: 'The integration parameters',
      description:
        'Client id and secret, terminal id and password, callback secret. The first time that the technical user reads ' +
        'them, the values of the secrets are in the answer; later, and to client credentials always, only their last four ' +
        'characters and since when they are.',
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
        'For the technical user. The new value is in the answer and nowhere else. For `overlapSeconds` the old one is good ' +
        'as well: both sign in; of a callback secret, notifications carry a signature of each (`t=…,v1=<new>,v1=<old>`). ' +
        'With an `Idempotency-Key`, an answer that was lost can be had again.',
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
      summary: 'End the overlap of a secret at once',
      description: 'For the technical user. From then on only the current value is good; 404 where no other was.',
      params: parameterParams,
      responses: { 204: { description: 'Only the current value is good' } },
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

/** Whoever got hold of a client's token must not make something lasting of it. */
function requirePerson(ctx: RequestContext<unknown, unknown, unknown>): void {
  if (!ctx.principal.userId) throw new DomainError('forbidden', 'Only the technical user, signed in, may do this');
}

function refuseOverlap(maxMs: number): never {
  const message = `must be at most ${maxMs / 1_000}`;
  throw new DomainError('invalid_request', `overlapSeconds ${message}`, {
    details: [{ field: 'overlapSeconds', message }],
  });
}
