import type { AccountRow } from '../../commerce/payouts/account';
import type { PayoutAccounts } from '../../commerce/payouts/accounts';
import { presentAccount, presentAccounts } from '../../commerce/payouts/present';
import { actorOf } from '../server/actor';
import { type Answer, type Route, route } from '../server/route';
import {
  type AccountBody,
  accountBody,
  accountSchema,
  accountsSchema,
  type OrganizationParams,
  organizationParams,
  type ReasonBody,
  reasonBody,
  type VerifyBody,
  verifyBody,
} from './schema';

const BASE = '/payouts/1.0.0';
const ONE = `${BASE}/accounts/{organizationId}`;

/** Where payouts go: the seller names its account, the tenant verifies it. */
export function payoutAccountRoutes({ payoutAccounts }: { payoutAccounts: PayoutAccounts }): Route[] {
  const owned = { area: 'Payouts', roles: ['merchant'] as const, path: `${BASE}/account` };
  const overseen = { area: 'Payouts', roles: ['tenant_admin'] as const, params: organizationParams };
  const answer = (row: AccountRow): Answer => ({ status: 200, body: presentAccount(row) });
  return [
    route<AccountBody>({
      ...owned,
      method: 'PUT',
      summary: 'Name the account that payouts go to',
      description:
        'The first account counts once the tenant has verified it. A later one takes its place after ' +
        '`PAYOUT_ACCOUNT_HOLD_MS`, if it is verified by then. The technical contact is told by e-mail.',
      body: accountBody,
      responses: { 200: { description: 'The account', schema: accountSchema } },
      handler: async (ctx) => {
        const owner = { tenantId: ctx.tenantId, organizationId: ctx.organizationId };
        const row = await payoutAccounts.change(owner, ctx.body, actorOf(ctx));
        return { status: 200, body: presentAccount(row, payoutAccounts.ibanOf(row)) };
      },
    }),
    route({
      ...owned,
      method: 'GET',
      summary: 'The accounts that payouts go to and went to',
      responses: { 200: { description: 'The accounts of the seller', schema: accountsSchema } },
      handler: async (ctx) => {
        const { tenantId, organizationId } = ctx;
        const accounts = await payoutAccounts.find({ tenantId, organizationId });
        const whole = (row: AccountRow) => payoutAccounts.ibanOf(row);
        return { status: 200, body: presentAccounts(organizationId, accounts, whole) };
      },
    }),
    route<unknown, unknown, OrganizationParams>({
      ...overseen,
      method: 'GET',
      path: ONE,
      summary: 'The accounts of a seller',
      responses: { 200: { description: 'Its accounts, masked', schema: accountsSchema } },
      handler: async (ctx) => {
        const { organizationId } = ctx.params;
        const accounts = await payoutAccounts.find({ tenantId: ctx.tenantId, organizationId });
        return { status: 200, body: presentAccounts(organizationId, accounts) };
      },
    }),
    route<VerifyBody, unknown, OrganizationParams>({
      ...overseen,
      method: 'POST',
      path: `${ONE}/verify`,
      summary: 'Verify the latest account of a seller',
      description:
        'The tenant has made sure whose it is. The answer is 409 if it is verified already, or if it is not `accountId`: the ' +
        'seller may have named another one meanwhile.',
      body: verifyBody,
      optionalBody: true,
      idempotent: true,
      responses: { 200: { description: 'It is verified', schema: accountSchema } },
      handler: async (ctx) => {
        const { organizationId } = ctx.params;
        const owner = { tenantId: ctx.tenantId, organizationId };
        return answer(await payoutAccounts.verify(owner, actorOf(ctx), ctx.body.accountId));
      },
    }),
    route<ReasonBody, unknown, OrganizationParams>({
      ...overseen,
      method: 'POST',
      path: `${ONE}/block`,
      summary: 'Block all accounts of a seller',
      description: 'Payouts that have not been sent fail, and their money goes back into the balance.',
      body: reasonBody,
      idempotent: true,
      responses: { 200: { description: 'They are blocked', schema: accountSchema } },
      handler: async (ctx) => {
        const { organizationId } = ctx.params;
        return answer(await payoutAccounts.block({ tenantId: ctx.tenantId, organizationId }, ctx.body, actorOf(ctx)));
      },
    }),
  ];
}
