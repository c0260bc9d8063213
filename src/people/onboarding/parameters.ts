import type { Knex } from 'knex';
import { notFound } from '../../domain/errors';
import type { Keys } from '../../foundation/config/key-source';
import type { Database } from '../../foundation/db/database';
import { Keyring } from '../../foundation/vault/keyring';
import { reseal } from '../../foundation/vault/reseal';
import type { CallbackSecrets } from '../identity/callback-secrets';
import { endOverlap, rotateSecret } from '../identity/clients';
import { noteMerchant } from './audit';

/** The secrets among a merchant's integration parameters. */
export const SECRET_NAMES = ['clientSecret', 'terminalPassword', 'callbackSecret'] as const;
export type SecretName = (typeof SECRET_NAMES)[number];

/** What is shown of a secret. */
export interface ShownSecret {
  name: SecretName;
  /** Only to its first reader, or in the answer of a rotation. */
  value?: string;
  lastFour: string;
  /** When it was made. */
  since: Date;
  shownAt?: Date;
  /** Not shown to anybody yet, and can be until then. */
  unreadUntil?: Date;
  /** Until when those that it replaced are good as well. */
  previousUntil?: Date;
}

export interface Parameters {
  clientId: string;
  terminalId: string;
  secrets: ShownSecret[];
}

/** One row of `integration_parameters`. */
interface ParameterRow {
  merchant_account_id: string;
  name: SecretName;
  last_four: string;
  since: Date;
  unread_sealed: Buffer | null;
  unread_until: Date | null;
  shown_at: Date | null;
}

interface Account {
  id: string;
  tenant_id: string;
  organization_id: string;
  terminal_id: string;
  client_id: string;
}

/** The merchant whose parameters are read, and who asks for them. */
export interface Reader {
  tenantId: string;
  organizationId: string;
  /** User or client. */
  actor: string;
  source: string;
}

/** Client id, terminal id and their secrets: each shown once, each replaced with an overlap. Runs as the system role. */
export class IntegrationParameters {
  private readonly keys: Keyring;

  /** `vaultKeys`: VAULT_KEYS; `unreadTtlMs`: how long a secret waits for its reader. */
  constructor(
    private readonly database: Database,
    private readonly callbackSecrets: CallbackSecrets,
    vaultKeys: Keys,
    private readonly unreadTtlMs: number,
  ) {
    this.keys = new Keyring(vaultKeys, 'integration-parameter');
  }

  /** Notes secrets that were just made, to be shown to their first reader; `shown`: somebody has them already. */
  async note(
    system: Knex.Transaction,
    account: Pick<Account, 'id' | 'tenant_id' | 'organization_id'>,
    secrets: Partial<Record<SecretName, string>>,
    { shown }: { shown: boolean },
  ): Promise<void> {
    const unreadUntil = shown ? null : new Date(Date.now() + this.unreadTtlMs);
    const rows = Object.entries(secrets).map(([name, secret]) => ({
      merchant_account_id: account.id,
      name,
      tenant_id: account.tenant_id,
      organization_id: account.organization_id,
      last_four: secret.slice(-4),
      since: system.raw('clock_timestamp()'),
      unread_sealed: shown ? null : this.keys.seal(Buffer.from(secret), contextOf(account.id, name)),
      unread_until: unreadUntil,
      shown_at: shown ? system.raw('clock_timestamp()') : null,
    }));
    await system('integration_parameters').insert(rows).onConflict(['merchant_account_id', 'name']).merge();
  }

  /** The parameters of an organization's oldest merchant account. `reveal`: values nobody has read yet are read now. */
  async read(reader: Reader, { reveal }: { reveal: boolean }): Promise<Parameters> {
    return this.database.system.transaction(async (trx) => {
      const account = await accountOf(trx, reader);
      const rows: ParameterRow[] = await trx('integration_parameters')
        .where({ merchant_account_id: account.id })
        .orderBy('name')
        .forUpdate();
      const secrets: ShownSecret[] = [];
      for (const row of rows) {
        const isUnread = row.unread_until !== null && row.unread_until.getTime() > Date.now();
        const value = reveal && isUnread ? await this.reveal(trx, row, reader) : undefined;
        secrets.push(
          shownOf(
            value === undefined ? row : { ...row, ...value.row },
            await overlapOf(trx, account, row.name),
            value?.secret,
          ),
        );
      }
      return { clientId: account.client_id, terminalId: account.terminal_id, secrets };
    });
  }

