import type { Logger } from 'pino';
import type { Dependencies } from '../activities/dependencies';
import type { BookingStatements } from '../src/commerce/bank-transfers/book';
import { createOwnBank } from '../src/commerce/bank-transfers/connector';
import type { SendingReturns } from '../src/commerce/bank-transfers/send-returns';
import { LinkTokens } from '../src/commerce/payment-links/payment-link';
import { Reminders } from '../src/commerce/payment-links/reminders';
import { PayoutAccounts } from '../src/commerce/payouts/accounts';
import { payingProcessor } from '../src/commerce/payouts/processor';
import type { Connectors } from '../src/domain/connector';
import { hearAboutPayment } from '../src/edge/callbacks/about-payment';
import { Delivery } from '../src/edge/callbacks/delivery';
import { Hints } from '../src/edge/callbacks/hints';
import { Inbox } from '../src/edge/callbacks/inbox';
import { IncomingTransfers } from '../src/edge/callbacks/incoming-transfers';
import { reportEntry } from '../src/edge/callbacks/statement-reports';
import { Couriers } from '../src/edge/notifications/courier';
import { NotificationDispatch } from '../src/edge/notifications/dispatch';
import { NotificationQueue } from '../src/edge/notifications/queue';
import { NotificationSender } from '../src/edge/notifications/sender';
import { NotificationService } from '../src/edge/notifications/service';
import { createConnectors } from '../src/edge/processors/registry';
import { type Config, ConfigError } from '../src/foundation/config/config';
import { type Database, openDatabase } from '../src/foundation/db/database';
import { checkLogins, SHARED_LOGIN } from '../src/foundation/db/logins';
import { FileStore } from '../src/foundation/files/file-store';
import { MessageDelivery } from '../src/foundation/messages/delivery';
import { Messenger } from '../src/foundation/messages/messenger';
import { createSenders } from '../src/foundation/messages/senders';
import { OutboundGuard } from '../src/foundation/outbound/guard';
import { connectEngine, type Engine } from '../src/foundation/temporal/engine';
import { FirstAnswers } from '../src/foundation/temporal/first-answer';
import { DocumentKeys } from '../src/foundation/vault/document-keys';
import { type OpenKeys, openKeys } from '../src/foundation/vault/open-keys';
import { Vault } from '../src/foundation/vault/vault';
import { EvidenceSeal } from '../src/money/disputes/evidence';
import { Ledger } from '../src/money/ledger/ledger';
import { transferDependencies } from '../src/money/p2p/dependencies';
import { Mandates } from '../src/money/payments/mandates';
import { FirstSteps } from '../src/money/payments/steps/first-steps';
import { savedCardDependencies } from '../src/money/saved-cards/dependencies';
import { consentDependencies } from '../src/open-banking/consents/steps';
import { type CustomerIdentity, openCustomerIdentity } from '../src/people/customer-access/identity';
import { CustomerService } from '../src/people/customers/service';
import { CallbackSecrets } from '../src/people/identity/callback-secrets';
import { Organizations } from '../src/people/identity/organizations';
import { kycDependencies } from '../src/people/kyc/steps';
import { activationDependencies } from '../src/people/onboarding/activation-steps';
import { type Onboarding, openOnboarding } from '../src/people/onboarding/onboarding';

/** What the API and the workers have in common, opened from the settings. */
export interface Platform extends Dependencies {
  /** The settings, with the keys as they are used. */
  config: Config;
  keys: Pick<OpenKeys, 'isUp'>;
  /** Reaches Postgres without a pooler: for a connection that listens. */
  directUrl: string;
  engine: Engine;
  connectors: Connectors;
  inbox: Inbox;
  delivery: Delivery;
  hints: Hints;
  customers: CustomerService;
  notifications: Notifications;
  messenger: Messenger;
  messages: MessageDelivery;
  files: FileStore;
  identity: CustomerIdentity;
  onboarding: Onboarding;
  payoutAccounts: PayoutAccounts;
  /** What books the statements of the tenants' own accounts, and sends back what is not to stay. */
  bank: BookingStatements & SendingReturns & { database: Database };
  close(): Promise<void>;
}

/** What delivers notifications to merchants. */
export interface Notifications {
  guard: OutboundGuard;
  sender: NotificationSender;
  secrets: CallbackSecrets;
  couriers: Couriers;
  dispatch: NotificationDispatch;
  service: NotificationService;
}

