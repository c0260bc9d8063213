import { generate } from 'otplib';
import { createPaymentLink, type NewPaymentLink } from '../../../../src/commerce/payment-links/create';
import { LinkTokens } from '../../../../src/commerce/payment-links/payment-link';
import { LinkShares } from '../../../../src/commerce/payment-links/share';
import { Tickets } from '../../../../src/commerce/tickets/tickets';
import { newId } from '../../../../src/domain/ids';
import { Endpoints } from '../../../../src/edge/notifications/endpoints';
import { loadConfig } from '../../../../src/foundation/config/config';
import { openDatabase } from '../../../../src/foundation/db/database';
import { Messenger } from '../../../../src/foundation/messages/messenger';
import { DocumentKeys } from '../../../../src/foundation/vault/document-keys';
import { Vault } from '../../../../src/foundation/vault/vault';
import { BeneficiaryKeys } from '../../../../src/money/beneficiaries/beneficiary';
import { EvidenceSeal } from '../../../../src/money/disputes/evidence';
import { AliasKeys } from '../../../../src/money/p2p/alias-keys';
import { writeCatalogue } from '../../../../src/money/routing/method-catalogue';
import { SigningKeys } from '../../../../src/open-banking/keys/signing-keys';
import { ProfileSeal } from '../../../../src/people/customers/customer';
import { Identifiers } from '../../../../src/people/customers/identifiers';
import { Authenticators, OF_USERS } from '../../../../src/people/identity/authenticators';
import { CallbackSecrets } from '../../../../src/people/identity/callback-secrets';
import { Users } from '../../../../src/people/identity/users/user';
import { IntegrationParameters } from '../../../../src/people/onboarding/parameters';
import { rotateKeys } from '../../../../src/sandbox/cli/rotate-keys/rotation';
import { seedSandbox } from '../../../../src/sandbox/seed/tenants';
import { seedUsers } from '../../../../src/sandbox/seed/users';
import { createTestDatabase } from '../../../setup/environment';

const key = (byte: number) => Buffer.alloc(32, byte).toString('base64');
const OLD = `k1:${key(1)}`;
const BOTH = `k2:${key(2)},${OLD}`;
const NEW = `k2:${key(2)}`;
const RECIPIENT = { name: 'Grace', type: 'alias' as const, value: 'grace' };
const CARD = { number: '4111111111111111', holder: 'A Buyer', expiryMonth: '12', expiryYear: '2030', cvv: '123' };
const CARDS = 1_203;
const PROFILES = 501;
const PROFILE = { customerType: 'Person', customerName: 'Ada Lovelace' };

const vaultWith = (keys: string) => new Vault({ keys, hmacKey: key(9), cvvTtlMs: loadConfig({}).timers.cvvTtlMs });

