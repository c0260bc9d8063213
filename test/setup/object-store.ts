import { createHash, createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { SignatureV4 } from '@smithy/signature-v4';

const REGION = 'eu-test-1';
const CREDENTIALS = { accessKeyId: 'AKTEST', secretAccessKey: 'the secret of the test' };
/** Objects of one listing, fewer than a store gives, so that a test meets several pages. */
const PAGE = 3;

/** SHA-256 as the signer wants it. */
class Sha256 {
  private readonly sum;
  constructor(key?: string | ArrayBuffer | ArrayBufferView) {
    this.sum = key === undefined ? createHash('sha256') : createHmac('sha256', bytesOf(key));
  }
  update(chunk: string | ArrayBuffer | ArrayBufferView): void {
    this.sum.update(bytesOf(chunk));
  }
  async digest(): Promise<Uint8Array> {
    return this.sum.digest();
  }
}
const bytesOf = (from: string | ArrayBuffer | ArrayBufferView): Buffer =>
  typeof from === 'string'
    ? Buffer.from(from)
    : ArrayBuffer.isView(from)
      ? Buffer.from(from.buffer, from.byteOffset, from.byteLength)
      : Buffer.from(from);

/**
 * A store that speaks as much of the S3 API as the copy of the audit log needs: PUT of an object and the second version of
 * the listing. It checks each signature with the signer of the AWS SDK.
 */
export async function openObjectStore() {
  const objects = new Map<string, Buffer>();
  /** Answers refusals with this status while it is set. */
  const state: { refuse?: number } = {};
  const signer = new SignatureV4({
    service: 's3',
    region: REGION,
    credentials: CREDENTIALS,
    sha256: Sha256,
    uriEscapePath: false,
  });

  async function isSigned(request: IncomingMessage, url: URL): Promise<boolean> {
    const given = request.headers.authorization ?? '';
    const [, signed = ''] = /SignedHeaders=([^,]+)/.exec(given) ?? [];
    const date = String(request.headers['x-amz-date']);
    const headers = Object.fromEntries(signed.split(';').map((name) => [name, String(request.headers[name])]));
    const again = await signer.sign(
      {
        method: request.method!,
        protocol: 'http:',
        hostname: url.hostname,
        port: Number(url.port),
        path: url.pathname,
        query: Object.fromEntries(url.searchParams),
        headers,
      },
      {
        signingDate: new Date(date.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z')),
        signableHeaders: new Set(signed.split(';')),
      },
    );
    return again.headers.authorization === given.replaceAll(/,\s*/g, ', ');
  }

  const server = createServer(async (request, response) => {
    const url = new URL(request.url!, `http://${request.headers.host}`);
    const body = await buffer(request);
    if (state.refuse) return response.writeHead(state.refuse).end();
    if (!(await isSigned(request, url))) return response.writeHead(403).end('SignatureDoesNotMatch');
    if (request.method === 'PUT') {
      objects.set(decodeURIComponent(url.pathname.replace('/bucket/', '')), body);
      return response.writeHead(200).end();
    }
    const prefix = url.searchParams.get('prefix') ?? '';
    const after = url.searchParams.get('start-after') ?? '';
    const keys = [...objects.keys()].sort().filter((key) => key.startsWith(prefix) && key > after);
    const contents = keys.slice(0, PAGE).map((key) => `<Contents><Key>${key}</Key></Contents>`);
    response
      .setHeader('content-type', 'application/xml')
      .end(
        `<?xml version="1.0"?><ListBucketResult><IsTruncated>${keys.length > PAGE}</IsTruncated>${contents.join('')}</ListBucketResult>`,
      );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    objects,
    state,
    settings: { bucketUrl: `http://127.0.0.1:${port}/bucket`, region: REGION, prefix: 'tillway/', ...CREDENTIALS },
    close: () => server.close(),
  };
}
