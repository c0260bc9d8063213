import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Knex } from 'knex';
import { formatAmount } from '../../src/domain/money';

interface ChargeRow {
  reference: string;
  currency: string;
  status: string;
  captured_minor: bigint;
  refunded_minor: bigint;
}

export interface BooksServer {
  url: string;
  close(): void;
}

/** Answers for `bench.charges` as the simulator does for its own books, page by page. Closes with `close`. */
export async function serveBooks(owner: Knex): Promise<BooksServer> {
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url!, 'http://localhost');
    const processor = /^\/sim\/processors\/(\w+)\/charges$/.exec(pathname)?.[1];
    const limit = Number(searchParams.get('limit'));
    // Its processors have charges and nothing else.
    if (!processor) return response.writeHead(404).end();
    owner('bench.charges')
      .where({ processor })
      .where('reference', '>', searchParams.get('after') ?? '')
      .orderBy('reference')
      .limit(limit)
      .then((rows: ChargeRow[]) => {
        const nextAfter = rows.length === limit ? rows.at(-1)!.reference : null;
        response.setHeader('content-type', 'application/json');
        response.end(JSON.stringify({ data: rows.map(presented), nextAfter }));
      })
      .catch((error: Error) => response.writeHead(500).end(error.message));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, close: () => server.close() };
}

function presented({ reference, currency, status, captured_minor, refunded_minor }: ChargeRow) {
  const captured = formatAmount(captured_minor, currency);
  return { reference, currency, status, captured, refunded: formatAmount(refunded_minor, currency) };
}
