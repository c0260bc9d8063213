import { readFile } from 'node:fs/promises';
import {
  ask,
  boundTo,
  type KeyContext,
  type KeyService,
  KeyServiceRefusal,
  postJson,
  type WrappedKey,
} from './key-service';

export interface TransitOptions {
  url: string;
  /** Of type `aes256-gcm96`, or another that takes associated data. */
  key: string;
  mount: string;
  namespace?: string;
  /** Else by AppRole. */
  tokenFile?: string;
  roleId?: string;
  secretId?: string;
  timeoutMs: number;
}

/** A token is used for this part of its life. */
const TOKEN_SHARE = 0.7;

/** HashiCorp Vault, its Transit engine, over HTTP. */
export class TransitKeyService implements KeyService {
  readonly kind = 'vault';
  private session: { token: string; until: number } | undefined;

  constructor(private readonly options: TransitOptions) {}

  async wrap(dataKey: Buffer, context: KeyContext): Promise<WrappedKey> {
    const { key } = this.options;
    const { ciphertext } = await this.call<{ ciphertext: string }>('encrypt', key, {
      plaintext: dataKey.toString('base64'),
      associated_data: boundTo(context),
    });
    return { bytes: Buffer.from(ciphertext), key };
  }

  async unwrap({ bytes, key }: WrappedKey, context: KeyContext): Promise<Buffer> {
    const { plaintext } = await this.call<{ plaintext: string }>('decrypt', key, {
      ciphertext: bytes.toString(),
      associated_data: boundTo(context),
    });
    return Buffer.from(plaintext, 'base64');
  }

  private call<T>(act: 'encrypt' | 'decrypt', key: string, body: object): Promise<T> {
    const { mount, timeoutMs } = this.options;
    return ask(this.kind, timeoutMs, async (signal) => {
      const session = await this.signIn(signal);
      try {
        const path = `${mount}/${act}/${encodeURIComponent(key)}`;
        const { data } = await this.post<{ data: T }>(path, body, signal, session.token);
        return data;
      } catch (error) {
        // The token may have been revoked before its time: the next call signs in again, and this one does so once.
        if (!(error instanceof KeyServiceRefusal) || !session.kept) throw error;
        this.session = undefined;
        throw new Error('the token was refused', { cause: error });
      }
    });
  }

  /** `kept`: a token of an earlier call. */
  private async signIn(signal: AbortSignal): Promise<{ token: string; kept: boolean }> {
    const { tokenFile, roleId, secretId } = this.options;
    if (tokenFile) return { token: (await readFile(tokenFile, 'utf8')).trim(), kept: false };
    if (this.session && this.session.until > Date.now()) return { token: this.session.token, kept: true };
    const body = { role_id: roleId, secret_id: secretId };
    const { auth } = await this.post<{ auth: { client_token: string; lease_duration: number } }>(
      'auth/approle/login',
      body,
      signal,
    );
    // A lease of 0 has no end.
    const lifeMs = auth.lease_duration > 0 ? auth.lease_duration * 1_000 * TOKEN_SHARE : Number.POSITIVE_INFINITY;
    this.session = { token: auth.client_token, until: Date.now() + lifeMs };
    return { token: auth.client_token, kept: false };
  }

  private post<T>(path: string, body: object, signal: AbortSignal, token?: string): Promise<T> {
    const { url, namespace } = this.options;
    const headers = {
      ...(token && { 'x-vault-token': token }),
      ...(namespace && { 'x-vault-namespace': namespace }),
    };
    return postJson<T>(`${url.replace(/\/$/, '')}/v1/${path}`, { headers, body, signal });
  }
}
