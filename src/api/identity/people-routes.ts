import { DomainError } from '../../domain/errors';
import type { IdentityScope } from '../../people/identity/scope';
import type { People, PeoplePage, PersonChange } from '../../people/identity/users/people';
import { actorOf } from '../server/actor';
import type { RequestContext } from '../server/context';
import { listOf, pageOf } from '../server/conventions';
import { type Route, route } from '../server/route';
import {
  changeBody,
  type InvitationBody,
  invitationBody,
  type PersonParams,
  peopleQuery,
  personParams,
  personSchema,
} from './people-schema';

const USERS = '/identity/1.0.0/users';
const ONE = `${USERS}/{userId}`;

/** People who sign in: invited, changed, shut out and removed by those who administer them. */
export function peopleRoutes({ onboarding }: { onboarding: { people: People } }): Route[] {
  // The OpenAPI document is made without dependencies.
  const { people } = onboarding ?? {};
  const common = { area: 'People and clients', roles: ['tenant_admin', 'merchant', 'ops'] as const };
  const answered = { 200: { description: 'The user', schema: personSchema } };
  const act = (verb: 'disable' | 'enable', summary: string, description: string): Route =>
    route<unknown, unknown, PersonParams>({
      ...common,
      method: 'POST',
      path: `${ONE}/${verb}`,
      summary,
      description,
      params: personParams,
      responses: answered,
      handler: async (ctx) => ({
        status: 200,
        body: await people[verb](managed(ctx), ctx.params.userId, actorOf(ctx)),
      }),
    });
  return [
    route<unknown, PeoplePage>({
      ...common,
      method: 'GET',
      path: USERS,
      summary: 'The users of a tenant',
      description:
        'A tenant admin sees all users of the tenant, a merchant those of its organization. Operators see operators, ' +
        'or with the `tenantId` header the users of that tenant.',
      query: peopleQuery,
      responses: { 200: { description: 'Newest first', schema: listOf(personSchema) } },
      handler: async (ctx) => {
        const rows = await people.list(scopeOf(ctx), ctx.query);
        return { status: 200, body: pageOf(rows, ctx.query.limit, ({ userId }) => userId) };
      },
    }),
    route<InvitationBody>({
      ...common,
      method: 'POST',
      path: USERS,
      summary: 'Invite a user',
      description:
        'We send the user a link by e-mail with which to choose a password. The link works once. Of a merchant, only a ' +
        'signed-in user may do this, not a client.',
      body: invitationBody,
      idempotent: true,
      responses: { 201: { description: 'The user, with an invitation sent', schema: personSchema } },
      handler: async (ctx) => {
        const invitation = { ...ctx.body, userId: ctx.resourceId('user') };
        return { status: 201, body: await people.invite(managed(ctx), invitation, actorOf(ctx)) };
      },
    }),
    route<unknown, unknown, PersonParams>({
      ...common,
      method: 'GET',
      path: ONE,
      summary: 'One user',
      params: personParams,
      responses: answered,
      handler: async (ctx) => ({ status: 200, body: await people.find(scopeOf(ctx), ctx.params.userId) }),
    }),
    route<PersonChange, unknown, PersonParams>({
      ...common,
      method: 'PATCH',
      path: ONE,
      summary: 'Change name, telephone number or role of a user',
      description:
        'Another role ends the user’s sessions. The answer is 409 if it would leave nobody who can administer the tenant.',
      params: personParams,
      body: changeBody,
      keepNulls: true,
      responses: answered,
      handler: async (ctx) => ({
        status: 200,
        body: await people.change(managed(ctx), ctx.params.userId, ctx.body, actorOf(ctx)),
      }),
    }),
    route<unknown, unknown, PersonParams>({
      ...common,
      method: 'POST',
      path: `${ONE}/invitations`,
      summary: 'Invite a user again',
      description: 'The earlier link no longer works. The answer is 409 if the user has a password already.',
      params: personParams,
      idempotent: true,
      responses: { 201: { description: 'The user, with a new invitation sent', schema: personSchema } },
      handler: async (ctx) => ({
        status: 201,
        body: await people.inviteAgain(managed(ctx), ctx.params.userId, actorOf(ctx)),
      }),
    }),
    act(
      'disable',
      'Shut a user out',
      'It ends the user’s sessions at once. The answer is 409 if it would leave nobody who can administer the tenant.',
    ),
    act('enable', 'Let a user in again', 'The password and the second factor are as they were.'),
    route<unknown, unknown, PersonParams>({
      ...common,
      roles: ['tenant_admin', 'ops'],
      method: 'DELETE',
      path: `${ONE}/factors`,
      summary: 'Remove the second factors of a user who has lost them',
      description:
        'Authenticator app, passkeys and recovery codes. It ends the user’s sessions at once, and the user gets an ' +
        'e-mail. A user cannot do this to themselves.',
      params: personParams,
      responses: { 204: { description: 'The user signs in with the password, and adds a new second factor' } },
      handler: async (ctx) => {
        await people.resetFactors(managed(ctx), ctx.params.userId, actorOf(ctx));
        return { status: 204 };
      },
    }),
    route<unknown, unknown, PersonParams>({
      ...common,
      method: 'DELETE',
      path: ONE,
      summary: 'Remove a user',
      description:
        'It ends the user’s sessions at once and erases name and address, which can then be invited anew. What the user ' +
        'did stays in the audit log under the user’s id.',
      params: personParams,
      responses: { 204: { description: 'The user is removed' } },
      handler: async (ctx) => {
        await people.remove(managed(ctx), ctx.params.userId, actorOf(ctx));
        return { status: 204 };
      },
    }),
  ];
}

/** Whose people the caller may see. */
export function scopeOf(ctx: RequestContext<unknown, unknown, unknown>): IdentityScope {
  if (ctx.principal.terminalId)
    throw new DomainError('forbidden', 'This access token works for one merchant account only');
  return { tenantId: ctx.tenantIdIfAny, organizationId: ctx.principal.organizationId };
}

/** The same, for whoever changes something: a stolen client secret of a merchant must not lead to lasting access. */
export function managed(ctx: RequestContext<unknown, unknown, unknown>): IdentityScope {
  if (ctx.principal.role === 'merchant' && !ctx.principal.userId)
    throw new DomainError('forbidden', 'Only a signed-in user may do this, not a client');
  return scopeOf(ctx);
}
