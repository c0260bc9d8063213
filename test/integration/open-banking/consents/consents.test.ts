import { obieAnswerOf } from '../../../../src/api/server/entrance/obie-error';
import type { DomainError } from '../../../../src/domain/errors';
import { newId } from '../../../../src/domain/ids';
import { Messenger } from '../../../../src/foundation/messages/messenger';
import { consumeConsent } from '../../../../src/open-banking/consents/service';
import { KEYS } from '../../people/customers/place';
import { AGENT, ConsentPlace, DAY, HOUR } from './consents-place';

let place: ConsentPlace;
beforeAll(async () => {
  place = await ConsentPlace.open('consents');
  await place.registerTpp('tpp_other', [place.place.tenantId]);
});
afterAll(() => place?.close());

const ahead = (ms: number) => new Date(Date.now() + ms);
const usable = (id: string, at = new Date()) => place.consents.usable(AGENT.id, id, at);

describe('a new consent', () => {
  test('waits for its customer, also while the engine is away, and is found by its third party alone', async () => {
    const customer = await place.customer();
    const order = place.order(customer.id);
    const consent = await place.consents.create(order, AGENT);
    expect(consent).toMatchObject({ status: 'AwaitingAuthorisation', customer_id: customer.id, grant_id: null });
    expect(await place.consents.create(order, AGENT)).toEqual(consent);
    expect(await place.causes(consent.id)).toEqual(['created']);
    expect(await place.audited(consent.id)).toEqual(['consent.create']);
    await expect(place.consents.forTpp('tpp_other', consent.id)).rejects.toMatchObject({ code: 'not_found' });
    expect(await place.consents.forAuthorisation(AGENT.id, consent.id)).toMatchObject({ tppName: 'App tpp_agent' });
    await expect(usable(consent.id)).rejects.toMatchObject({ code: 'consent_not_usable' });
  });

  test('expires when nobody authorises it, and nobody can from then on', async () => {
    const customer = await place.customer();
    const consent = await place.create(customer.id);
    const view = await place.look(consent.id);
    expect(view).toMatchObject({ status: 'AwaitingAuthorisation', ended: false });
    expect(view.untilMs).toBe(consent.awaits_until.getTime());
    expect((await place.stored(consent.id)).look_at).toEqual(consent.awaits_until);
    await expect(place.consents.forAuthorisation(AGENT.id, consent.id, consent.awaits_until)).rejects.toMatchObject({
      code: 'invalid_state',
    });
    expect(await place.look(consent.id, consent.awaits_until)).toMatchObject({ status: 'Expired', ended: true });
    expect((await place.stored(consent.id)).look_at).toBeNull();
    await expect(place.authorise(consent.id, customer)).rejects.toMatchObject({ code: 'invalid_state' });
  });

  test('waits no longer than it would last', async () => {
    const customer = await place.customer();
    const soon = ahead(HOUR);
    const dates = { sharingFrom: soon, sharingTo: soon, expiresAt: soon };
    expect(await place.create(customer.id, dates)).toMatchObject({ awaits_until: soon });
  });
});

