import type { Knex } from 'knex';
import { installFunctions } from '../install-functions';

/**
 * Gives a database that is older than the folder `functions` the very text of its files. Until then, migrations held the
 * functions themselves, with the same statements but other white space and comments.
 */
export async function up(knex: Knex): Promise<void> {
  await installFunctions(knex, {
    expected_fee: 1,
    give_back_allowance: 1,
    ledger_book: 1,
    ledger_check_resolution: 1,
    ledger_lock_accounts: 1,
    ledger_move_balances: 2,
    ledger_open_balance: 1,
    limits_of: 1,
    p2p_note_move: 1,
    payment_accept: 2,
    payment_by_id: 1,
    payment_by_transaction_id: 1,
    payment_claim: 2,
    payment_move: 2,
    payment_read: 1,
    refuse_change: 1,
    refuse_removal_of_sent_payment: 1,
    sandbox_iban: 1,
    spend_allowance: 1,
    utc_today: 1,
  });
}

export async function down(): Promise<void> {
  // The functions are what the migrations before this one install.
}
