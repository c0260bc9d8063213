import { parseAlias } from '../../domain/alias';
import { type Money, parseAmount } from '../../domain/money';
import type { Acting } from '../../money/p2p/acting';
import type { Named } from '../../money/p2p/recipient';
import type { SecondFactor, TwoFactorFlag } from '../../people/customer-access/second-factor';
import { actorOf } from './actor';
import type { RequestContext } from './context';
import { requireOwn } from './middleware/scope';
import { challengedBy, givenCode } from './second-factor';

/** Customers act for themselves with their own token, tenant admins for any customer of the tenant. */
export const common = {
  area: 'Transfers',
  roles: ['tenant_admin', 'customer'] as const,
  identity: 'tenantId' as const,
};

type Context = RequestContext<unknown, unknown, unknown>;

export function actingOf(ctx: Context): Acting {
  return { actor: actorOf(ctx), isStaff: !ctx.principal.customerId };
}

/**
 * Throws `not_found` if the token belongs to another customer. Asks customers who act for themselves for the second factor
 * if `flag` is on. `words`: what they read beside the code (`challengedBy`).
 */
export async function requireCustomer(
  ctx: Context,
  secondFactor: Pick<SecondFactor, 'require'>,
  customerId: string,
  flag?: TwoFactorFlag,
  words?: string,
): Promise<void> {
  requireOwn(ctx.principal, customerId);
  if (flag && ctx.principal.customerId)
    await secondFactor.require(challengedBy(ctx, customerId, words), flag, givenCode(ctx.headers));
}

/** The customer or alias that a validated value names. */
export function namedBy(value: string): Named {
  return parseAlias(value) ?? { customerId: value };
}

export function moneyOf({ amount, currency }: { amount: string; currency: string }): Money {
  return { amountMinor: parseAmount(amount, currency), currency };
}
