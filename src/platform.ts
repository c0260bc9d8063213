import type { Logger } from 'pino';
import type { Dependencies } from '../activities/dependencies';
import { Delivery } from './callbacks/delivery';
import { Inbox } from './callbacks/inbox';
import { type Config, ConfigError } from './config';
import { CustomerService } from './customers/service';
import { verificationParts } from './customers/verification';
import { type Database, openDatabase } from './db/database';
import { EvidenceSeal } from './disputes/evidence';
import { FileStore } from './files/file-store';
import { CallbackSecrets } from './identity/callback-secrets';
import { type CustomerIdentity, openCustomerIdentity } from './identity/customers/identity';
import { Organizations } from './identity/organizations';
import { Ledger } from './ledger/ledger';
import { MessageDelivery } from './messages/delivery';
import { Messenger } from './messages/messenger';
import { createSenders } from './messages/senders';
import { Couriers } from './notifications/courier';
import { NotificationDispatch } from './notifications/dispatch';
import { OutboundGuard } from './notifications/outbound';
import { NotificationQueue } from './notifications/queue';
import { NotificationSender } from './notifications/sender';
import { NotificationService } from './notifications/service';
import { activationParts } from './onboarding/activation-steps';
import { type Onboarding, openOnboarding } from './onboarding/onboarding';
import { p2pParts } from './p2p/parts';
import { Mandates } from './payments/mandates';
import { createConnectors } from './providers/registry';
import { savedCardParts } from './saved-cards/parts';
import { connectEngine, type Engine } from './temporal/engine';
import { FirstAnswers } from './temporal/first-answer';
import { DocumentKeys } from './vault/document-keys';
import { Vault } from './vault/vault';

/** What the API and the workers have in common, opened from the settings. */
export interface Platform {
  database: Database;
  databaseUrl: string;
  engine: Engine;
  connectors: ReturnType<typeof createConnectors>;
  inbox: Inbox;
  delivery: Delivery;
  vault: Vault;
  customers: CustomerService;
  notifications: Notifications;
  messenger: Messenger;
  messages: MessageDelivery;
  files: FileStore;
  identity: CustomerIdentity;
  onboarding: Onboarding;
  firstAnswers: FirstAnswers;
  dependencies: Dependencies;
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

/** Opens database, engine and everything above them. Rejects when the engine cannot be reached. */
export async function openPlatform(config: Config, name: string, log: Logger): Promise<Platform> {
  const { url } = config.database;
  if (!url) throw new ConfigError('DATABASE_URL is required');
  const { vault: vaultKeys, vaultHmac, codec } = config.keys;
  if (!vaultKeys || !vaultHmac || !codec)
    throw new ConfigError('VAULT_KEYS, VAULT_HMAC_KEY and CODEC_KEYS are required');
  const database = openDatabase(url, config.database.pool, name);
  const engine = await connectEngine(config);
  const vault = new Vault({ keys: vaultKeys, hmacKey: vaultHmac, cvvTtlMs: config.timers.cvvTtlMs });
  const connectors = createConnectors(config);
  const inbox = new Inbox(database.system);
  const firstAnswers = new FirstAnswers();
  const delivery = new Delivery(
    inbox,
    database.system,
    engine,
    connectors,
    {
      retryFirstMs: config.timers.callbackRetryFirstMs,
      retryMaxMs: config.timers.callbackRetryMaxMs,
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
  const ledger = new Ledger();
  const dependencies: Dependencies = {
    database,
    ledger,
    vault,
    evidence: new EvidenceSeal(vaultKeys),
    mandates: new Mandates(database, vault),
    connectors,
    activation: activationParts(onboarding.users, vaultKeys, {
      notifications: notifications.service,
      reminderMs: config.timers.activationReminderMs,
    }),
    p2p: p2pParts(ledger, {
      vaultKeys,
      hmacKey: vaultHmac,
      transferTtlMs: config.timers.transferTtlMs,
    }),
    verification: verificationParts(vaultKeys, config.timers.documentExpiryReminderMs),
    savedCards: savedCardParts(database, vault, { vaultKeys, expiryNoticeMs: config.timers.cardExpiryNoticeMs }),
    timers: config.timers,
    log,
    firstAnswers,
  };
  return {
    database,
    databaseUrl: url,
    engine,
    connectors,
    inbox,
    delivery,
    vault,
    customers: new CustomerService(database, { vaultKeys, hmacKey: vaultHmac }),
    notifications,
    messenger,
    messages,
    files: new FileStore(database, new DocumentKeys(vaultKeys)),
    identity: openCustomerIdentity(config, database, messenger),
    onboarding,
    firstAnswers,
    dependencies,
    async close() {
      await firstAnswers.close();
      messages.close();
      await notifications.dispatch.close();
      await notifications.sender.close();
      await engine.close();
      await database.close();
    },
  };
}

/** A claim holds for longer than a try can take, so that what is on its way is sent by nobody else. */
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
