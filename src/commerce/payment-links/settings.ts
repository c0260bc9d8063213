import type { Knex } from 'knex';
import { type Actor, noteDone } from '../../foundation/audit-log/audit-log';
import type { Database } from '../../foundation/db/database';

const DAY = 86_400_000;

/** How a tenant approves payment links. */
export interface LinkSettings {
  /** Every link waits for an approval; else only those that ask for it, and those above the limit for two people. */
  approvalRequired: boolean;
  /** From this amount on two people approve: minor units by currency. */
  fourEyes: Record<string, bigint>;
  /** How long a request for approval waits, in milliseconds. */
  requestTtlMs: number;
  /** After how long the admins are reminded of it, in milliseconds. */
  remindAfterMs: number;
}

const DEFAULT: LinkSettings = {
  approvalRequired: false,
  fourEyes: {},
  requestTtlMs: 7 * DAY,
  remindAfterMs: DAY,
};

interface SettingsRow {
  approval_required: boolean;
  four_eyes: Record<string, string>;
  request_ttl_ms: bigint;
  remind_after_ms: bigint;
}

export async function readLinkSettings(trx: Knex.Transaction, tenantId: string): Promise<LinkSettings> {
  const row: SettingsRow | undefined = await trx('payment_link_settings').where({ tenant_id: tenantId }).first();
  if (!row) return DEFAULT;
  return {
    approvalRequired: row.approval_required,
    fourEyes: Object.fromEntries(Object.entries(row.four_eyes).map(([code, minor]) => [code, BigInt(minor)])),
    requestTtlMs: Number(row.request_ttl_ms),
    remindAfterMs: Number(row.remind_after_ms),
  };
}

/** Replaces the settings of a tenant. They hold for links that are created from now on. */
export function writeLinkSettings(
  database: Database,
  tenantId: string,
  settings: LinkSettings,
  by: Actor,
): Promise<LinkSettings> {
  return database.tenant(tenantId, async (trx) => {
    const fourEyes = Object.fromEntries(Object.entries(settings.fourEyes).map(([code, minor]) => [code, `${minor}`]));
    const row = {
      approval_required: settings.approvalRequired,
      four_eyes: JSON.stringify(fourEyes),
      request_ttl_ms: settings.requestTtlMs,
      remind_after_ms: settings.remindAfterMs,
      updated_by: by.id,
      updated_at: trx.raw('clock_timestamp()'),
    };
    await trx('payment_link_settings')
      .insert({ tenant_id: tenantId, ...row })
      .onConflict('tenant_id')
      .merge();
    await noteDone(trx, tenantId, by, 'payment_link_settings.set', tenantId, { ...row, updated_at: undefined });
    return settings;
  });
}

/** How many people have to approve a link of at most so many minor units. */
export function approvalsNeeded(
  settings: LinkSettings,
  link: { currency: string; mostMinor: bigint; isAskedFor: boolean },
): 0 | 1 | 2 {
  const limit = settings.fourEyes[link.currency];
  if (limit !== undefined && link.mostMinor >= limit) return 2;
  return settings.approvalRequired || link.isAskedFor ? 1 : 0;
}
