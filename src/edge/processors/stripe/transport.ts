import Stripe from 'stripe';
import { ProcessorHttp, type ProcessorHttpResult } from '../http';
import { readObject } from '../reading';

/** A call without an answer to read; `result` says whether it may have had its effect. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';

  constructor(readonly result: Exclude<ProcessorHttpResult, { kind: 'answer' }>) {
    super(result.detail);
  }
}

const API_URL = 'https://api.stripe.com';
const FILES_HOST = 'files.stripe.com';

/**
 * Carries the SDK's requests like those of every other connector: one deadline, a circuit breaker, nothing sent twice. (The
 * SDK's own client repeats a request whose connection was closed, whatever `maxNetworkRetries` says.)
 */
export class StripeTransport extends Stripe.HttpClient {
  private readonly api: ProcessorHttp;
  private readonly files: ProcessorHttp;

  /** `apiUrl`: takes every request, uploads included; absent: Stripe itself. */
  constructor({ apiUrl, timeoutMs }: { apiUrl?: string; timeoutMs: number }) {
    super();
    this.api = new ProcessorHttp({ baseUrl: apiUrl ?? API_URL, timeoutMs });
    this.files = apiUrl ? this.api : new ProcessorHttp({ baseUrl: `https://${FILES_HOST}`, timeoutMs });
  }

  override getClientName(): string {
    return 'tillway';
  }

  override async makeRequest(
    host: string,
    _port: string,
    path: string,
    method: string,
    headers: Record<string, string | number | string[] | undefined>,
    requestData: string | Uint8Array,
  ): Promise<Answer> {
    const result = await (host === FILES_HOST ? this.files : this.api).send({
      method: method as 'GET' | 'POST',
      path,
      headers: asText(headers),
      body: method === 'GET' ? undefined : requestData,
    });
    if (result.kind !== 'answer') throw new NoAnswer(result);
    return new Answer(result.status, result.text);
  }
}

class Answer extends Stripe.HttpClientResponse {
  constructor(
    status: number,
    private readonly text: string,
  ) {
    super(status, {});
  }

  override getRawResponse(): object {
    return {};
  }

  /** JSON that is no object would end the SDK's call without an answer, in an error that nobody catches. */
  override async toJSON(): Promise<unknown> {
    const object = readObject(this.text);
    if (!object) throw new SyntaxError('the body is no JSON object');
    return object;
  }
}

/** The length is counted from the body that is sent. */
function asText(headers: Record<string, string | number | string[] | undefined>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers)
      .filter(([name, value]) => value !== undefined && name.toLowerCase() !== 'content-length')
      .map(([name, value]) => [name, `${value}`]),
  );
}
