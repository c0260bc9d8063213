import type { Logger } from 'pino';
import { bookStatements } from '../src/commerce/bank-transfers/book';
import { sendReturns } from '../src/commerce/bank-transfers/send-returns';
import { settleTransfers } from '../src/commerce/bank-transfers/settle';
import { COMMERCE_CHECKS } from '../src/commerce/checks';
import { removeUnusedImages } from '../src/commerce/inventory/images';
import { lookAtDueOrders, ORDER_BATCH } from '../src/commerce/orders/due';
import { Receipts } from '../src/commerce/payment-links/receipts';
import { findNewSellers, runDue } from '../src/commerce/payouts/runs';
import { OWN_BANK } from '../src/domain/connector';
import { LateMatches } from '../src/edge/callbacks/late-matches';
import { AuditExport } from '../src/foundation/audit-log/export';
import { sealAuditLog } from '../src/foundation/audit-log/sealing';
import type { Config } from '../src/foundation/config/config';
import { SessionLock } from '../src/foundation/db/session-lock';
import { runWaitingAudit } from '../src/money/books-check/audit';
import { bringOrdered } from '../src/money/interventions/flow';
import { sumUpLedger } from '../src/money/ledger/sums';
import { countPayments } from '../src/money/payments/counting';
import { wakeDueFlows } from '../src/money/payments/flow';
import { failAbandonedPayments } from '../src/money/payments/orphans';
import { askAboutLateCharges } from '../src/money/payments/steps/late-charge';
import { scheduleReconciliation } from '../src/money/reconciliation/flow';
import { scheduleCardExpiry } from '../src/money/saved-cards/flow';
import { matchWithNewPayments } from '../src/money/suspense/arrival';
import { OPEN_BANKING_CHECKS } from '../src/open-banking/checks';
import type { Platform } from './platform';
import { Sweeps } from './sweeps';

const DELIVERY_BATCH = 100;
const DELIVERY_EVERY_MS = 500;
const HINT_BATCH = 50;
const NOTIFICATIONS_EVERY_MS = 5_000;
const MESSAGE_BATCH = 50;
const MESSAGES_EVERY_MS = 250;
const ORPHANS_EVERY_MS = 1_000;
const LATE_CHARGES_EVERY_MS = 1_000;
const ORDERS_EVERY_MS = 500;
const PAYOUTS_EVERY_MS = 1_000;
/** Payouts of schedules are made a few at a time, so that payments get through on a date that many sellers share. */
const PAYOUT_BATCH = 20;
const BANK_EVERY_MS = 500;
const BANK_BATCH = 50;
/** A balance adds what was booked for so long. */
const SUMS_EVERY_MS = 2_000;
const AUDITS_EVERY_MS = 1_000;
/** A line of the audit log can be removed without a trace for so long at most. */
const SEALS_EVERY_MS = 500;
const EXPORTS_EVERY_MS = 5_000;
const EXPIRY_EVERY_MS = 60_000;

/** The recurring chores of a worker: callbacks not delivered yet, requests whose process died or came late, cards and CVVs
 * out of time. */
