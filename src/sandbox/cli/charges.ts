import type { SentTransfer } from '../../commerce/payouts/processor-transfers';
import { parseAmount } from '../../domain/money';
import type { ProcessorCharge } from '../../money/books-check/processor-books';
import type { ProcessorTransfer } from '../../money/books-check/suspense-checks';
import { START_IT } from './sandbox';

const PAGE = 1_000;

/** Reads a simulated processor's own books page by page, in the order of their references. `from`: those after this one. */
export async function* chargesOf(simulatorUrl: string, processor: string, from = ''): AsyncGenerator<ProcessorCharge> {
  let after: string | null = from;
  while (after !== null) {
    const url: string = `${simulatorUrl}/sim/processors/${processor}/charges?limit=${PAGE}&after=${encodeURIComponent(after)}`;
    const response: Response = await fetch(url).catch(() => {
      throw new Error(`the simulator at ${simulatorUrl} does not answer: ${START_IT}`);
    });
    if (!response.ok) throw new Error(`the simulator answers ${response.status}`);
    const page = (await response.json()) as { data: Record<string, string>[]; nextAfter: string | null };
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
    after = page.nextAfter;
  }
}

/** The incoming transfers of a simulated processor; none where it has no accounts. */
export async function transfersOf(simulatorUrl: string, processor: string): Promise<ProcessorTransfer[]> {
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

/** What a simulated processor has sent to accounts that we named; nothing where it sends none. */
export async function sentTransfersOf(simulatorUrl: string, processor: string): Promise<SentTransfer[]> {
  const response = await fetch(`${simulatorUrl}/sim/processors/${processor}/payouts`);
  if (response.status === 404) return [];
  if (!response.ok) throw new Error(`the simulator answers ${response.status}`);
  const { data } = (await response.json()) as {
    data: (Record<'reference' | 'amount' | 'currency', string> & Pick<SentTransfer, 'status'>)[];
  };
  return data.map(({ reference, amount, currency, status }) => ({
    reference,
    currency,
    amountMinor: parseAmount(amount, currency),
    status,
  }));
}