/** Opens database, engine and everything above them. Rejects when engine or database cannot be reached. */
export async function openPlatform(settings: Config, name: string, log: Logger): Promise<Platform> {
  const { url, systemUrl, opsUrl, directUrl } = settings.database;
  if (!url || !directUrl) throw new ConfigError('DATABASE_URL is required');
  const { pool, acquireMs } = settings.database;
  const database = openDatabase({ url, systemUrl, opsUrl, directUrl }, pool, name, acquireMs);
  if (systemUrl) await checkLogins(database);
  else log.warn(SHARED_LOGIN);
  const keys = await openKeys(settings, database.system, log);
  const { config } = keys;
  const { vault: vaultKeys, fingerprint: fingerprintKeys, vaultHmac, codec } = config.keys;
  if (!vaultKeys || !vaultHmac || !codec)
    throw new ConfigError('VAULT_KEYS, VAULT_HMAC_KEY and CODEC_KEYS are required');
  const engine = await connectEngine(config);
  const vault = new Vault({ keys: vaultKeys, hmacKey: vaultHmac, fingerprintKeys, cvvTtlMs: config.timers.cvvTtlMs });
  const counting = { vault, report: reportEntry, returnsThrough: () => payingProcessor(connectors) };
  const ownBank = createOwnBank({ ...counting, database, ttlMs: config.timers.payerTransferTtlMs });
  const connectors: Connectors = createConnectors(config, [ownBank]);
  const inbox = new Inbox(database.system, database.named.system);
  const firstAnswers = new FirstAnswers();
  const ledger = new Ledger();
  const { unmatchedTransferGraceMs: graceMs } = config.timers;
  const transfers = new IncomingTransfers({ inbox, system: database.system, ledger, connectors, graceMs });
  const delivery = new Delivery(
    inbox,
    transfers,
    database,
    engine,
    connectors,
    (input, inboxId, notes) => hearAboutPayment(dependencies, input, inboxId, notes),
    {
      retryFirstMs: config.timers.callbackRetryFirstMs,
      retryMaxMs: config.timers.callbackRetryMaxMs,
    },
    log,
  );
  const hints = new Hints(
    database.system,
    inbox,
    delivery,
    connectors,
    {
      most: config.api.mostHints,
      ttlMs: config.timers.callbackHintTtlMs,
      retryFirstMs: config.timers.callbackRetryFirstMs,
    },
    log,
  );
  const notifications = openNotifications(config, database, engine, log);
  const messenger = new Messenger(vaultKeys);
  const messages = new MessageDelivery(
    database.system,
    messenger,
    createSenders(config),
    config.messages.schedule,
    log,
  );
  const onboarding = openOnboarding(config, database, messenger, notifications.secrets);
  const dependencies: Dependencies = {
    database,
    ledger,
    vault,
    evidence: new EvidenceSeal(vaultKeys),
    mandates: new Mandates(database, vault),
    connectors,
    activation: activationDependencies(onboarding.users, vaultKeys, {
      notifications: notifications.service,
      reminderMs: config.timers.activationReminderMs,
    }),
    p2p: transferDependencies(ledger, {
      vaultKeys,
      hmacKey: vaultHmac,
      transferTtlMs: config.timers.transferTtlMs,
    }),
    verification: kycDependencies(vaultKeys, config.timers.documentExpiryReminderMs),
    savedCards: savedCardDependencies(database, vault, { vaultKeys, expiryNoticeMs: config.timers.cardExpiryNoticeMs }),
    paymentLinks: {
      reminders: new Reminders({ database, users: onboarding.users, messenger }),
      tokens: new LinkTokens(vaultHmac, config.publicUrl),
    },
    consents: consentDependencies(vaultKeys, config.authUrl, config.openBanking),
    timers: config.timers,
    log,
    firstAnswers,
    firstSteps: new FirstSteps(),
  };
  return {
    ...dependencies,
    config,
    keys,
    directUrl,
    engine,
    connectors,
    inbox,
    delivery,
    hints,
    customers: new CustomerService(database, { vaultKeys, hmacKey: vaultHmac }),
    notifications,
    messenger,
    messages,
    files: new FileStore(database, new DocumentKeys(vaultKeys)),
    identity: openCustomerIdentity(config, database, messenger),
    onboarding,
    bank: { ...counting, database, ledger, connectors, timers: config.timers },
    payoutAccounts: new PayoutAccounts({ database, vault, messenger, onboarding }, config.timers.payoutAccountHoldMs),
    async close() {
      await firstAnswers.close();
      messages.close();
      await notifications.dispatch.close();
      await notifications.sender.close();
      await engine.close();
      keys.close();
      await database.close();
    },
  };
}

/** A claim lasts longer than a try can take, so that no other process sends the same notification. */
const CLAIM_MARGIN_MS = 5_000;

function openNotifications(config: Config, database: Database, engine: Engine, log: Logger): Notifications {
  const { timeoutMs, atOnce, schedule } = config.notifications;
  const queue = new NotificationQueue(database.system, timeoutMs + CLAIM_MARGIN_MS);
  const guard = new OutboundGuard({ sandbox: config.sandbox });
  const sender = new NotificationSender({ guard, timeoutMs, connections: atOnce });
  const secrets = new CallbackSecrets(config.keys.vault!);
  const couriers = new Couriers(queue, sender, secrets, { atOnce, schedule }, log);
  const dispatch = new NotificationDispatch(engine, queue, couriers, new Organizations(database), log);
  const service = new NotificationService(database, queue, sender, secrets);
  return { guard, sender, secrets, couriers, dispatch, service };
}
