import type { Knex } from 'knex';

/** Built beside the writers, one at a time: each act of a person writes a line, and none of them is to wait. */
export const config = { transaction: false };

/**
 * The audit log is read newest first: all of it, of a tenant, of an actor, about a target, or one action. Each index ends
 * with time and id, so that a page is read from its place on, however deep. An actor or a target is of few lines, whatever
 * the tenant. The index of an action has the tenant second: operators ask for an action across tenants.
 */
const INDEXES = {
  audit_log_by_time: 'audit_log (at, id)',
  audit_log_by_tenant_time: 'audit_log (tenant_id, at, id)',
  audit_log_by_actor: 'audit_log (actor, at, id)',
  audit_log_by_target: 'audit_log (target, at, id) WHERE target IS NOT NULL',
  audit_log_by_action: 'audit_log (action, tenant_id, at, id)',
};

export async function up(knex: Knex): Promise<void> {
  for (const [name, on] of Object.entries(INDEXES)) await build(knex, name, on);
  // The one by time takes its place.
  await knex.raw('DROP INDEX CONCURRENTLY IF EXISTS audit_log_by_tenant');
}

export async function down(knex: Knex): Promise<void> {
  await build(knex, 'audit_log_by_tenant', 'audit_log (tenant_id, id DESC)');
  for (const name of Object.keys(INDEXES)) await knex.raw(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`);
}

async function build(knex: Knex, name: string, on: string): Promise<void> {
  // Half an index is left where building one was broken off.
  await knex.raw(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`);
  await knex.raw(`CREATE INDEX CONCURRENTLY ${name} ON ${on}`);
}