  /** Replaces a secret; the old one is good for `overlapMs` more. The value is in the answer and nowhere else. */
  async rotate(reader: Reader, name: SecretName, overlapMs: number): Promise<ShownSecret> {
    return this.database.system.transaction(async (trx) => {
      const account = await accountOf(trx, reader);
      const secret =
        name === 'callbackSecret'
          ? await this.callbackSecrets.rotate(trx, account.id, overlapMs)
          : await rotateSecret(trx, ownerOf(account, name), { overlapMs });
      await this.note(trx, account, { [name]: secret }, { shown: true });
      const row = await trx('integration_parameters').where({ merchant_account_id: account.id, name }).first();
      await noteMerchant(trx, reader, 'parameter.rotate', { name, overlapSeconds: overlapMs / 1000 });
      return shownOf(row, await overlapOf(trx, account, name), secret);
    });
  }

  /** Ends the overlap: only the current value is good. Throws `not_found` where no other is. */
  async endOverlap(reader: Reader, name: SecretName): Promise<void> {
    await this.database.system.transaction(async (trx) => {
      const account = await accountOf(trx, reader);
      if ((await endOverlap(trx, ownerOf(account, name))) === 0) throw notFound('earlier value');
      await noteMerchant(trx, reader, 'parameter.end_overlap', { name });
    });
  }

  /** Erases values that nobody has read in time. */
  async sweep(): Promise<void> {
    await this.database
      .system('integration_parameters')
      .where('unread_until', '<', this.database.system.fn.now())
      .update({ unread_sealed: null, unread_until: null });
  }

  /** Seals up to `limit` unread values anew under the current key; answers how many. Runs as the system role. */
  reseal(system: Knex, limit?: number): Promise<number> {
    const unread = {
      table: 'integration_parameters',
      column: 'unread_sealed',
      key: ['merchant_account_id', 'name'],
      contextOf: ({ merchant_account_id, name }: Record<string, string>) => contextOf(merchant_account_id!, name!),
    };
    return reseal(system, this.keys, unread, limit);
  }

  private async reveal(trx: Knex.Transaction, row: ParameterRow, reader: Reader) {
    const { merchant_account_id, name } = row;
    const secret = this.keys.open(row.unread_sealed!, contextOf(merchant_account_id, name)).toString();
    const [shown]: ParameterRow[] = await trx('integration_parameters')
      .where({ merchant_account_id, name })
      .update({ unread_sealed: null, unread_until: null, shown_at: trx.raw('clock_timestamp()') })
      .returning('*');
    await noteMerchant(trx, reader, 'parameter.reveal', { name });
    return { secret, row: shown! };
  }
}

function shownOf(row: ParameterRow, previousUntil: Date | undefined, value?: string): ShownSecret {
  return {
    name: row.name,
    ...(value !== undefined && { value }),
    lastFour: row.last_four,
    since: row.since,
    ...(row.shown_at && { shownAt: row.shown_at }),
    ...(row.unread_until && { unreadUntil: row.unread_until }),
    ...(previousUntil && { previousUntil }),
  };
}

function contextOf(accountId: string, name: string): string {
  return `${accountId}/${name}`;
}

/** The owner of a secret, as `retired_secrets` names it. */
function ownerOf(account: Account, name: SecretName): string {
  if (name === 'clientSecret') return account.client_id;
  return name === 'terminalPassword' ? account.terminal_id : account.id;
}

async function overlapOf(trx: Knex.Transaction, account: Account, name: SecretName): Promise<Date | undefined> {
  const row = await trx('retired_secrets')
    .where({ owner_id: ownerOf(account, name) })
    .where('valid_until', '>', trx.raw('clock_timestamp()'))
    .max({ until: 'valid_until' })
    .first();
  return row?.until ?? undefined;
}

/** The oldest merchant account of an organization and its oldest client. */
async function accountOf(trx: Knex.Transaction, { tenantId, organizationId }: Reader): Promise<Account> {
  const account = await trx('merchant_accounts')
    .where({ tenant_id: tenantId, organization_id: organizationId })
    .orderBy(['created_at', 'id'])
    .first();
  const client = await trx('clients')
    .where({ tenant_id: tenantId, organization_id: organizationId, role: 'merchant' })
    .whereNull('terminal_id')
    .whereNull('disabled_at')
    .orderBy(['created_at', 'id'])
    .first('id');
  if (!account || !client) throw notFound('merchant');
  return { ...account, client_id: client.id };
}
