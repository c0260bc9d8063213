import type { Knex } from 'knex';
import { LRUCache } from 'lru-cache';
import { type Actor, noteDone } from '../../foundation/audit-log/audit-log';
import type { Database } from '../../foundation/db/database';
import { jsonOf } from '../../foundation/db/json';
import { type CardFingerprints, lockCardNumber, ofSameCard } from '../../foundation/vault/fingerprints';
import type { RiskLevel } from '../routing/rules';
import {
  type AuthenticatedPayment,
  type Authentication,
  type AuthenticationPolicy,
  authenticationBy,
  LOW_VALUE_USES,
  LOW_VALUES_MINOR,
  withoutExemption,
} from './policy';

const CACHED_MS = 5_000;

/** A policy as it lies in the database: JSON has no bigint. */
type StoredPolicy = Omit<AuthenticationPolicy, 'above'> & { above?: { currency: string; amountMinor: string }[] };

/** What is asked about: the payment, whose it is, and the fingerprints of its card, looked up only where it matters. */
export interface Asking extends Omit<AuthenticatedPayment, 'risk'> {
  tenantId: string;
  /** Absent: a card check, which is no organization's. */
  organizationId?: string;
  fingerprints(): Promise<CardFingerprints | undefined>;
}

/** The policies of tenants on 3-D Secure. Other processes see a change within seconds. */
export class AuthenticationPolicies {
  private readonly cache = new LRUCache<string, { policy?: AuthenticationPolicy }>({ max: 1_000, ttl: CACHED_MS });

  constructor(private readonly database: Database) {}

  /** The tenant's policy as it stands; undefined: requests decide. */
  async of(tenantId: string): Promise<AuthenticationPolicy | undefined> {
    const row: { policy: StoredPolicy } | undefined = await this.database.tenant(tenantId, (trx) =>
      trx('authentication_policies').first('policy'),
    );
    return row && read(row.policy);
  }

  /** Puts a policy in place of the one there was, or none, and writes down who did. */
  async replace(tenantId: string, actor: Actor, policy: AuthenticationPolicy | undefined): Promise<void> {
    await this.database.tenant(tenantId, async (trx) => {
      if (!policy) await trx('authentication_policies').delete();
      else
        await trx('authentication_policies')
          .insert({ tenant_id: tenantId, policy: jsonOf(policy), updated_by: actor.id })
          .onConflict('tenant_id')
          .merge({ policy: jsonOf(policy), updated_by: actor.id, updated_at: trx.raw('clock_timestamp()') });
      await noteDone(trx, tenantId, actor, 'authentication_policy.replaced', tenantId, { policy: policy ?? null });
    });
    this.cache.delete(tenantId);
  }

  /** What the tenant's policy makes of a card payment. Undefined: there is none, and the request decides. */
  async apply({ tenantId, organizationId, fingerprints, ...asked }: Asking): Promise<Authentication | undefined> {
    const policy = await this.known(tenantId);
    if (!policy) return undefined;
    const risk = policy.risk && organizationId ? await this.riskOf(tenantId, organizationId) : 'standard';
    const payment = { ...asked, risk };
    const found = authenticationBy(policy, payment);
    if (found.exemption !== 'low_value') return found;
    const card = await fingerprints();
    const isLetOff =
      card && (await this.database.tenant(tenantId, (trx) => useLowValue(trx, tenantId, card, payment.amountMinor)));
    return isLetOff ? found : withoutExemption(policy, payment);
  }

  private async known(tenantId: string): Promise<AuthenticationPolicy | undefined> {
    const cached = this.cache.get(tenantId);
    if (cached) return cached.policy;
    const policy = await this.of(tenantId);
    this.cache.set(tenantId, { policy });
    return policy;
  }

  private async riskOf(tenantId: string, organizationId: string): Promise<RiskLevel> {
    const row: { risk: RiskLevel } | undefined = await this.database.tenant(tenantId, (trx) =>
      trx('organizations').where({ id: organizationId }).first('risk'),
    );
    return row?.risk ?? 'standard';
  }
}

function read({ above, ...policy }: StoredPolicy): AuthenticationPolicy {
  return {
    ...policy,
    ...(above && { above: above.map(({ currency, amountMinor }) => ({ currency, amountMinor: BigInt(amountMinor) })) }),
  };
}

/**
 * Lets a card off once more, unless it was often enough, or for enough money, since it was last authenticated (RTS, article 16,
 * letters b and c, both). `amountMinor` in euro cents. Exact under concurrency: the card is locked.
 */
async function useLowValue(
  trx: Knex.Transaction,
  tenantId: string,
  card: CardFingerprints,
  amountMinor: bigint,
): Promise<boolean> {
  await lockCardNumber(trx, card);
  const run = await trx('low_value_runs')
    .where(ofSameCard(card))
    .sum({ uses: 'uses', sum: 'sum_minor' })
    .first<{ uses: string | null; sum: string | null }>();
  if (Number(run.uses ?? 0) >= LOW_VALUE_USES || BigInt(run.sum ?? 0) + amountMinor > LOW_VALUES_MINOR) return false;
  await trx.raw(
    `INSERT INTO low_value_runs AS r (tenant_id, fingerprint, uses, sum_minor) VALUES (?, ?, 1, ?)
     ON CONFLICT (tenant_id, fingerprint) DO UPDATE SET uses = r.uses + 1, sum_minor = r.sum_minor + excluded.sum_minor`,
    [tenantId, card.fingerprint, String(amountMinor)],
  );
  return true;
}

/** The holder of a card has authenticated: what was let off before does not count any more. */
export async function endLowValueRun(trx: Knex.Transaction, cardId: string): Promise<void> {
  const card: CardFingerprints = await trx('vault_cards')
    .where({ id: cardId })
    .first('fingerprint', 'other_fingerprints');
  await trx('low_value_runs').where(ofSameCard(card)).delete();
}
