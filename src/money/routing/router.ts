import { LRUCache } from 'lru-cache';
import type { Connectors, PaymentKind, ProcessorId } from '../../domain/connector';
import { appendAuditLine } from '../../foundation/audit-log/audit-log';
import type { Database } from '../../foundation/db/database';
import { jsonOf } from '../../foundation/db/json';
import { chooseRoute, type RiskLevel, type RouteChoice, type RoutedPayment, type RoutingRule } from './rules';

const CACHED_MS = 5_000;

/** A rule as it lies in the database: JSON has no bigint. */
type StoredRule = Omit<RoutingRule, 'minAmountMinor' | 'maxAmountMinor'> & {
  minAmountMinor?: string;
  maxAmountMinor?: string;
};

/** A tenant's routing rules, and the choice they make for a payment. Other processes see a change within seconds. */
export class PaymentRouter {
  private readonly rules = new LRUCache<string, RoutingRule[]>({ max: 1_000, ttl: CACHED_MS });
  private readonly risks = new LRUCache<string, RiskLevel>({ max: 10_000, ttl: CACHED_MS });

  constructor(
    private readonly database: Database,
    private readonly connectors: Pick<Connectors, 'find'>,
  ) {}

  /** Chooses the processors of a payment. The risk is looked up only where a rule asks for it. */
  async choose(
    tenantId: string,
    organizationId: string,
    payment: Omit<RoutedPayment, 'risk'>,
    catalogueProcessor: ProcessorId,
  ): Promise<RouteChoice> {
    const rules = await this.knownRules(tenantId);
    const asksForRisk = rules.some((rule) => rule.risk !== undefined);
    const risk = asksForRisk ? await this.riskOf(tenantId, organizationId) : 'standard';
    return chooseRoute({ ...payment, risk }, rules, catalogueProcessor, (processor, kind) =>
      this.serves(processor, kind),
    );
  }

  /** Whether a processor has a connector that takes this kind of payment. */
  serves(processor: ProcessorId, kind: PaymentKind): boolean {
    return this.connectors.find(processor)?.capabilities.kinds.includes(kind) ?? false;
  }

  /** The tenant's rules as they stand, first to last. */
  async rulesOf(tenantId: string): Promise<RoutingRule[]> {
    const rows: { rule: StoredRule }[] = await this.database.tenant(tenantId, (trx) =>
      trx('routing_rules').orderBy('position').select('rule'),
    );
    return rows.map(({ rule }) => read(rule));
  }

  /** Puts new rules in place of all earlier ones, and writes down who did. */
  async replace(tenantId: string, rules: readonly RoutingRule[], by: string): Promise<void> {
    await this.database.tenant(tenantId, async (trx) => {
      await trx('routing_rules').delete();
      if (rules.length > 0)
        await trx('routing_rules').insert(
          rules.map((rule, position) => ({ tenant_id: tenantId, position, rule: jsonOf(rule), updated_by: by })),
        );
      await appendAuditLine(trx, {
        tenantId: tenantId,
        actor: by,
        action: 'routing.rules_replaced',
        target: tenantId,
        result: 'done',
        detail: { rules: rules.map(({ name }) => name) },
      });
    });
    this.rules.delete(tenantId);
  }

  /** Sets how risky an organization's business is, and writes down who did. False: the tenant has no such organization. */
  async setRisk(tenantId: string, organizationId: string, risk: RiskLevel, by: string): Promise<boolean> {
    const known = await this.database.system.transaction(async (trx) => {
      const changed = await trx('organizations').where({ id: organizationId, tenant_id: tenantId }).update({ risk });
      if (changed === 1)
        await appendAuditLine(trx, {
          tenantId: tenantId,
          actor: by,
          action: 'routing.risk_set',
          target: organizationId,
          result: 'done',
          detail: { risk },
        });
      return changed === 1;
    });
    this.risks.delete(organizationId);
    return known;
  }

  /** The same for payments, which do not ask the database each time. */
  private async knownRules(tenantId: string): Promise<RoutingRule[]> {
    const cached = this.rules.get(tenantId);
    if (cached) return cached;
    const rules = await this.rulesOf(tenantId);
    this.rules.set(tenantId, rules);
    return rules;
  }

  private async riskOf(tenantId: string, organizationId: string): Promise<RiskLevel> {
    const cached = this.risks.get(organizationId);
    if (cached) return cached;
    const row: { risk: RiskLevel } | undefined = await this.database.tenant(tenantId, (trx) =>
      trx('organizations').where({ id: organizationId }).first('risk'),
    );
    const risk = row?.risk ?? 'standard';
    this.risks.set(organizationId, risk);
    return risk;
  }
}

function read({ minAmountMinor, maxAmountMinor, ...rule }: StoredRule): RoutingRule {
  return {
    ...rule,
    ...(minAmountMinor === undefined ? {} : { minAmountMinor: BigInt(minAmountMinor) }),
    ...(maxAmountMinor === undefined ? {} : { maxAmountMinor: BigInt(maxAmountMinor) }),
  };
}
