import { LRUCache } from 'lru-cache';
import { type Actor, noteDone } from '../../foundation/audit-log/audit-log';
import type { Database } from '../../foundation/db/database';
import { jsonOf } from '../../foundation/db/json';
import type { CardFingerprints } from '../../foundation/vault/fingerprints';
import type { RiskLevel } from '../routing/rules';
import type { LowValue } from './low-value';
import {
  type AuthenticatedPayment,
  type Authentication,
  type AuthenticationPolicy,
  authenticationBy,
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

/** What a policy makes of a payment. With `lowValue`: its exemption holds only if `useLowValue` lets the card off. */
export interface Applied extends Authentication {
  lowValue?: LowValue;
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

  /** What the tenant's policy makes of a card payment; counts nothing. Undefined: none, and the request decides. */
  async apply({ tenantId, organizationId, fingerprints, ...asked }: Asking): Promise<Applied | undefined> {
    const policy = await this.known(tenantId);
    if (!policy) return undefined;
    const risk = policy.risk && organizationId ? await this.riskOf(tenantId, organizationId) : 'standard';
    const payment = { ...asked, risk };
    const found = authenticationBy(policy, payment);
    if (found.exemption !== 'low_value') return found;
    const otherwise = withoutExemption(policy, payment);
    const card = await fingerprints();
    return card ? { ...found, lowValue: { card, otherwise: otherwise.threeDS } } : otherwise;
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
