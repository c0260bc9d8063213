import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Knex } from 'knex';
import { sqlOf } from '../../../../src/foundation/db/install-functions';
import { openAdmin } from '../../../../src/foundation/db/migrate';
import { createTestDatabase } from '../../../setup/environment';

const HOUSE = join(__dirname, '../../../../src/foundation/db');

/**
 * Every version that a migration has installed somewhere, with the digest of its text from the first statement on. A line
 * here never changes once it is released: databases that have the version do not install it again.
 */
const VERSIONS: Record<string, string> = {
  'audit_line_text 1': 'b5f7a575d5667df7',
  'audit_queue_line 1': 'ede7015135da8561',
  'audit_seal 1': 'f73b0318ccb54bcf',
  'audit_seal_hash 1': 'b31e562891f45c6c',
  'callback_end 1': 'd2f4dbd251a1f90d',
  'callback_read 1': '8dd4cd97796a9a27',
  'card_attempt_admit 1': '269f0ed3f60d8dbb',
  'card_attempt_admit 2': '6062dee54c08b545',
  'consent_end_grant 1': '11400beeaded85f1',
  'customer_look_at_consents 1': 'b1b7dc8fd6f62a9a',
  'expected_fee 1': '36fa19fba5bd8a22',
  'give_back_allowance 1': 'a1d74b8aaf22a492',
  'id_made_at 1': '4ea3d7b46af738ed',
  'ledger_book 1': 'aee2d07fa1cce455',
  'ledger_book 2': '69990dbc4b0514e4',
  'ledger_check_resolution 1': '872a2b15d51fb10f',
  'ledger_lock_accounts 1': '81ead3e3ce7ebf80',
  'ledger_move_balances 1': '848bd63544d51ba4',
  'ledger_move_balances 2': '4720ebede6309856',
  'ledger_open_balance 1': 'e9bf5cd0ad3a17dc',
  'ledger_sum_up 1': '343b1287aab58662',
  'ledger_trial_balance 1': '9f73525d096b9595',
  'limits_of 1': '3ae1b18cc29fcb43',
  'message_note_share 1': '17c56192f6eb540d',
  'notification_enqueue 1': '01b1aa394897e39a',
  'p2p_note_move 1': '3e7d8c313d9de2ed',
  'payment_accept 1': '2349dceaf90cf328',
  'payment_accept 2': 'ee2e0da63255e238',
  'payment_accept 3': 'f33c01d01abdaf47',
  'payment_accept 4': '2c88524c1c843524',
  'payment_accept 5': 'e70dd9235d23f865',
  'payment_accept 6': 'f37769b27ae16f26',
  'payment_accept 7': 'b410be0a88b4cbc4',
  'payment_accept_2 1': 'c7de2d8026ddc61c',
  'payment_accept_2 2': '8f5ca17157ec4fc1',
  'payment_by_id 1': 'a3081c81c7ee74da',
  'payment_by_transaction_id 1': '13056a1641b6a55a',
  'payment_claim 1': 'aa856cce83371eff',
  'payment_claim 2': '58195bbe04523806',
  'payment_claim 3': '6a93358beb4ee811',
  'payment_claim_2 1': 'fdd85161f9738e98',
  'payment_count_up 1': 'c8ca01528c612524',
  'payment_look_at_link 1': '610edf8b0d9c1a19',
  'payment_look_at_order 1': '4d5537fab6341f10',
  'payment_move 1': 'd9ece3e00baeb249',
  'payment_move 2': 'e35862a6db20ccac',
  'payment_move 3': '7e56b061745489fc',
  'payment_move 4': '5f09b7d9fe796765',
  'payment_move 5': '9bb072447d3e7ea9',
  'payment_move 6': 'aee5d79312714081',
  'payment_move 7': '1782f65a49f6feda',
  'payment_move 8': 'ea4774be2d511463',
  'payment_read 1': '05207efd2831112a',
  'payment_read_2 1': 'f5ad8033a8dfab46',
  'payment_stand 1': 'f8935f0c7fd0fcf4',
  'payment_statistics 1': 'a173d04254d3c2ef',
  'refuse_change 1': 'd3921e1239a0f486',
  'refuse_removal_of_sent_attempt 1': '0f321ee6fbc7ae20',
  'refuse_removal_of_sent_payment 1': 'c223b1b7209ddd8e',
  'sandbox_iban 1': 'd1889b6309329101',
  'source_network 1': 'c4bc720810986ca2',
  'spend_allowance 1': '9233b525fd039227',
  'spend_allowance 2': '044ffe3540e828cc',
  'utc_today 1': 'a05d1ded50fde454',
  'vault_card_awaited 1': 'd7cc502266409576',
  'vault_card_kept 1': '9f02b255e2aeebb4',
  'vault_forget_card 1': '0d1ecd51398da16a',
  'vault_let_card_go 1': 'fe950dd72fe6d01d',
};

