import type { Knex } from 'knex';
import { installFunctions } from '../install-functions';
import { makeAppendOnly } from '../tenant-policy';

/**
 * Chains the audit log by hash. Each new line waits in `audit_unsealed`, which only the trigger fills, until a seal takes it
 * in. The queue makes no line wait for another, and no line can be missed: ids of lines do not become visible in their order.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE audit_unsealed (line_id bigint PRIMARY KEY);
    CREATE TABLE audit_seals (
      seal bigint PRIMARY KEY CHECK (seal > 0),
      previous bytea NOT NULL CHECK (octet_length(previous) = 32),
      hash bytea NOT NULL CHECK (octet_length(hash) = 32),
      line_ids bigint[] NOT NULL CHECK (cardinality(line_ids) > 0),
      sealed_at timestamptz(3) NOT NULL DEFAULT clock_timestamp()
    );
    -- What another machine has a copy of.
    CREATE TABLE audit_exports (
      through_seal bigint PRIMARY KEY REFERENCES audit_seals (seal),
      object text NOT NULL,
      exported_at timestamptz(3) NOT NULL DEFAULT clock_timestamp()
    );
    GRANT SELECT, DELETE ON audit_unsealed TO tillway_system;
    GRANT SELECT, INSERT ON audit_seals, audit_exports TO tillway_system;
    GRANT SELECT ON audit_unsealed, audit_seals, audit_exports TO tillway_ops;
  `);
  await makeAppendOnly(knex, 'audit_seals');
  await makeAppendOnly(knex, 'audit_exports');
  await installFunctions(knex, { audit_queue_line: 1, audit_line_text: 1, audit_seal_hash: 1, audit_seal: 1 });
  await knex.raw(`
    CREATE TRIGGER audit_log_wait_for_seal AFTER INSERT ON audit_log
      FOR EACH ROW EXECUTE FUNCTION audit_queue_line();
    INSERT INTO audit_unsealed (line_id) SELECT id FROM audit_log;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP TRIGGER audit_log_wait_for_seal ON audit_log;
    DROP FUNCTION audit_seal(integer);
    DROP FUNCTION audit_seal_hash(bytea, bigint[]);
    DROP FUNCTION audit_line_text(audit_log);
    DROP FUNCTION audit_queue_line();
    DROP TABLE audit_exports, audit_seals, audit_unsealed;
  `);
}
