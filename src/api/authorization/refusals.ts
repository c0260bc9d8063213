import type { IncomingMessage } from 'node:http';
import type { KoaContextWithOIDC, Provider } from 'oidc-provider';
import { type AuditLine, appendAuditLine } from '../../foundation/audit-log/audit-log';
import type { Database } from '../../foundation/db/database';

/** What the audit log calls a refused request, by its address. */
export const REFUSED: Record<string, string> = {
  '/authorize': 'tpp.authorize',
  '/par': 'tpp.authorize',
  '/token': 'tpp.token',
};
const EVENTS = ['authorization.error', 'pushed_authorization_request.error', 'grant.error'];
/** Reasons are the library's words. They may repeat what was sent, which may be long. */
const REASON_LENGTH = 200;

interface Refusal {
  error: string;
  error_description?: string;
  /** What the provider is not told: which check has failed. */
  error_detail?: string;
}

/**
 * Writes a line of the audit log for whatever the authorization server refuses to a provider that it knows, before it is
 * answered. `sources`: addresses that requests came from.
 */
export function noteRefusals(
  provider: Provider,
  database: Pick<Database, 'system'>,
  sources: WeakMap<IncomingMessage, string>,
): void {
  const refusals = new WeakMap<IncomingMessage, Refusal>();
  for (const event of EVENTS)
    provider.on(event as 'grant.error', (ctx, refusal) => refusals.set(ctx.req, refusal as unknown as Refusal));
  provider.use(async (ctx: KoaContextWithOIDC, next) => {
    await next();
    const refusal = refusals.get(ctx.req);
    const tppId = ctx.oidc?.client?.clientId;
    const action = REFUSED[ctx.path];
    if (!refusal || !tppId || !action) return;
    const { error, error_description, error_detail } = refusal;
    const reason = (error_detail ?? error_description)?.slice(0, REASON_LENGTH);
    await refusedLine(
      database,
      { actor: tppId, action, target: tppId, detail: { error, reason } },
      sources.get(ctx.req) ?? '',
    );
  });
}

export async function refusedLine(
  { system }: Pick<Database, 'system'>,
  line: Omit<AuditLine, 'result' | 'source'>,
  source: string,
): Promise<void> {
  await appendAuditLine(system, { ...line, source, result: 'refused' });
}