describe('authorising', () => {
  test('keeps the accounts that the customer chose, and makes the consent usable', async () => {
    const customer = await place.customer(['EUR', 'USD', 'GBP']);
    const { id } = await place.create(customer.id);
    const [first, , third] = customer.accounts;
    const consent = await place.authorise(id, customer, { accountIds: [`${first!.id}`, `${third!.id}`] });
    expect(consent).toMatchObject({ status: 'Authorised', failed_at: null });
    expect(consent.authenticated_at).toEqual(consent.authorised_at);
    const { accounts } = await usable(id);
    expect(accounts.map(({ account_id, iban, currency }) => ({ id: account_id, iban, currency }))).toEqual([
      first,
      third,
    ]);
    const become = (status: string) =>
      place.place.database.system('tenants').where({ id: place.place.tenantId }).update({ status });
    await become('suspended');
    await expect(usable(id)).rejects.toMatchObject({ code: 'tenant_suspended' });
    await become('active');
    expect(await usable(id)).toMatchObject({ status: 'Authorised' });
    expect(await place.causes(id)).toEqual(['created', 'authorised']);
    expect(await place.audited(id)).toEqual(['consent.create', 'consent.authorise']);
  });

  test('again replaces accounts and grant: the tokens of the old grant go', async () => {
    const customer = await place.customer(['EUR', 'USD']);
    const { id } = await place.create(customer.id);
    const [before, next] = [await place.grant(), await place.grant()];
    await place.authorise(id, customer, { grantId: before });
    await place.authorise(id, customer, { grantId: next, accountIds: [customer.accountIds[1]!] });
    expect([await place.tokensOf(before), await place.tokensOf(next)]).toEqual([0, 3]);
    expect((await usable(id)).accounts.map(({ currency }) => currency)).toEqual(['USD']);
    expect(await place.causes(id)).toEqual(['created', 'authorised', 'reauthorised']);
    // The same again, as after a crash between the page and the authorization server.
    await place.authorise(id, customer, { grantId: next, accountIds: [customer.accountIds[1]!] });
    expect(await place.tokensOf(next)).toBe(3);
  });

  test.each([
    ['somebody else', 'not_found', async () => ({ customer: await place.customer() })],
    ['nobody’s account', 'invalid_request', async () => ({ accountIds: ['999999999'] })],
    ['what is no account', 'invalid_request', async () => ({ accountIds: ['1; DROP TABLE consents'] })],
    ['no account', 'invalid_request', async () => ({ accountIds: [] })],
    ['another’s account', 'invalid_request', async () => ({ accountIds: (await place.customer()).accountIds })],
  ])('refuses %s', async (_, code, what) => {
    const customer = await place.customer();
    const { id } = await place.create(customer.id);
    const { customer: who = customer, ...changed } = (await what()) as {
      customer?: typeof customer;
      accountIds?: string[];
    };
    await expect(place.authorise(id, who, changed)).rejects.toMatchObject({ code });
    expect(await place.stored(id)).toMatchObject({ status: 'AwaitingAuthorisation' });
    expect(await place.causes(id)).toEqual(['created']);
  });

  test('refuses a customer who is blocked', async () => {
    const customer = await place.customer(['EUR'], 'on_hold');
    const { id } = await place.create(customer.id);
    await expect(place.authorise(id, customer)).rejects.toMatchObject({ code: 'customer_blocked' });
  });

  test('a payment asks for a confirmation of amount and payee, one account, and the one that is named', async () => {
    const customer = await place.customer(['EUR', 'USD']);
    const [eur, usd] = customer.accounts;
    const Initiation = { DebtorAccount: { SchemeName: 'UK.OBIE.IBAN', Identification: usd!.iban } };
    const { id } = await place.createPayment({ Data: { Initiation }, Risk: {} });
    const stepUpId = newId('stepUp');
    const pay = (accounts: bigint[], step?: string) =>
      place.authorise(id, customer, { accountIds: accounts.map(String), ...(step && { stepUpId: step }) });
    await expect(pay([usd!.id])).rejects.toMatchObject({ code: 'step_up_refused' });
    await expect(pay([eur!.id, usd!.id], stepUpId)).rejects.toMatchObject({ code: 'invalid_request' });
    await expect(pay([eur!.id], stepUpId)).rejects.toMatchObject({ code: 'invalid_request' });
    expect(await pay([usd!.id], stepUpId)).toMatchObject({ customer_id: customer.id, step_up_id: stepUpId });
  });

  test('a payment is made from an account in its currency', async () => {
    const customer = await place.customer(['EUR', 'USD']);
    const [eur, usd] = customer.accounts;
    const Initiation = { InstructedAmount: { Amount: '10.00', Currency: 'EUR' } };
    const { id } = await place.createPayment({ Data: { Initiation }, Risk: {} });
    const stepUpId = newId('stepUp');
    const from = (account: bigint) => place.authorise(id, customer, { accountIds: [`${account}`], stepUpId });
    await expect(from(usd!.id)).rejects.toMatchObject({ code: 'invalid_request' });
    expect(await from(eur!.id)).toMatchObject({ status: 'Authorised' });
  });

  test('of six at once with a refusal among them, one outcome is left', async () => {
    const customer = await place.customer();
    const { id } = await place.create(customer.id);
    const results = await Promise.allSettled([
      ...Array.from({ length: 3 }, () => place.authorise(id, customer)),
      ...Array.from({ length: 3 }, () => place.consents.delete(AGENT.id, id, AGENT)),
    ]);
    const { status } = await place.stored(id);
    expect(['Rejected', 'Revoked']).toContain(status);
    const deleted = results.slice(3).filter((result) => result.status === 'fulfilled');
    expect(deleted).toHaveLength(1);
    const causes = await place.causes(id);
    expect(causes.filter((cause) => cause === 'rejected' || cause === 'revoked')).toHaveLength(1);
  });
});