export function startRounds(config: Config, platform: Platform, log: Logger): () => Promise<void> {
  const { database, delivery, engine, hints, inbox, messages, notifications, vault } = platform;
  const { firstAnswerMs } = config.api;
  const { lostFlowMs } = config.timers;
  // One process at a time looks for lost flows: all would find the same ones.
  const alone = new SessionLock(platform.directUrl, 'tillway: lost flows');
  const sweeps = new Sweeps(database.system, engine, { firstAnswerMs, lostFlowMs });
  const lateMatches = new LateMatches(inbox);
  const receipts = new Receipts(platform.messenger);
  const copy = config.auditExport && new AuditExport(config.auditExport);
  const receipt = receipts.sendFirst.bind(receipts);
  const chores = [
    every(DELIVERY_EVERY_MS, log, 'delivery', async () => (await delivery.round(DELIVERY_BATCH)) === DELIVERY_BATCH),
    every(DELIVERY_EVERY_MS, log, 'late matches', async () => (await alone.tryHold()) && (await lateMatches.round())),
    every(DELIVERY_EVERY_MS, log, 'hints', async () => (await hints.round(HINT_BATCH)) === HINT_BATCH),
    every(MESSAGES_EVERY_MS, log, 'messages', async () => (await messages.round(MESSAGE_BATCH)) === MESSAGE_BATCH),
    every(NOTIFICATIONS_EVERY_MS, log, 'notifications', () => notifications.dispatch.sweep()),
    every(ORPHANS_EVERY_MS, log, 'orphans', async () => {
      if (!(await alone.tryHold())) return;
      await matchWithNewPayments(database.system);
      await failAbandonedPayments(database.system, platform.ledger, firstAnswerMs);
      await bringOrdered(database.system, engine, firstAnswerMs);
      await sweeps.bringUnheard();
    }),
    every(
      ORPHANS_EVERY_MS,
      log,
      'due payments',
      async () => (await alone.tryHold()) && wakeDueFlows(database.system, engine, config.timers),
    ),
    every(PAYOUTS_EVERY_MS, log, 'payouts', async () => {
      if (!(await alone.tryHold())) return false;
      await platform.payoutAccounts.tellOfEffect(PAYOUT_BATCH);
      await findNewSellers(platform);
      return (await runDue(platform, PAYOUT_BATCH)) === PAYOUT_BATCH;
    }),
    every(BANK_EVERY_MS, log, 'bank statements', async () => (await bookStatements(platform.bank)) > 0),
    every(BANK_EVERY_MS, log, 'bank transfers', async () => {
      const settled = await settleTransfers(platform, BANK_BATCH);
      const sent = await sendReturns(platform.bank, BANK_BATCH);
      return settled === BANK_BATCH || sent === BANK_BATCH;
    }),
    every(LATE_CHARGES_EVERY_MS, log, 'late charges', () => askAboutLateCharges(platform)),
    every(
      ORDERS_EVERY_MS,
      log,
      'orders',
      async () => (await lookAtDueOrders(database.system, receipt)) === ORDER_BATCH,
    ),
    every(SUMS_EVERY_MS, log, 'ledger sums', () => sumUpLedger(database.system)),
    every(SUMS_EVERY_MS, log, 'payment counts', () => countPayments(database.system)),
    every(AUDITS_EVERY_MS, log, 'books audits', () =>
      runWaitingAudit(database, [...COMMERCE_CHECKS, ...OPEN_BANKING_CHECKS], config.timers.reconciliationGraceMs),
    ),
    every(SEALS_EVERY_MS, log, 'audit log', async () => (await alone.tryHold()) && sealAuditLog(database.system)),
    ...(copy
      ? [
          every(
            EXPORTS_EVERY_MS,
            log,
            'audit log copy',
            async () => (await alone.tryHold()) && copy.send(database.system),
          ),
        ]
      : []),
    every(lostFlowMs, log, 'lost flows', async () => {
      if (!(await alone.tryHold())) return;
      await keepSchedules(config, platform);
      const started = await sweeps.restartLost(() => alone.held);
      if (started > 0) log.warn({ started }, 'flows were gone and have been started anew');
    }),
    every(EXPIRY_EVERY_MS, log, 'cards', () => vault.sweepCards(database.system, config.timers.cardTtlMs)),
    every(EXPIRY_EVERY_MS, log, 'expiry', async () => {
      await vault.eraseExpiredCvvs(database.system);
      await messages.sweep();
      await platform.files.sweep();
      await removeUnusedImages(database.system);
      await platform.onboarding.parameters.sweep();
      await hints.sweep();
      await inbox.ignoreUnmatched(config.timers.callbackUnmatchedTtlMs);
    }),
  ];
  return async () => {
    await Promise.all(chores.map((stop) => stop()));
    await alone.close();
  };
}

/** Has the engine keep the schedules of the platform's own; it may have lost them with its database. */
export async function keepSchedules(config: Config, { engine, connectors }: Platform): Promise<void> {
  const reporting = connectors.all().filter(({ processor }) => processor !== OWN_BANK);
  const processors = reporting.map(({ processor }) => processor);
  await scheduleReconciliation(engine, processors, config.timers.reconciliationEveryMs);
  await scheduleCardExpiry(engine, config.timers.cardExpiryEveryMs);
}

/** Repeats `chore`, at once when it answers true (there is more), else after a pause. Failures are logged and repeated. */
function every(pauseMs: number, log: Logger, name: string, chore: () => Promise<unknown>): () => Promise<void> {
  let stopped = false;
  let wake = () => {};
  const loop = (async () => {
    while (!stopped) {
      const more = await chore().catch((error: Error) => {
        log.warn({ chore: name, error: error.name }, 'chore failed, repeats');
        return false;
      });
      if (more === true) continue;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, pauseMs);
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  })();
  return async () => {
    stopped = true;
    wake();
    await loop;
  };
}
