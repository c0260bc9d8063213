import { setTimeout as sleep } from 'node:timers/promises';
import { type Merchant, Unavailable } from '../merchant';

/** An event as `GET /ipg/1.0.0/payment/events` answers it. */
export interface PaymentEvent {
  id: string;
  type: string;
  createdAt: string;
  data: {
    paymentId: string;
    amount: string;
    currency: string;
    status: { detail: string };
    refund?: { amount: string; detail: string };
    dispute?: { amount: string; detail: string };
  };
}

interface Page {
  data: PaymentEvent[];
  nextCursor: string;
}

const LOOK_EVERY_MS = 400;
const TRY_AGAIN_MS = 1_500;

/** The organization's events from the moment of `open` on, a page at a time. */
export class Feed {
  private constructor(
    private readonly merchant: Merchant,
    private cursor: string,
    private readonly note: (line: string) => void,
  ) {}

  /** Throws when the API is not there or does not know us. */
  static async open(merchant: Merchant, note: (line: string) => void): Promise<Feed> {
    const { nextCursor } = await read(merchant, 'latest');
    return new Feed(merchant, nextCursor, note);
  }

  /** Ends with `signal`. Should the API go away, says so, waits for it to come back and misses nothing. */
  async *follow(signal: AbortSignal): AsyncGenerator<PaymentEvent[]> {
    let away = false;
    while (!signal.aborted) {
      let pauseMs = LOOK_EVERY_MS;
      try {
        const { data, nextCursor } = await read(this.merchant, this.cursor);
        if (away) this.note('It is back.');
        away = false;
        if (data.length > 0) {
          yield data;
          // Only now: what is yielded has been dealt with.
          this.cursor = nextCursor;
          pauseMs = 0;
        }
      } catch (error) {
        if (!(error instanceof Unavailable)) throw error;
        if (!away) this.note(`${error.message} Trying again until it does; Ctrl-C ends.`);
        away = true;
        pauseMs = TRY_AGAIN_MS;
      }
      await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
    }
  }
}

function read(merchant: Merchant, after: string): Promise<Page> {
  return merchant.send('GET', `/ipg/1.0.0/payment/events?limit=200&after=${encodeURIComponent(after)}`);
}

/** One line: when, what, which payment, how much, why. */
export function lineOf({ createdAt, type, data }: PaymentEvent): string {
  const { amount } = data.refund ?? data.dispute ?? data;
  return `${createdAt.slice(11)}  ${type.padEnd(27)} ${data.paymentId}  ${amount} ${data.currency}`;
}

/** Why it is so, in a sentence. */
export function reasonOf({ data }: PaymentEvent): string {
  return (data.refund ?? data.dispute)?.detail ?? data.status.detail;
}