describe('the end of a consent', () => {
  test.each([
    ['its third party', () => (id: string) => place.consents.delete(AGENT.id, id, AGENT)],
    [
      'its customer',
      (customerId: string) => (id: string) =>
        place.consents.revoke({ tenantId: place.place.tenantId, customerId }, id, 'not needed', {
          ...AGENT,
          id: customerId,
        }),
    ],
    [
      'an admin',
      () => (id: string) => place.consents.revoke({ tenantId: place.place.tenantId }, id, 'asked by letter', AGENT),
    ],
  ])('by %s takes its tokens with it, in one transaction', async (_, by) => {
    const { consent, customer, grantId } = await place.authorised();
    const other = await place.authorised();
    const act = by(customer.id);
    expect(await act(consent.id)).toMatchObject({ status: 'Revoked' });
    expect([await place.tokensOf(grantId), await place.tokensOf(other.grantId)]).toEqual([0, 3]);
    await expect(usable(consent.id)).rejects.toMatchObject({
      code: 'consent_not_usable',
      message: 'This consent is Revoked',
    });
    await expect(act(consent.id)).rejects.toMatchObject({ code: 'invalid_state' });
    expect(await place.look(consent.id)).toMatchObject({ status: 'Revoked', ended: true });
  });

  test('one that waits is rejected, also after an error while it was being authorised', async () => {
    const customer = await place.customer();
    const { id } = await place.create(customer.id);
    await place.consents.noteFailure(AGENT.id, id, 'The page could not be shown.');
    expect(await place.stored(id)).toMatchObject({ status: 'AwaitingAuthorisation', failed_at: expect.any(Date) });
    expect(await place.consents.delete(AGENT.id, id, AGENT)).toMatchObject({ status: 'Rejected' });
    await place.consents.noteFailure(AGENT.id, id, 'too late');
    expect(await place.causes(id)).toEqual(['created', 'failed', 'rejected']);
  });

  test('the customer refuses it; refusing to authenticate again ends nothing', async () => {
    const customer = await place.customer();
    const { id } = await place.create(customer.id);
    const refuse = (consentId: string, customerId: string) =>
      place.consents.reject(AGENT.id, consentId, { customerId });
    await expect(refuse(id, (await place.customer()).id)).rejects.toMatchObject({ code: 'not_found' });
    expect(await refuse(id, customer.id)).toMatchObject({ status: 'Rejected' });
    await expect(refuse(id, customer.id)).rejects.toMatchObject({ code: 'invalid_state' });
    const known = await place.authorised();
    expect(await refuse(known.consent.id, known.customer.id)).toMatchObject({ status: 'Authorised' });
    expect(await place.tokensOf(known.grantId)).toBe(3);
  });

  test('another customer, tenant or third party can neither see nor end it', async () => {
    const { consent } = await place.authorised();
    const stranger = await place.customer();
    for (const scope of [
      { tenantId: place.place.otherTenantId },
      { tenantId: place.place.tenantId, customerId: stranger.id },
    ]) {
      await expect(place.consents.find(scope, consent.id)).rejects.toMatchObject({ code: 'not_found' });
      await expect(place.consents.revoke(scope, consent.id, 'mine', AGENT)).rejects.toMatchObject({
        code: 'not_found',
      });
      await expect(place.consents.accesses(scope, consent.id, { limit: 5 })).rejects.toMatchObject({
        code: 'not_found',
      });
      expect((await place.consents.list(scope, { limit: 200 })).map(({ id }) => id)).not.toContain(consent.id);
    }
    await expect(place.consents.delete('tpp_other', consent.id, AGENT)).rejects.toMatchObject({ code: 'not_found' });
    await expect(place.consents.usable('tpp_other', consent.id, new Date())).rejects.toMatchObject({
      code: 'not_found',
    });
    expect(await usable(consent.id)).toMatchObject({ status: 'Authorised' });
  });

  test('its time is up: refused at once, even before its flow has looked', async () => {
    const { consent, grantId } = await place.authorised();
    const end = consent.expires_at!;
    expect(
      await place.with({ reauthenticationDays: 0 }).consents.usable(AGENT.id, consent.id, new Date(end.getTime() - 1)),
    ).toBeTruthy();
    await expect(usable(consent.id, end)).rejects.toMatchObject({ message: 'This consent is Expired' });
    expect(await place.look(consent.id, end)).toMatchObject({ status: 'Expired', ended: true });
    expect(await place.tokensOf(grantId)).toBe(0);
  });

  test.each([
    ['erased', { deleted_at: new Date(), profile_sealed: null, profile_key: null }],
    ['blocked', { status: 'blacklisted' }],
  ])('a customer who is %s has nobody read', async (_, changed) => {
    const { consent, customer } = await place.authorised();
    const waiting = await place.create(customer.id);
    await place.look(consent.id);
    await place.look(waiting.id);
    await place.system('customers').where({ id: customer.id }).update(changed);
    await expect(usable(consent.id)).rejects.toMatchObject({ code: 'consent_not_usable' });
    if ('status' in changed) {
      await place.system('customers').where({ id: customer.id }).update({ status: 'verified' });
      expect(await usable(consent.id)).toMatchObject({ status: 'Authorised' });
      return;
    }
    // The workers find what is due by this.
    expect((await place.stored(consent.id)).look_at.getTime()).toBeLessThanOrEqual(Date.now());
    expect(await place.look(consent.id)).toMatchObject({ status: 'Revoked' });
    expect(await place.look(waiting.id)).toMatchObject({ status: 'Rejected' });
  });

  test('a third party that no longer serves the tenant reads nothing', async () => {
    await place.registerTpp('tpp_leaves', [place.place.tenantId]);
    const customer = await place.customer();
    const { id } = await place.create(customer.id, { tppId: 'tpp_leaves' });
    const by = { customerId: customer.id, accountIds: customer.accountIds, grantId: 'grant of a leaver' };
    await place.consents.authorise('tpp_leaves', id, by);
    expect(await place.consents.usable('tpp_leaves', id, new Date())).toMatchObject({ id });
    await place.system('tpp_tenants').where({ tpp_id: 'tpp_leaves' }).delete();
    await expect(place.consents.usable('tpp_leaves', id, new Date())).rejects.toMatchObject({
      code: 'consent_not_usable',
    });
  });
});

