import { readFileSync } from 'node:fs';
import { createServer as createPlainServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { join } from 'node:path';
import { createWorker } from '../../workers/create';
import { openPlatform, type Platform } from '../../workers/platform';
import { Sweeps } from '../../workers/sweeps';
import { Approvals } from '../commerce/approvals/service';
import { BankAccounts } from '../commerce/bank-statements/account';
import { BankStatements } from '../commerce/bank-statements/upload';
import { Proposals } from '../commerce/bank-transfers/proposals';
import { BankTransfers } from '../commerce/bank-transfers/service';
import { ItemImages } from '../commerce/inventory/images';
import { Inventory } from '../commerce/inventory/service';
import { Orders } from '../commerce/orders/service';
import { PageThemes } from '../commerce/page-themes/service';
import { BuyerAccounts } from '../commerce/payment-links/buyer-accounts';
import { Checkout } from '../commerce/payment-links/checkout';
import { LinkOpens } from '../commerce/payment-links/opens';
import { Receipts } from '../commerce/payment-links/receipts';
import { PaymentLinks } from '../commerce/payment-links/service';
import { LinkShares } from '../commerce/payment-links/share';
import { PayoutDesk } from '../commerce/payouts/desk';
import { Payouts } from '../commerce/payouts/service';
import { Tickets } from '../commerce/tickets/tickets';
import { CallbackDesk } from '../edge/callbacks/desk';
import { DeviceWalletTokens } from '../edge/device-wallets/device-wallet-tokens';
import { Endpoints } from '../edge/notifications/endpoints';
import { SecurityEvents } from '../foundation/audit-log/security-events';
import type { Config } from '../foundation/config/config';
import { createLog } from '../foundation/log/log';
import { runChild } from '../foundation/process/child';
import { loadServiceConfig } from '../foundation/process/service-config';
import { command } from '../foundation/temporal/command';
import { flowStanding } from '../foundation/temporal/flows';
import { installRuntime } from '../foundation/temporal/runtime';
import { AuthenticationPolicies } from '../money/authentication/policies';
import { Beneficiaries } from '../money/beneficiaries/beneficiaries';
import { BeneficiaryKeys } from '../money/beneficiaries/beneficiary';
import { BooksAudits } from '../money/books-check/audit';
import { CustomerAccounts } from '../money/customer-accounts/service';
import { DisputeService } from '../money/disputes/service';
import { Interventions } from '../money/interventions/service';
import { Membership } from '../money/p2p/membership';
import { MoneyRequests } from '../money/p2p/money-requests';
import { ScheduledTransfers } from '../money/p2p/scheduled-transfers';
import { Transfers } from '../money/p2p/transfers';
import { PaymentService } from '../money/payments/service';
import { ReconciliationService } from '../money/reconciliation/service';
import { Catalogue } from '../money/routing/catalogue';
import { PaymentRouter } from '../money/routing/router';
import { CardSaving } from '../money/saved-cards/card-saving';
import { PaymentMethods } from '../money/saved-cards/payment-methods';
import { StandingOrders } from '../money/standing-orders/service';
import { SuspenseService } from '../money/suspense/service';
import { HouseAccounts } from '../money/topups/house-account';
import { TopupService } from '../money/topups/service';
import { openAccountInformation } from '../open-banking/account-information/service';
import { Consents } from '../open-banking/consents/service';
import { BankPayments } from '../open-banking/payments/service';
import { authoritiesIn } from '../open-banking/tpps/client-certificate';
import { Tpps } from '../open-banking/tpps/service';
import { RESET_PAGE } from '../people/customer-access/password-reset';
import { ProfileSeal } from '../people/customers/customer';
import { DocumentFiles } from '../people/customers/document-files';
import { Organizations } from '../people/identity/organizations';
import { MIN_PASSWORD_LENGTH } from '../people/identity/passwords';
import { Terminals } from '../people/identity/terminals';
import { Tokens } from '../people/identity/tokens';
import { LINK_PAGE } from '../people/identity/users/links';
import { MIN_USER_PASSWORD_LENGTH } from '../people/identity/users/password-strength';
import { KycService } from '../people/kyc/service';
import { ActivationFiles } from '../people/onboarding/activation-files';
import { ActivationService } from '../people/onboarding/activation-service';
import { callbackReceivers } from './callbacks/receivers';
import { codecServer } from './codec/server';
import { consolePage } from './console/mount';
import { openEntrance } from './entrance';
import { readinessOf } from './health/readiness';
import { nextOfCustomer, nextOfUser, passwordPage } from './identity/password-page';
import { tokenEndpoints } from './identity/token-endpoint';
import { mailboxOf } from './mailbox/mailbox';
import { testCardsOf } from './mailbox/test-cards';
import { serveMetrics } from './metrics';
import { payPage } from './pay/mount';
import { withReference } from './reference/reference';
import { apiRoutes } from './routes';
import { createApp } from './server/app';
import { KnownDeviceCookie } from './server/known-device-cookie';
import { closeListener, limitConnections, waitingTimes } from './server/listener';
import { sourceAddressOf } from './server/middleware/source-address';
import { SessionCookie } from './server/session-cookie';
import { SignInPages } from './signin/pages';

const SWEEP_EVERY_MS = 600_000;
/** How long requests wait for a first answer once the process is to end; workers are still there so long. */
const LAST_ANSWERS_MS = 3_000;
/** The suites for TLS 1.2 that BCP 195 recommends (RFC 9325, section 4.2), and FAPI allows alone. */
const CIPHERS = [
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
].join(':');

runChild('tillway-api', async () => {
  const settings = await loadServiceConfig();
  const log = createLog('tillway-api', settings.logLevel);
  installRuntime(log);
  const platform = await openPlatform(settings, 'tillway-api', log);
  const { config } = platform;
  await platform.firstAnswers.listen(platform.directUrl);
  // Runs the first task of the flows that this process starts, so that a payment need not go to another process and back.
  const worker = config.api.embeddedWorker
    ? await createWorker(config, platform.engine, platform, { embedded: true })
    : undefined;
  const working = worker?.run();
  working?.catch((error: Error) => {
    log.fatal({ error: error.name }, 'the embedded worker stopped; the process restarts');
    process.exit(1);
  });

  const { firstAnswerMs, embeddedWorker: eager, paymentFlows: flows } = config.api;
  const starting = { firstAnswerMs, eager, flows };
  const authentication = new AuthenticationPolicies(platform.database);
  const payments = new PaymentService({ ...platform, authentication }, starting);
  const house = new HouseAccounts(platform.database, platform.notifications.secrets);
  const keys = { vaultKeys: config.keys.vault!, hmacKey: config.keys.vaultHmac! };
  const catalogue = new Catalogue(platform.database, {
    sandbox: config.sandbox,
    hasConnector: (processor) => platform.connectors.find(processor) !== undefined,
  });
  const router = new PaymentRouter(platform.database, platform.connectors);
  const { tokens } = platform.paymentLinks;
  const paymentMethods = new PaymentMethods(platform.database);
  const topups = new TopupService(platform, payments, house);
  const opens = new LinkOpens(platform.database);
  const pageThemes = new PageThemes(platform.database);
  const profiles = new ProfileSeal(keys.vaultKeys);
  const checkout = new Checkout({
    database: platform.database,
    payments,
    catalogue,
    router,
    tokens,
    topups,
    house,
    stepUps: platform.identity.stepUps,
    profiles,
    receipts: new Receipts(platform.messenger),
    reservationMs: config.timers.orderReservationMs,
  });
  const tickets = new Tickets(platform.database, platform.messenger, config.keys.vault!);
  const beneficiaryKeys = new BeneficiaryKeys(keys);
  const paymentLinks = openPaymentLinks(config, platform);
  const consents = new Consents({ ...platform, settings: config.openBanking });
  const bankPayments = new BankPayments({ ...platform, stepUps: platform.identity.stepUps, consents, profiles });
  const inventory = new Inventory(platform.database);
  const sweeps = new Sweeps(platform.database.system, platform.engine, {
    firstAnswerMs: config.api.firstAnswerMs,
    lostFlowMs: config.timers.lostFlowMs,
  });
  const verification = new KycService(platform, config.api.firstAnswerMs);
  const routes = withReference(
    apiRoutes({
      database: platform.database,
      payments,
      idempotencyRetentionMs: config.api.idempotencyRetentionMs,
      topups,
      house,
      customers: platform.customers,
      bulkBodyLimitBytes: config.api.bulkBodyLimitBytes,
      customerAccounts: new CustomerAccounts(platform.database, platform.customers, keys),
      paymentMethods,
      cardSaving: new CardSaving({ ...platform, authentication }, starting),
      authentication,
      beneficiaries: new Beneficiaries(platform.database, beneficiaryKeys),
      standingOrders: new StandingOrders(platform, beneficiaryKeys),
      identity: platform.identity,
      sessionCookie: new SessionCookie(config.publicUrl),
      knownDeviceCookie: new KnownDeviceCookie(config.publicUrl, platform.onboarding.knownDevices),
      onboarding: platform.onboarding,
      activations: new ActivationService(platform, config.api.firstAnswerMs),
      organizations: new Organizations(platform.database),
      rotationOverlap: config.onboarding.rotationOverlap,
      disputes: new DisputeService(platform, config.api.firstAnswerMs),
      verification,
      membership: new Membership(platform.database, platform.p2p.keys),
      transfers: new Transfers(platform, config.timers.transferDisputeWindowMs),
      moneyRequests: new MoneyRequests(platform, config.timers.moneyRequestTtlMs),
      scheduledTransfers: new ScheduledTransfers(platform),
      documentFiles: new DocumentFiles(platform.database, platform.files),
      activationFiles: new ActivationFiles(platform.database, platform.files),
      documentFileLimitBytes: config.api.documentFileLimitBytes,
      reconciliation: new ReconciliationService(platform, config.timers.reconciliationGraceMs),
      suspense: new SuspenseService(platform, config.api.suspenseFourEyesMinor),
      catalogue,
      terminals: new Terminals(platform.database),
      router,
      wallets: new DeviceWalletTokens(config.keys.deviceWallet, { tokenTtlMs: config.timers.deviceWalletTokenTtlMs }),
      outbound: platform.notifications.guard,
      notifications: platform.notifications.service,
      endpoints: new Endpoints(platform.database, platform.notifications.secrets),
      accountInformation: openAccountInformation(platform, keys),
      paymentLinks,
      consents,
      pageThemes,
      tickets,
      inventory,
      itemImages: new ItemImages(platform.database, platform.files),
      itemImageLimitBytes: config.api.itemImageLimitBytes,
      orders: new Orders(platform.database, config.timers.orderReservationMs),
      payouts: new Payouts(platform, config.api.firstAnswerMs),
      payoutAccounts: platform.payoutAccounts,
      bankAccounts: new BankAccounts(platform.database),
      bankStatements: new BankStatements(platform),
      bankStatementLimitBytes: config.api.bankStatementLimitBytes,
      bankTransfers: new BankTransfers({
        ...platform.bank,
        payments,
        catalogue,
        router,
        ttlMs: config.timers.payerTransferTtlMs,
      }),
      proposals: new Proposals(platform.bank, config.api.suspenseFourEyesMinor),
      payerTransferTtlMs: config.timers.payerTransferTtlMs,
      callbackDesk: new CallbackDesk(platform.database),
      booksAudits: new BooksAudits(platform.database),
      engine: { uiUrl: config.temporal.uiUrl, namespace: config.temporal.namespace },
      flowStanding: (workflowId) => command(platform.engine, () => flowStanding(platform.engine, workflowId)),
      restartFlow: (objectId) => sweeps.restartOne(objectId),
      interventions: new Interventions(platform, config.api.interventionFourEyesMinor),
      payoutDesk: new PayoutDesk(platform, config.api.payoutFourEyesMinor),
      approvals: new Approvals({ ...platform, inventory, paymentLinks, verification }),
      bankPayments,
      authUrl: config.authUrl,
      tpps: new Tpps(platform.database, {
        sandbox: config.sandbox,
        authorities: authoritiesIn(config.openBanking.entrance?.clientCaPath),
      }),
      readiness: readinessOf(platform),
      mailbox: config.sandbox ? mailboxOf(config.simulatorUrl) : undefined,
      testCards: config.sandbox ? testCardsOf(config.simulatorUrl) : undefined,
    }),
    {
      hasReceiver: (name) =>
        name.startsWith('test/') ? config.sandbox : platform.connectors.receiver(name) !== undefined,
    },
  ).routes;
  const securityEvents = new SecurityEvents(platform.database.system);
  const app = createApp({
    config,
    database: platform.database,
    logger: log,
    routes,
    rawMounts: [
      payPage({
        checkout,
        accounts: new BuyerAccounts(platform.database, paymentMethods),
        opens,
        tickets,
        pageThemes,
        signIn: new SignInPages(platform.identity, config.publicUrl),
        stepUps: platform.identity.stepUps,
        publicUrl: config.publicUrl,
      }),
      callbackReceivers({
        database: platform.database,
        connectors: platform.connectors,
        inbox: platform.inbox,
        delivery: platform.delivery,
        hints: platform.hints,
        securityEvents,
        bodyLimitBytes: config.api.callbackBodyLimitBytes,
        hintsPerSecond: config.api.hintsPerSecond,
        withTests: config.sandbox,
        log,
      }),
      consolePage({ folder: join(__dirname, '../../console'), sandbox: config.sandbox }),
      ...tokenEndpoints({
        config,
        database: platform.database,
        securityEvents,
        sourceOf: sourceAddressOf(config.trustedProxies),
        log,
      }),
      passwordPage(RESET_PAGE, {
        check: platform.identity.reset.check.bind(platform.identity.reset),
        confirm: platform.identity.reset.confirm.bind(platform.identity.reset),
        minLength: MIN_PASSWORD_LENGTH,
        next: nextOfCustomer,
      }),
      passwordPage(LINK_PAGE, {
        check: platform.onboarding.links.check.bind(platform.onboarding.links),
        confirm: platform.onboarding.links.setPassword.bind(platform.onboarding.links),
        minLength: MIN_USER_PASSWORD_LENGTH,
        next: nextOfUser(config.publicUrl),
      }),
      codecServer({
        config,
        database: platform.database,
        tokens: new Tokens(platform.database, config.api.accessTokenCacheMs),
      }),
    ],
  });
  await app.start();
  const sweep = setInterval(() => app.sweep().catch(() => undefined), SWEEP_EVERY_MS);
  // First, so that a platform that is ready has its entrance too.
  const entrance = await openEntrance({
    config,
    platform,
    routes,
    consents,
    payments: bankPayments,
    idempotency: app.idempotency,
    turns: app.turns,
    log,
    ciphers: CIPHERS,
  });
  const server = await listen(config, app.koa.callback());
  const metrics = await serveMetrics(config, platform.database, server);
  log.info({ url: config.publicUrl }, 'api listens');

  return async () => {
    clearInterval(sweep);
    metrics.close();
    platform.firstAnswers.endIn(LAST_ANSWERS_MS);
    await Promise.all([
      closeListener(server, config.timers.shutdownGraceMs),
      entrance?.close(config.timers.shutdownGraceMs),
    ]);
    worker?.shutdown();
    await working;
    await opens.write().catch(() => undefined);
    await securityEvents.write();
    await app.close();
    await platform.close();
  };
});

function openPaymentLinks({ keys }: Config, { database, engine, messenger, paymentLinks }: Platform): PaymentLinks {
  const shares = new LinkShares(messenger, keys.vault!);
  return new PaymentLinks({ database, engine, tokens: paymentLinks.tokens, shares });
}

function listen(config: Config, handler: RequestListener): Promise<Server> {
  const server = config.tls
    ? createTlsServer(
        {
          cert: readFileSync(config.tls.certPath),
          key: readFileSync(config.tls.keyPath),
          minVersion: 'TLSv1.2',
          ciphers: CIPHERS,
          honorCipherOrder: true,
          ...waitingTimes(config.api.connections),
        },
        handler,
      )
    : createPlainServer(waitingTimes(config.api.connections), handler);
  limitConnections(server, config);
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(config.ports.api, config.host, () => resolve(server));
  });
}