test('what an earlier key sealed opens under the next one alone: cards, callback secrets, profiles', async () => {
  const own = await createTestDatabase('rotation');
  const database = openDatabase(own.logins, 4, 'test-rotation');
  try {
    await writeCatalogue(database.system);
    const seeded = await seedSandbox(database.system, new CallbackSecrets(OLD), undefined);
    const former = vaultWith(OLD);
    const ids = Array.from({ length: CARDS }, () => newId('card'));
    await database.tenant(seeded.tenantId, (trx) =>
      trx.batchInsert(
        'vault_cards',
        ids.map((id) => {
          const { fingerprint, key_id, wrapped_key, sealed } = former.seal(id, CARD);
          return { id, tenant_id: seeded.tenantId, fingerprint, key_id, wrapped_key, sealed };
        }),
      ),
    );
    const profileIds = Array.from({ length: PROFILES }, () => newId('customer'));
    await database.system.batchInsert(
      'customers',
      profileIds.map((id) => ({
        id,
        tenant_id: seeded.tenantId,
        customer_type: 'Person',
        status: 'new',
        ...new ProfileSeal(OLD).seal(id, PROFILE),
      })),
    );
    const usersWith = (keys: string) => new Users(database, keys, key(9));
    const parametersWith = (keys: string) =>
      new IntegrationParameters(database, new CallbackSecrets(keys), keys, 60_000);
    const ofUsers = (keys: string) => new Authenticators(database, keys, key(9), OF_USERS);
    const { users } = await seedUsers(usersWith(OLD), ofUsers(OLD), parametersWith(OLD), seeded);
    const reader = { tenantId: seeded.tenantId, organizationId: seeded.organizationId, actor: 'test', source: '' };
    await parametersWith(OLD).rotate(reader, 'callbackSecret', 60_000);
    await database.system.transaction(async (trx) => {
      const row = await trx('merchant_accounts').where({ organization_id: seeded.organizationId }).first();
      await parametersWith(OLD).note(trx, row, { clientSecret: 'unread' }, { shown: false });
    });
    const authenticators = (keys: string) => new Authenticators(database, keys, key(9));
    const customerId = profileIds[0]!;
    const { secret } = await database.tenant(seeded.tenantId, (trx) =>
      authenticators(OLD).enrol(trx, seeded.tenantId, customerId, 'Ada'),
    );
    const aliasesWith = (keys: string) => new AliasKeys(new Identifiers(key(9)), { vaultKeys: keys, hmacKey: key(9) });
    const aliasId = newId('alias');
    await database.tenant(seeded.tenantId, async (trx) => {
      const member = { customer_id: customerId, tenant_id: seeded.tenantId };
      const mac = aliasesWith(OLD).macOf({ type: 'handle', value: 'ada' });
      const sealed = aliasesWith(OLD).seal(aliasId, 'ada');
      await trx('p2p_members').insert(member);
      await trx('p2p_aliases').insert({ ...member, id: aliasId, type: 'handle', mac, sealed });
    });
    const beneficiariesWith = (keys: string) => new BeneficiaryKeys({ vaultKeys: keys, hmacKey: key(9) });
    const beneficiaryId = newId('beneficiary');
    await database.tenant(seeded.tenantId, (trx) =>
      trx('beneficiaries').insert({
        id: beneficiaryId,
        tenant_id: seeded.tenantId,
        customer_id: customerId,
        type: RECIPIENT.type,
        mac: beneficiariesWith(OLD).macsOf(RECIPIENT)[0],
        sealed: beneficiariesWith(OLD).seal(beneficiaryId, RECIPIENT),
      }),
    );
    const sharedLink = (shares: LinkShares) =>
      database.tenant(seeded.tenantId, async (trx) => {
        const order: NewPaymentLink = {
          id: newId('paymentLink'),
          terminalId: seeded.terminalId,
          asked: { currency: 'EUR', minMinor: 100n, maxMinor: 200n },
          title: 'A gift',
          customFields: [],
          isApprovalAskedFor: false,
          expiresAt: new Date(Date.now() + 60_000),
        };
        const by = { id: 'cli_test', source: '', requestId: 'req_test' };
        const link = await createPaymentLink(trx, seeded, new LinkTokens(key(9), 'https://pay.example'), order, by);
        const to = { id: newId('linkShare'), channel: 'email', to: 'ana@example.com' } as const;
        return { link, share: await shares.share(trx, link, 'https://pay.example', to, by) };
      });
    const sharesWith = (keys: string) => new LinkShares(new Messenger(keys), keys);
    const ticketsWith = (keys: string) => new Tickets(database, new Messenger(keys), keys);
    const { link, share } = await sharedLink(sharesWith(OLD));
    const ticket = await ticketsWith(OLD).ask(link, { id: newId('ticket'), email: 'ana@example.com', words: 'When?' });
    const { kid } = await new SigningKeys(database, OLD).current();
    const byTest = { id: 'cli_test', source: '', requestId: 'req_test' };
    const { endpoint, secret: signing } = await new Endpoints(database, new CallbackSecrets(OLD)).create(
      seeded,
      { id: newId('notificationEndpoint'), url: 'https://merchant.example/' },
      byTest,
    );
    const open = async (keys: string, id: string) => {
      const row = await database.system('vault_cards').where({ id }).first();
      return vaultWith(keys).open(id, { ...row, cvv: null });
    };
    const { cvv: _forgotten, ...lasting } = CARD;

    expect(await open(BOTH, ids[0]!)).toEqual(lasting);
    await expect(open(NEW, ids[0]!)).rejects.toThrow('no key named k1');
    const accounts = await database.system('merchant_accounts').count({ count: '*' }).first();
    expect(
      await rotateKeys(
        database,
        vaultWith(BOTH),
        new CallbackSecrets(BOTH),
        new EvidenceSeal(BOTH),
        new ProfileSeal(BOTH),
        new DocumentKeys(BOTH),
        [authenticators(BOTH), new Authenticators(database, BOTH, key(9), OF_USERS)],
        usersWith(BOTH),
        parametersWith(BOTH),
        aliasesWith(BOTH),
        beneficiariesWith(BOTH),
        sharesWith(BOTH),
        ticketsWith(BOTH),
        new SigningKeys(database, BOTH),
        { rewrap: async () => 0 },
        new Identifiers(key(9)),
      ),
    ).toEqual({
      dataKeys: 0,
      cards: CARDS,
      fingerprints: 0,
      ibans: 0,
      // One that was replaced, and one of an endpoint.
      callbackSecrets: Number(accounts!.count) + 2,
      evidence: 0,
      profiles: PROFILES,
      documents: 0,
      // One of the customer, those of the people of both tenants, and the operator's.
      authenticators: 1 + 2 * 2 + 1,
      users: 5,
      unreadSecrets: 1,
      aliases: 1,
      beneficiaries: 1,
      linkRecipients: 1,
      tickets: 1,
      signingKeys: 1,
      hashes: 0,
    });
    const customer = await database.system('customers').where({ id: profileIds[0] }).first();
    expect(new ProfileSeal(NEW).open(customer)).toEqual(PROFILE);
    const code = await generate({ secret });
    expect(await authenticators(NEW).confirm(seeded.tenantId, customerId, code)).toHaveLength(10);
    for (const id of [ids[0]!, ids[CARDS - 1]!]) expect(await open(NEW, id)).toEqual(lasting);
    const account = await database
      .system('merchant_accounts')
      .where({ organization_id: seeded.organizationId })
      .first();
    expect(new CallbackSecrets(NEW).open(account.callback_secret_sealed, account.id)).not.toBe(seeded.callbackSecret);
    const retired = await database.system('retired_secrets').first();
    expect(new CallbackSecrets(NEW).open(retired.secret_sealed, account.id)).toBe(seeded.callbackSecret);
    const { secret_sealed } = await database.system('notification_endpoints').where({ id: endpoint.id }).first();
    expect(new CallbackSecrets(NEW).open(secret_sealed, endpoint.id)).toBe(signing);
    const user = await usersWith(NEW).findByEmail(database.system, users.ops.email);
    expect(usersWith(NEW).contactOf(user!).email).toBe(users.ops.email);
    const saved = await database.system('beneficiaries').where({ id: beneficiaryId }).first();
    expect(beneficiariesWith(NEW).open(saved)).toEqual(RECIPIENT);
    const shared = await database.tenant(seeded.tenantId, (trx) =>
      sharesWith(NEW).resend(trx, link, 'https://pay.example', share.id, byTest),
    );
    expect(shared.sends).toBe(2);
    const answer = { words: 'Tomorrow.', urlOf: () => 'https://pay.example' };
    const answered = await ticketsWith(NEW).answer({ tenantId: seeded.tenantId }, ticket.id, answer, byTest);
    expect(answered.messages).toHaveLength(2);
    const signer = await new SigningKeys(database, NEW).current();
    expect([signer.kid, signer.privateKey.type]).toEqual([kid, 'private']);
    const alias = await database.system('p2p_aliases').where({ id: aliasId }).first();
    expect(aliasesWith(NEW).open(aliasId, alias.sealed)).toBe('ada');
    const { secrets } = await parametersWith(NEW).read(reader, { reveal: true });
    expect(secrets.find(({ name }) => name === 'clientSecret')).toMatchObject({ value: 'unread' });

    expect(
      await rotateKeys(
        database,
        vaultWith(BOTH),
        new CallbackSecrets(BOTH),
        new EvidenceSeal(BOTH),
        new ProfileSeal(BOTH),
        new DocumentKeys(BOTH),
        [authenticators(BOTH), new Authenticators(database, BOTH, key(9), OF_USERS)],
        usersWith(BOTH),
        parametersWith(BOTH),
        aliasesWith(BOTH),
        beneficiariesWith(BOTH),
        sharesWith(BOTH),
        ticketsWith(BOTH),
        new SigningKeys(database, BOTH),
        { rewrap: async () => 0 },
        new Identifiers(key(9)),
      ),
    ).toEqual({
      dataKeys: 0,
      cards: 0,
      fingerprints: 0,
      ibans: 0,
      callbackSecrets: 0,
      evidence: 0,
      profiles: 0,
      documents: 0,
      authenticators: 0,
      users: 0,
      unreadSecrets: 0,
      aliases: 0,
      beneficiaries: 0,
      linkRecipients: 0,
      tickets: 0,
      signingKeys: 0,
      hashes: 0,
    });
    expect(await database.system('audit_log').where({ action: 'vault.rotate_keys' })).toHaveLength(2);
  } finally {
    await database.close();
    await own.drop();
  }
});
