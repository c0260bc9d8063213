import Joi from 'joi';
import { refuse } from '../../domain/errors';
import type { OutboundGuard } from '../../foundation/outbound/guard';
import type { RegisteredTpp, TppPage, Tpps } from '../../open-banking/tpps/service';
import { actorOf } from '../server/actor';
import { listOf, pageOf } from '../server/conventions';
import { type Answer, type Route, route } from '../server/route';
import { ONBOARDING } from './merchant-routes';
import {
  type CertificateBody,
  certificateBody,
  presentTpp,
  type TppBody,
  type TppChangeBody,
  type TppParams,
  tppBody,
  tppChangeBody,
  tppParams,
  tppQuery,
  tppSchema,
} from './tpp-schema';

const TPPS = `${ONBOARDING}/tpps`;
const ONE = `${TPPS}/{tppId}`;

interface TppDependencies {
  tpps: Tpps;
  outbound: OutboundGuard;
}

/** Operators register third-party providers of open banking. */
export function tppRoutes({ tpps, outbound }: TppDependencies): Route[] {
  const common = { area: 'Open banking: providers', roles: ['ops'] as const };
  const responses = { 200: { description: 'The third-party provider', schema: tppSchema } };
  const acting = { ...common, method: 'POST' as const, params: tppParams, idempotent: true, responses };
  const answer = (tpp: RegisteredTpp, status = 200): Answer => ({ status, body: presentTpp(tpp) });
  const requireAllowed = (jwksUri: string | undefined) => {
    const refusal = jwksUri === undefined ? undefined : outbound.refusal(jwksUri);
    if (refusal) refuse('jwksUri', refusal);
  };
  const act = (verb: 'disable' | 'enable', summary: string, description: string): Route =>
    route<unknown, unknown, TppParams>({
      ...acting,
      path: `${ONE}/${verb}`,
      summary,
      description,
      body: Joi.object({}),
      optionalBody: true,
      handler: async (ctx) => answer(await tpps[verb](ctx.params.tppId, actorOf(ctx))),
    });
  return [
    route<TppBody>({
      ...common,
      method: 'POST',
      path: TPPS,
      summary: 'Register a third-party provider',
      description:
        'From now on it can call the entrance of third-party providers with its certificate. Its name is the ' +
        '`serviceProvider` of its consents.',
      body: tppBody,
      idempotent: true,
      responses: { 201: { description: 'The third-party provider', schema: tppSchema } },
      handler: async (ctx) => {
        requireAllowed(ctx.body.jwksUri);
        return answer(await tpps.register({ ...ctx.body, id: ctx.resourceId('tpp') }, actorOf(ctx)), 201);
      },
    }),
    route<unknown, TppPage>({
      ...common,
      method: 'GET',
      path: TPPS,
      summary: 'The third-party providers, newest first',
      query: tppQuery,
      responses: { 200: { description: 'A page of third-party providers', schema: listOf(tppSchema) } },
      handler: async (ctx) => {
        const page = pageOf(await tpps.list(ctx.query), ctx.query.limit, ({ id }) => id);
        return { status: 200, body: { ...page, data: page.data.map(presentTpp) } };
      },
    }),
    route<unknown, unknown, TppParams>({
      ...common,
      method: 'GET',
      path: ONE,
      summary: 'One third-party provider',
      params: tppParams,
      responses,
      handler: async (ctx) => answer(await tpps.find(ctx.params.tppId)),
    }),
    route<TppChangeBody, unknown, TppParams>({
      ...acting,
      method: 'PUT',
      idempotent: false,
      path: ONE,
      summary: 'Change a third-party provider',
      description: 'Absent members stay as they are. A list takes the place of the one before.',
      body: tppChangeBody,
      handler: async (ctx) => {
        requireAllowed(ctx.body.jwksUri);
        return answer(await tpps.change(ctx.params.tppId, ctx.body, actorOf(ctx)));
      },
    }),
    route<CertificateBody, unknown, TppParams>({
      ...acting,
      path: `${ONE}/certificate`,
      summary: 'Replace the certificate of a third-party provider',
      description:
        'Access tokens are bound to the certificate that they were given for (RFC 8705), so those of the old one stop ' +
        'working. Refresh tokens go on.',
      body: certificateBody,
      handler: async (ctx) =>
        answer(await tpps.replaceCertificate(ctx.params.tppId, ctx.body.certificate, actorOf(ctx))),
    }),
    act(
      'disable',
      'Disable a third-party provider',
      'From its next call on it gets no tokens, and those that it has are refused. Its consents stay. It can be enabled again.',
    ),
    act('enable', 'Enable a third-party provider again', 'Tokens that have not expired work again.'),
  ];
}