const isSql = (file: string) => file.endsWith('.sql');
const currentNames = readdirSync(join(HOUSE, 'functions'))
  .filter(isSql)
  .map((file) => file.replace('.sql', ''))
  .sort();
const pastFiles = readdirSync(join(HOUSE, 'functions/past')).filter(isSql);

function currentVersion(name: string): number {
  const [title] = readFileSync(join(HOUSE, `functions/${name}.sql`), 'utf8').split('\n');
  const [, version] = /^-- \w+, version (\d+)$/.exec(title!) ?? [];
  return Number(version);
}

interface DatabaseFunction {
  name: string;
  signature: string;
  definition: string;
  owner: string;
  grants: string | null;
}

/** Every function of the schema, with all that decides what it does and who may call it. */
async function functionsIn(connection: Knex): Promise<DatabaseFunction[]> {
  const { rows } = await connection.raw(`
    SELECT proname AS name, oid::regprocedure::text AS signature, pg_get_functiondef(oid) AS definition,
      proowner::regrole::text AS owner, proacl::text AS grants
    FROM pg_proc WHERE pronamespace = 'public'::regnamespace ORDER BY proname, 2`);
  return rows;
}

describe('the functions of the database', () => {
  let admin: Knex;
  let database: { adminUrl: string; drop(): Promise<void> };
  beforeAll(async () => {
    database = await createTestDatabase('functions');
    admin = openAdmin(database.adminUrl);
  });
  afterAll(async () => {
    await admin.destroy();
    await database.drop();
  });

  test('are those that have a file, one of each name', async () => {
    const names = (await functionsIn(admin)).map(({ name }) => name);
    expect(names).toEqual(currentNames);
  });

  test.each(currentNames)('%s is exactly what its file says', async (name) => {
    const scratch = await admin.transaction();
    try {
      const [before, ...others] = (await functionsIn(scratch)).filter((one) => one.name === name);
      expect(others).toEqual([]);
      // With the function go its grants, so that only those of the file come back.
      await scratch.raw(`DROP FUNCTION ${before!.signature} CASCADE`);
      const rest = await functionsIn(scratch);
      await scratch.raw(sqlOf(name, currentVersion(name)).replaceAll('?', '\\?'));
      const after = await functionsIn(scratch);
      const known = new Set(rest.map(({ signature }) => signature));
      expect(after.filter(({ signature }) => !known.has(signature))).toEqual([before]);
    } finally {
      await scratch.rollback();
    }
  });
});

describe('the files of functions', () => {
  const versions = [
    ...currentNames.map((name) => [name, currentVersion(name)] as const),
    ...pastFiles.map((file) => {
      const [name, version] = file.split('.');
      return [name!, Number(version)] as const;
    }),
  ];

  test('keep every version as it was released', () => {
    const digests = versions.map(([name, version]) => {
      const text = sqlOf(name, version);
      const statements = text.slice(text.search(/^[^-]/m));
      return [`${name} ${version}`, createHash('sha256').update(statements).digest('hex').slice(0, 16)];
    });
    expect(Object.fromEntries(digests)).toEqual(VERSIONS);
  });

  test('are the only place where functions are defined', () => {
    const folder = join(HOUSE, 'migrations');
    const guilty = readdirSync(folder).filter((file) =>
      /CREATE\s+(OR\s+REPLACE\s+)?(FUNCTION|PROCEDURE)/i.test(readFileSync(join(folder, file), 'utf8')),
    );
    expect(guilty).toEqual([]);
  });
});
