import type { Stream } from 'node:stream';
import { bulkhead } from 'cockatiel';
import { DomainError } from '../../../domain/errors';
import { csvAnswer } from '../csv';
import type { List } from '../list';
import type { Answer } from '../route';

/** Records that an export reads at a time. A page of the API has 200 at most. */
export const EXPORT_PAGE = 500;

interface Page {
  data: unknown[];
  nextCursor?: string | null;
}

/**
 * Lists as CSV, of any length: page after page, through the handler that answers the pages. It needs the memory of one
 * page, and a connection to the database only while it reads one, so that a slow reader holds none.
 */
export class ListExports {
  private readonly running = new Map<string, number>();
  private readonly reading;

  /** `perClient`: exports of one client at a time. `pagesAtOnce`: pages that all exports together read at a time. */
  constructor(
    private readonly perClient: number,
    pagesAtOnce: number,
  ) {
    this.reading = bulkhead(pagesAtOnce, Number.POSITIVE_INFINITY);
  }

  /** `pageAfter` answers the page after a cursor. Throws `rate_limited` while the client has `perClient` exports. */
  async answer(client: string, list: List, pageAfter: (cursor?: string) => Promise<Answer>): Promise<Answer> {
    const leave = this.enter(client);
    try {
      const answer = await csvAnswer(list.name, list.columns, this.records(list, pageAfter));
      // Also when the client has left.
      (answer.body as Stream).once('close', leave);
      return answer;
    } catch (error) {
      leave();
      throw error;
    }
  }

  private async *records(list: List, pageAfter: (cursor?: string) => Promise<Answer>): AsyncGenerator<unknown> {
    for (let cursor: string | undefined; ; ) {
      const { body } = await this.reading.execute(() => pageAfter(cursor));
      const { data, nextCursor } = body as Page;
      yield* data;
      // A feed has always a next page, at its end an empty one.
      if (!list.next || !nextCursor || (list.next === 'after' && data.length === 0)) return;
      cursor = nextCursor;
    }
  }

  private enter(client: string): () => void {
    const running = this.running.get(client) ?? 0;
    if (running >= this.perClient)
      throw new DomainError('rate_limited', `Wait for one of your ${running} exports to end`, { retryAfterSeconds: 5 });
    this.running.set(client, running + 1);
    return () => {
      const left = this.running.get(client)! - 1;
      if (left > 0) this.running.set(client, left);
      else this.running.delete(client);
    };
  }
}
