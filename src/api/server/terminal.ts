import { refuse } from '../../domain/errors';
import type { Terminals } from '../../people/identity/terminals';
import type { RequestContext } from './context';

/**
 * The merchant account of a request: the one that it names, the one of the access token, or the organization's first.
 * Throws `invalid_request` if the account does not belong to the organization or to the token.
 */
export async function chooseTerminal(
  terminals: Terminals,
  ctx: RequestContext<{ terminalId?: string }>,
): Promise<string> {
  const own = ctx.principal.terminalId;
  const wanted = ctx.body.terminalId ?? own;
  const known = await terminals.of(ctx.tenantId, ctx.organizationId);
  const terminalId = wanted ?? known[0];
  if (!terminalId || !known.includes(terminalId))
    refuse('terminalId', 'is not a merchant account of this organization');
  if (own && terminalId !== own) refuse('terminalId', 'is not the merchant account of this access token');
  return terminalId;
}
