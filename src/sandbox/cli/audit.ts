import { COMMERCE_CHECKS } from '../../commerce/checks';
import { auditSentTransfers } from '../../commerce/payouts/processor-transfers';
import { SIMULATED_PROCESSORS } from '../../domain/connector';
import { idAt } from '../../domain/ids';
import { AuditExport } from '../../foundation/audit-log/export';
import { type Config, loadConfig } from '../../foundation/config/config';
import type { Database } from '../../foundation/db/database';
import { auditCopy } from '../../money/books-check/audit-log-copy';
import { auditBooks } from '../../money/books-check/books-check';
import type { Finding } from '../../money/books-check/check';
import { auditProcessors } from '../../money/books-check/processor-books';
import { auditReports } from '../../money/books-check/report-checks';
import { databaseNow, lastClean, noteClean, type Since, touchedSince } from '../../money/books-check/since';
import { auditTransfers } from '../../money/books-check/suspense-checks';
import { OPEN_BANKING_CHECKS } from '../../open-banking/checks';
import { chargesOf, sentTransfersOf, transfersOf } from './charges';
import { findSimulatorUrl, openRunningDatabase } from './sandbox';

/** A payment that changed since may be further at its processor than here. */
const PROCESSOR_GRACE_MS = 10_000;

/** Everything at once, or `since` an audit that found nothing: our own books, the settlement reports, and the books of the simulated processors. */
async function audit(
  config: Config,
  { ops }: Database,
  since: Since | undefined,
): Promise<{ findings: Finding[]; total: number }> {
  const [books, reports, processors, transfers, payouts] = await Promise.all([
    auditBooks(ops, [...COMMERCE_CHECKS, ...OPEN_BANKING_CHECKS], undefined, since),
    auditReports(ops, config.timers.reconciliationGraceMs, undefined, since),
    auditSimulated(config, ops, since),
    auditSimulatedTransfers(config, ops),
    auditSimulatedPayouts(config, ops),
  ]);
  console.log(`${books.checks} checks of our own books: ${books.total} findings`);
  console.log(`${reports.checks} checks against the settlement reports: ${reports.total} findings`);
  const found = [books.findings, reports.findings];
  const copy = config.auditExport && (await auditCopy(ops, new AuditExport(config.auditExport)));
  if (copy) {
    console.log(`the copy of the audit log: ${copy.total} findings`);
    found.push(copy.findings);
  }
  for (const [processor, { compared, open, findings, total }] of processors) {
    console.log(`processor ${processor}: ${compared} charges compared, ${open} still open, ${total} findings`);
    found.push(findings);
  }
  for (const [processor, { compared, open, findings }] of transfers)
    console.log(
      `processor ${processor}: ${compared} incoming transfers compared, ${open} still open, ${findings.length} findings`,
    );
  for (const [processor, { compared, open, findings }] of payouts)
    console.log(
      `processor ${processor}: ${compared} payouts compared, ${open} still open, ${findings.length} findings`,
    );
  const ofTransfers = [...transfers.values(), ...payouts.values()].flatMap(({ findings }) => findings);
  const ofProcessors = [...processors.values()].reduce((sum, { total }) => sum + total, 0);
  const total = books.total + reports.total + (copy?.total ?? 0) + ofProcessors + ofTransfers.length;
  return { findings: [...found.flat(), ...ofTransfers], total };
}

const simulatedIn = ({ processorUrls }: Config) => SIMULATED_PROCESSORS.filter((letter) => !processorUrls[letter]);

/** Of the processors that have incoming transfers. */
async function auditSimulatedTransfers(
  config: Config,
  ops: Database['ops'],
): Promise<Map<string, Awaited<ReturnType<typeof auditTransfers>>>> {
  const compared = new Map<string, Awaited<ReturnType<typeof auditTransfers>>>();
  if (!config.sandbox) return compared;
  for (const processor of simulatedIn(config)) {
    const transfers = await transfersOf(findSimulatorUrl(config), processor);
    if (transfers.length > 0) compared.set(processor, await auditTransfers(ops, processor, transfers));
  }
  return compared;
}

/** Of the processors that send transfers. */
async function auditSimulatedPayouts(
  config: Config,
  ops: Database['ops'],
): Promise<Map<string, Awaited<ReturnType<typeof auditSentTransfers>>>> {
  const compared = new Map<string, Awaited<ReturnType<typeof auditSentTransfers>>>();
  if (!config.sandbox) return compared;
  for (const processor of simulatedIn(config)) {
    const sent = await sentTransfersOf(findSimulatorUrl(config), processor);
    if (sent.length > 0) compared.set(processor, await auditSentTransfers(ops, processor, sent));
  }
  return compared;
}

/** `since`: of the payments that were accepted since. Their ids may be as old as requests that are repeated. */
async function auditSimulated(
  config: Config,
  ops: Database['ops'],
  since: Since | undefined,
): ReturnType<typeof auditProcessors> {
  if (!config.sandbox) return new Map();
  const simulated = simulatedIn(config);
  const url = findSimulatorUrl(config);
  const from = since ? idAt('payment', since.at.getTime() - config.api.idempotencyRetentionMs) : '';
  const books = Object.fromEntries(simulated.map((processor) => [processor, chargesOf(url, processor, from)]));
  return auditProcessors(ops, books, PROCESSOR_GRACE_MS, from);
}

const SINCE_LAST = '--since-last';

/** What was touched since the last audit that found nothing. Undefined, with a word why, where all has to be read. */
async function findSince(ops: Database['ops']): Promise<Since | undefined> {
  const last = await lastClean(ops);
  const since = last && (await touchedSince(ops, last));
  if (!last) console.log('No audit before this one was clean: it reads everything.');
  else if (!since) console.log(`So much has changed since ${last.toISOString()} that it reads everything.`);
  else console.log(`Since the audit of ${last.toISOString()}: ${since.payments.length} payments were touched.`);
  return since;
}

/** `--since-last`: begins where the last audit that found nothing began. */
async function main(): Promise<void> {
  const options = process.argv.slice(2);
  if (options.some((option) => option !== SINCE_LAST)) throw new Error(`Usage: npm run audit [-- ${SINCE_LAST}]`);
  const config = loadConfig();
  const database = await openRunningDatabase(config, 'tillway-audit');
  const run = async () => {
    const begunAt = await databaseNow(database.ops);
    const since = options.length > 0 ? await findSince(database.ops) : undefined;
    const found = await audit(config, database, since);
    if (found.total === 0) await noteClean(database.system, begunAt);
    return found;
  };
  const { findings, total } = await run().finally(() => database.close());
  for (const { check, subject, detail } of findings) console.log(`NOT TRUE: ${check}: ${subject}: ${detail}`);
  if (total > findings.length) console.log(`and ${total - findings.length} more like these`);
  console.log(total === 0 ? 'The books are in order.' : `${total} findings.`);
  process.exitCode = total === 0 ? 0 : 1;
}

main().catch((error: Error) => {
  console.error(`audit: ${error.message}`);
  process.exitCode = 1;
});
