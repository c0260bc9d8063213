import type { GoogleAuth } from 'google-auth-library';
import { ask, boundTo, type KeyContext, type KeyService, postJson, type WrappedKey } from './key-service';

const SCOPE = 'https://www.googleapis.com/auth/cloudkms';

export interface GcpOptions {
  /** `projects/…/locations/…/keyRings/…/cryptoKeys/…`, a symmetric key. */
  key: string;
  url: string;
  timeoutMs: number;
}

/**
 * Google Cloud KMS. Credentials are the application default ones: `GOOGLE_APPLICATION_CREDENTIALS`, workload identity, or
 * the account of the machine. The library that finds them is loaded at the first call.
 */
export class GcpKeyService implements KeyService {
  readonly kind = 'gcp';
  private auth: GoogleAuth | undefined;

  constructor(private readonly options: GcpOptions) {}

  async wrap(dataKey: Buffer, context: KeyContext): Promise<WrappedKey> {
    const { key } = this.options;
    const { ciphertext } = await this.call<{ ciphertext: string }>(`${key}:encrypt`, {
      plaintext: dataKey.toString('base64'),
      additionalAuthenticatedData: boundTo(context),
    });
    return { bytes: Buffer.from(ciphertext, 'base64'), key };
  }

  async unwrap({ bytes, key }: WrappedKey, context: KeyContext): Promise<Buffer> {
    const { plaintext } = await this.call<{ plaintext: string }>(`${key}:decrypt`, {
      ciphertext: bytes.toString('base64'),
      additionalAuthenticatedData: boundTo(context),
    });
    return Buffer.from(plaintext, 'base64');
  }

  private load(): GoogleAuth {
    const library: typeof import('google-auth-library') = require('google-auth-library');
    // With the project named, nobody asks the machine for it, which takes seconds where there is no metadata server.
    this.auth ??= new library.GoogleAuth({ scopes: SCOPE, projectId: this.options.key.split('/')[1] });
    return this.auth;
  }

  private async call<T>(path: string, body: object): Promise<T> {
    const auth = this.load();
    const { url, timeoutMs } = this.options;
    return ask(this.kind, timeoutMs, async (signal) => {
      const headers = { authorization: `Bearer ${await within(signal, auth.getAccessToken())}` };
      return postJson<T>(`${url}/v1/${path}`, { headers, body, signal });
    });
  }
}

/** The library takes no signal. */
function within<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return Promise.race([
    work,
    new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true })),
  ]);
}
