import { randomBytes } from 'node:crypto';
import { newId } from '../../../../src/domain/ids';
import { type Database, openDatabase } from '../../../../src/foundation/db/database';
import { Vault } from '../../../../src/foundation/vault/vault';
import { BeneficiaryKeys } from '../../../../src/money/beneficiaries/beneficiary';
import { walletOf } from '../../../../src/money/ledger/accounts';
import type { LedgerCause } from '../../../../src/money/ledger/causes';
import { type AccountRef, Ledger, type Movement } from '../../../../src/money/ledger/ledger';
import type { Access } from '../../../../src/open-banking/account-information/access';
import { openAccountInformation } from '../../../../src/open-banking/account-information/service';
import { ProfileSeal } from '../../../../src/people/customers/customer';
import { testLogins } from '../../../setup/environment';

const KEYS = `k1:${randomBytes(32).toString('base64')}`;
const HMAC_KEY = randomBytes(32).toString('base64');

/** All that an account consent may permit. */
export const EVERYTHING = [
  'ReadAccountsDetail',
  'ReadBalances',
  'ReadBeneficiariesDetail',
  'ReadDirectDebits',
  'ReadStandingOrdersDetail',
  'ReadTransactionsDetail',
  'ReadTransactionsCredits',
  'ReadTransactionsDebits',
  'ReadParty',
  'ReadPartyPSU',
  'ReadStatementsDetail',
];

export const processor: AccountRef = { kind: 'provider_receivable', owner: 'a' };

/** A tenant, and its bank as third parties see it. */
export class Bank {
  readonly database: Database = openDatabase(testLogins(), 12, 'test-account-information', 30_000);
  readonly ledger = new Ledger();
  readonly vault = new Vault({ keys: KEYS, hmacKey: HMAC_KEY, cvvTtlMs: 1_000 });
  readonly beneficiaryKeys = new BeneficiaryKeys({ vaultKeys: KEYS, hmacKey: HMAC_KEY });
  readonly service = openAccountInformation(this, { vaultKeys: KEYS, hmacKey: HMAC_KEY });

  private constructor(readonly tenantId: string) {}

  static async open(): Promise<Bank> {
    const bank = new Bank(newId('tenant'));
    await bank.database.system('tenants').insert({ id: bank.tenantId, name: 'A bank' });
    return bank;
  }

  async customer(customerName = 'Ann Example', changes: object = {}, person?: object): Promise<string> {
    const id = newId('customer');
    await this.database.system('customers').insert({
      id,
      tenant_id: this.tenantId,
      customer_type: 'Person',
      status: 'verified',
      ...new ProfileSeal(KEYS).seal(id, { customerName, ...(person && { person }) }),
      ...changes,
    });
    return id;
  }

  book(movements: Movement[], currency = 'EUR'): Promise<unknown> {
    return this.database.tenant(this.tenantId, (trx) => this.ledger.book(trx, this.tenantId, currency, movements));
  }

  /** A movement that is booked at once. */
  moved(debit: AccountRef, credit: AccountRef, amountMinor: bigint, cause?: string): Movement {
    const because = (cause ?? `${newId('transfer')}/settle`) as LedgerCause;
    return { phase: 'posted', debit, credit, amountMinor, cause: because };
  }

  /** A customer whose wallet in euros has this much, in cents. */
  async saver(amountMinor: bigint, customerName?: string): Promise<string> {
    const id = await this.customer(customerName);
    await this.book([this.moved(processor, walletOf(id), amountMinor, `${newId('payment')}/capture`)]);
    return id;
  }

  async accountOf(customerId: string, currency = 'EUR'): Promise<Access['accounts'][number]> {
    const { id, iban } = await this.database
      .system('ledger_accounts')
      .where({ tenant_id: this.tenantId, owner: customerId, kind: 'customer_wallet', currency })
      .first();
    return { account_id: id, iban, currency };
  }

  /** A consent that the customer has authorised, and what a call with the customer present may see under it. */
  async access(customerId: string, changes: Partial<Access> = {}): Promise<Access> {
    const accounts = changes.accounts ?? [await this.accountOf(customerId)];
    const permissions = changes.permissions ?? EVERYTHING;
    const consentId = `con_${newId('transfer').slice(4)}`;
    await this.database.tenant(this.tenantId, async (trx) => {
      await trx('consents').insert({
        id: consentId,
        tenant_id: this.tenantId,
        tpp_id: 'tpp_reader',
        kind: 'account',
        status: 'Authorised',
        status_detail: 'Authorised.',
        customer_id: customerId,
        permissions,
        record: '{}',
        sharing_from: changes.sharingFrom ?? new Date(0),
        sharing_to: changes.sharingTo ?? new Date('2090-01-01'),
        expires_at: new Date('2090-01-01'),
        awaits_until: new Date('2090-01-01'),
        authorised_at: new Date(),
        authenticated_at: new Date(),
        grant_id: `grant-${consentId}`,
      });
    });
    return {
      consentId,
      tenantId: this.tenantId,
      customerId,
      permissions,
      accounts,
      sharingFrom: null,
      sharingTo: null,
      customerPresent: true,
      ...changes,
    };
  }
}
