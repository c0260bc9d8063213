import type { Knex } from 'knex';
import { installFunctions } from '../install-functions';

/**
 * A card is known by its fingerprint under the newest key and under each other key that is configured. An attempt counts
 * under all of them. `fingerprint_moves` is what a rotation works with: fingerprints, and what takes their place.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE vault_cards ADD COLUMN other_fingerprints bytea[] NOT NULL DEFAULT '{}';
    ALTER TABLE card_attempts DROP CONSTRAINT card_attempts_pkey;
    ALTER TABLE card_attempts ADD PRIMARY KEY (tenant_id, attempt_id, per, key);

    CREATE TABLE fingerprint_moves (
      former bytea PRIMARY KEY,
      fingerprint bytea NOT NULL,
      other_fingerprints bytea[] NOT NULL
    );
    REVOKE ALL ON fingerprint_moves FROM tillway_app, tillway_ops;
    GRANT SELECT, INSERT, UPDATE, DELETE ON fingerprint_moves TO tillway_system;
  `);
  await installFunctions(knex, { payment_accept: 6, card_attempt_admit: 2 });
}

export async function down(knex: Knex): Promise<void> {
  await installFunctions(knex, { payment_accept: 5, card_attempt_admit: 1 });
  await knex.raw(`
    DROP TABLE fingerprint_moves;
    DELETE FROM card_attempts a USING card_attempts b
    WHERE (a.tenant_id, a.attempt_id, a.per) = (b.tenant_id, b.attempt_id, b.per) AND a.key > b.key;
    ALTER TABLE card_attempts DROP CONSTRAINT card_attempts_pkey;
    ALTER TABLE card_attempts ADD PRIMARY KEY (tenant_id, attempt_id, per);
    ALTER TABLE vault_cards DROP COLUMN other_fingerprints;
  `);
}
