import { refuse } from '../../domain/errors';
import type { Terminals } from '../../people/identity/terminals';
import type { RequestContext } from './context';

/**
 * The merchant account a request is for: the one it names, that of the access token, or the organization's first. Throws
 * `invalid_request` when it is not the organization's or not the token's.
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