describe('a consent to pay', () => {
  const consume = (id: string, tppId = AGENT.id) =>
    place.place.database.tenant(place.place.tenantId, (trx) => consumeConsent(trx, tppId, id));

  test('is used once, however many try at the same time, and not with a payment that fails', async () => {
    const customer = await place.customer();
    const { id } = await place.createPayment();
    await expect(consume(id)).rejects.toMatchObject({ code: 'consent_not_usable' });
    await place.authorise(id, customer, { stepUpId: newId('stepUp') });
    await expect(consume(id, 'tpp_other')).rejects.toMatchObject({ code: 'not_found' });
    const failing = place.place.database.tenant(place.place.tenantId, async (trx) => {
      await consumeConsent(trx, AGENT.id, id);
      throw new Error('no money');
    });
    await expect(failing).rejects.toThrow('no money');
    expect(await place.stored(id)).toMatchObject({ status: 'Authorised' });
    const results = await Promise.allSettled(Array.from({ length: 6 }, () => consume(id)));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await usable(id)).toMatchObject({ status: 'Consumed' });
    await expect(place.consents.delete(AGENT.id, id, AGENT)).rejects.toMatchObject({ code: 'invalid_state' });
  });

  test('a consent to read accounts cannot be used to pay', async () => {
    const { consent } = await place.authorised();
    await expect(consume(consent.id)).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('authentication again', () => {
  test('is needed after so many days, for reading accounts', async () => {
    const { consent, customer, grantId } = await place.authorised({ expiresAt: ahead(400 * DAY) });
    const due = new Date(consent.authenticated_at!.getTime() + 180 * DAY);
    expect(await usable(consent.id, new Date(due.getTime() - 1))).toMatchObject({ status: 'Authorised' });
    await expect(usable(consent.id, due)).rejects.toMatchObject({ code: 'reauthentication_required' });
    const again = await place.authorise(consent.id, customer, { grantId });
    expect(again.authenticated_at!.getTime()).toBeGreaterThanOrEqual(consent.authenticated_at!.getTime());
    await expect(place.consents.reconfirm(AGENT.id, consent.id, AGENT)).rejects.toMatchObject({
      code: 'invalid_state',
    });
  });

  test('is the third party’s duty where the bank does not ask: it reconfirms', async () => {
    const { consent } = await place.authorised({ expiresAt: ahead(400 * DAY) });
    const { consents } = place.with({ reauthenticationDays: 0 });
    const due = new Date(consent.authenticated_at!.getTime() + 90 * DAY);
    expect(consents.authenticateBy(consent)).toEqual(due);
    expect(await consents.usable(AGENT.id, consent.id, new Date(due.getTime() - 1))).toBeTruthy();
    const late = await consents.usable(AGENT.id, consent.id, due).catch((error: DomainError) => error);
    expect(obieAnswerOf(late as DomainError, 'i-1')).toMatchObject({
      status: 403,
      body: { Errors: [{ ErrorCode: 'UK.OBIE.Reauthenticate', Message: expect.stringContaining('reconfirmed') }] },
    });
    const reconfirmed = await consents.reconfirm(AGENT.id, consent.id, AGENT);
    expect(await consents.usable(AGENT.id, consent.id, due)).toMatchObject({ status: 'Authorised' });
    expect(reconfirmed.authenticated_at!.getTime()).toBeGreaterThan(consent.authenticated_at!.getTime());
    expect(reconfirmed.authorised_at).toEqual(consent.authorised_at);
    expect(await place.causes(consent.id)).toEqual(['created', 'authorised', 'reconfirmed']);
    await expect(consents.reconfirm('tpp_other', consent.id, AGENT)).rejects.toMatchObject({ code: 'not_found' });
    await place.consents.delete(AGENT.id, consent.id, AGENT);
    await expect(consents.reconfirm(AGENT.id, consent.id, AGENT)).rejects.toMatchObject({ code: 'consent_not_usable' });
  });
});

test('a consent that was not reconfirmed in time is reconfirmed late, and its customer gets no letter about it', async () => {
  const { consent } = await place.authorised({ expiresAt: ahead(400 * DAY) });
  const uk = place.with({ reauthenticationDays: 0 });
  const before = (await place.system('messages').where({ state: 'queued' })).length;
  await uk.look(consent.id, ahead(89 * DAY));
  expect((await place.system('messages').where({ state: 'queued' })).length).toBe(before);
  await place
    .system('consents')
    .where({ id: consent.id })
    .update({ authenticated_at: ahead(-91 * DAY) });
  const now = () => uk.consents.usable(AGENT.id, consent.id, new Date());
  await expect(now()).rejects.toMatchObject({ code: 'reauthentication_required' });
  await uk.consents.reconfirm(AGENT.id, consent.id, AGENT);
  expect(await now()).toMatchObject({ id: consent.id });
});

describe('a third party that may not act', () => {
  test('a disabled one gets nothing authorised, nor does one that does not serve the bank any more', async () => {
    const customer = await place.customer();
    for (const stop of [
      { by: () => place.system('tpps').where({ id: AGENT.id }).update({ disabled_at: new Date() }) },
      { by: () => place.system('tpp_tenants').where({ tpp_id: AGENT.id }).delete() },
    ]) {
      const { id } = await place.create(customer.id);
      await stop.by();
      await expect(place.authorise(id, customer)).rejects.toMatchObject({ code: 'consent_not_usable' });
      await expect(place.consents.forAuthorisation(AGENT.id, id)).rejects.toMatchObject({ code: 'consent_not_usable' });
      expect(await place.stored(id)).toMatchObject({ status: 'AwaitingAuthorisation' });
      await place.system('tpps').where({ id: AGENT.id }).update({ disabled_at: null });
    }
    await place.system('tpp_tenants').insert({ tpp_id: AGENT.id, tenant_id: place.place.tenantId });
  });
});

describe('reminders', () => {
  const lettersOf = async () => (await place.system('messages').where({ state: 'queued' })).length;

  test('one before it expires, however often the flow looks, and again after a new authorisation', async () => {
    const { consent, customer } = await place.authorised();
    const view = await place.look(consent.id);
    const remindAt = consent.expires_at!.getTime() - 7 * DAY;
    expect((await place.stored(consent.id)).look_at.getTime()).toBe(remindAt);
    expect(view.nextInMs).toBeGreaterThan(0);
    const before = await lettersOf();
    for (const moment of [remindAt - 1, remindAt, remindAt + 1, remindAt + DAY])
      await place.look(consent.id, new Date(moment));
    expect(await lettersOf()).toBe(before + 1);
    const { id, sealed } = await place.system('messages').orderBy('id', 'desc').first();
    const page = `https://bank.example/consents/${place.place.tenantId}`;
    expect(new Messenger(KEYS).open(id, sealed).text).toContain(page);
    expect((await place.stored(consent.id)).look_at).toEqual(consent.expires_at);
    await place.authorise(consent.id, customer);
    await place.look(consent.id, new Date(remindAt));
    expect(await lettersOf()).toBe(before + 2);
    expect((await place.causes(consent.id)).filter((cause) => cause === 'expiry_told')).toHaveLength(2);
  });

  test('one before its customer has to authenticate again', async () => {
    const { consent } = await place.authorised({ expiresAt: ahead(400 * DAY) });
    const before = await lettersOf();
    const remindAt = consent.authenticated_at!.getTime() + 173 * DAY;
    await place.look(consent.id, new Date(remindAt - 1));
    expect(await lettersOf()).toBe(before);
    expect((await place.stored(consent.id)).look_at.getTime()).toBe(remindAt);
    await place.look(consent.id, new Date(remindAt));
    await place.look(consent.id, new Date(remindAt));
    expect(await lettersOf()).toBe(before + 1);
    expect(await place.causes(consent.id)).toEqual(['created', 'authorised', 'reauthentication_told']);
  });

  test('none of a consent that was short from its beginning, or that ends before it would need authentication', async () => {
    const soon = { sharingTo: ahead(DAY), expiresAt: ahead(2 * DAY) };
    const { consent } = await place.authorised(soon);
    const before = await lettersOf();
    await place.look(consent.id, ahead(DAY));
    expect(await lettersOf()).toBe(before);
  });
});

test('who read what is kept, page by page, with refusals; of a foreign consent nothing', async () => {
  const { consent, customer } = await place.authorised();
  const [account] = customer.accounts;
  const access = {
    tppId: AGENT.id,
    consentId: consent.id,
    isCustomerPresent: true,
    interactionId: 'i-1',
    accountId: account!.id,
  };
  await place.consents.noteAccess({ ...access, resource: 'balances' });
  await place.consents.noteAccess({ ...access, resource: 'transactions', isCustomerPresent: false });
  // An account that the consent does not share is not written down.
  const [foreign] = (await place.customer()).accounts;
  await place.consents.noteAccess({ ...access, resource: 'accounts', accountId: foreign!.id, refusal: 'forbidden' });
  await place.consents.noteAccess({ ...access, tppId: 'tpp_other', resource: 'accounts' });
  const scope = { tenantId: place.place.tenantId, customerId: customer.id };
  const first = await place.consents.accesses(scope, consent.id, { limit: 1 });
  expect(first.map(({ resource }) => resource)).toEqual(['accounts', 'transactions']);
  expect(first[0]).toMatchObject({ refusal: 'forbidden', account_id: null, iban: null, is_customer_present: true });
  const rest = await place.consents.accesses(scope, consent.id, { limit: 5, cursor: first[0]!.id });
  expect(rest.map(({ resource, iban, refusal }) => [resource, iban, refusal])).toEqual([
    ['transactions', account!.iban, null],
    ['balances', account!.iban, null],
  ]);
  for (const act of [
    place.system('consent_accesses').update({ refusal: null }),
    place.system('consent_events').delete(),
  ])
    await expect(act).rejects.toThrow();
});

test('lists by status, kind, third party and customer', async () => {
  const { consent, customer } = await place.authorised();
  const waiting = await place.create(customer.id);
  const scope = { tenantId: place.place.tenantId };
  const ids = async (filter: object) =>
    (await place.consents.list(scope, { limit: 100, customerId: customer.id, ...filter })).map(({ id }) => id);
  expect(await ids({})).toEqual([waiting.id, consent.id]);
  expect(await ids({ status: 'Authorised' })).toEqual([consent.id]);
  expect(await ids({ kind: 'payment' })).toEqual([]);
  expect(await ids({ tppId: 'tpp_other' })).toEqual([]);
  const { tppName, accounts, events } = await place.consents.find(scope, consent.id);
  expect({ tppName, ibans: accounts.map(({ iban }) => iban), causes: events.map(({ cause }) => cause) }).toEqual({
    tppName: 'App tpp_agent',
    ibans: customer.accounts.map(({ iban }) => iban),
    causes: ['created', 'authorised'],
  });
});
