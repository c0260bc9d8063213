import { SIMULATED_PROCESSORS } from '../../domain/connector';
import { parseAmount } from '../../domain/money';
import { loadConfig } from '../../foundation/config/config';
import { auditBooks, auditProcessor, type ProcessorCharge } from '../../money/books-check/books-check';
import type { Finding } from '../../money/books-check/check';
import { auditTransfers, type ProcessorTransfer } from '../../money/books-check/suspense-checks';
import { findSimulatorUrl, openRunningDatabase, START_IT } from './sandbox';

/** Reads a simulated processor's own books, page by page. */
async function* chargesOf(simulatorUrl: string, processor: string): AsyncGenerator<ProcessorCharge> {
  let cursor: string | null = null;
  do {
    const query: string = cursor ? `&cursor=${encodeURIComponent(cursor)}` : '';
    const url = `${simulatorUrl}/sim/processors/${processor}/charges?limit=200${query}`;
    const response = await fetch(url).catch(() => {
      throw new Error(`the simulator at ${simulatorUrl} does not answer: ${START_IT}`);
    });
    if (!response.ok) throw new Error(`the simulator answers ${response.status}`);
    const page = (await response.json()) as { data: Record<string, string>[]; nextCursor: string | null };
    for (const charge of page.data) {
      const minor = (text: string) => parseAmount(text, charge.currency!);
      yield {
        reference: charge.reference!,
        currency: charge.currency!,
        status: charge.status!,
        captured: minor(charge.captured!),
        refunded: minor(charge.refunded!),
      };
    }
    cursor = page.nextCursor;
  } while (cursor);
}

/** The incoming transfers of a simulated processor; none where it has no accounts. */
async function transfersOf(simulatorUrl: string, processor: string): Promise<ProcessorTransfer[]> {
  const response = await fetch(`${simulatorUrl}/sim/processors/${processor}/transfers`);
  if (response.status === 404) return [];
  if (!response.ok) throw new Error(`the simulator answers ${response.status}`);
  const { data } = (await response.json()) as {
    data: Record<'transferId' | 'amount' | 'currency' | 'status', string>[];
  };
  return data.map(({ transferId, amount, currency, status }) => ({
    transferId,
    currency,
    amountMinor: parseAmount(amount, currency),
    isHeld: status === 'held',
  }));
}

async function main(): Promise<void> {
  const config = loadConfig();
  const database = await openRunningDatabase(config, 'tillway-audit');
  const findings: Finding[] = [];
  try {
    const books = await auditBooks(database.ops);
    findings.push(...books.findings);
    console.log(`${books.checks} checks of our own books: ${books.findings.length} findings`);
    if (config.sandbox)
      for (const processor of SIMULATED_PROCESSORS.filter((letter) => !config.processorUrls[letter])) {
        const view = await auditProcessor(database.ops, processor, chargesOf(findSimulatorUrl(config), processor));
        const transfers = await auditTransfers(
          database.ops,
          processor,
          await transfersOf(findSimulatorUrl(config), processor),
        );
        findings.push(...view.findings, ...transfers.findings);
        if (transfers.compared > 0)
          console.log(
            `processor ${processor}: ${transfers.compared} incoming transfers compared, ${transfers.open} still open, ${transfers.findings.length} findings`,
          );
        console.log(
          `processor ${processor}: ${view.compared} charges compared, ${view.open} still open, ${view.findings.length} findings`,
        );
      }
  } finally {
    await database.close();
  }
  for (const { check, subject, detail } of findings) console.log(`NOT TRUE: ${check}: ${subject}: ${detail}`);
  console.log(findings.length === 0 ? 'The books are in order.' : `${findings.length} findings.`);
  process.exitCode = findings.length === 0 ? 0 : 1;
}

main().catch((error: Error) => {
  console.error(`audit: ${error.message}`);
  process.exitCode = 1;
});
