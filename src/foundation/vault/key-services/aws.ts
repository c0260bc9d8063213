import type { KMSClient, KMSServiceException } from '@aws-sdk/client-kms';
import { ask, type KeyContext, type KeyService, KeyServiceRefusal, type WrappedKey } from './key-service';

type Sdk = typeof import('@aws-sdk/client-kms');

export interface AwsOptions {
  /** ARN or alias of a symmetric key. */
  keyId: string;
  region?: string;
  url?: string;
  timeoutMs: number;
}

/**
 * AWS KMS. Credentials and region come from where each AWS SDK looks for them: environment, files, or the role of the
 * machine or container. The SDK is loaded at the first call.
 */
export class AwsKeyService implements KeyService {
  readonly kind = 'aws';
  private loaded: { sdk: Sdk; client: KMSClient } | undefined;

  constructor(private readonly options: AwsOptions) {}

  async wrap(dataKey: Buffer, context: KeyContext): Promise<WrappedKey> {
    const { sdk, client } = this.load();
    const { keyId: KeyId } = this.options;
    const command = new sdk.EncryptCommand({ KeyId, Plaintext: dataKey, EncryptionContext: { ...context } });
    const answer = await this.ask((abortSignal) => client.send(command, { abortSignal }));
    return { bytes: Buffer.from(answer.CiphertextBlob!), key: answer.KeyId! };
  }

  async unwrap({ bytes, key }: WrappedKey, context: KeyContext): Promise<Buffer> {
    const { sdk, client } = this.load();
    const command = new sdk.DecryptCommand({ KeyId: key, CiphertextBlob: bytes, EncryptionContext: { ...context } });
    const answer = await this.ask((abortSignal) => client.send(command, { abortSignal }));
    return Buffer.from(answer.Plaintext!);
  }

  private load() {
    if (this.loaded) return this.loaded;
    const sdk: Sdk = require('@aws-sdk/client-kms');
    const { region, url: endpoint } = this.options;
    // Tries are ours, as for the other services.
    this.loaded = { sdk, client: new sdk.KMSClient({ region, endpoint, maxAttempts: 1 }) };
    return this.loaded;
  }

  private ask<T>(call: (signal: AbortSignal) => Promise<T>): Promise<T> {
    return ask(this.kind, this.options.timeoutMs, (signal) =>
      call(signal).catch((error: Error) => {
        throw isRefusal(error) ? new KeyServiceRefusal(`AWS KMS answered ${error.name}`) : error;
      }),
    );
  }
}

/** A client's fault, unless it says that the same call may succeed later. */
function isRefusal(error: Error): boolean {
  const { $fault, $retryable, $metadata, name } = error as Partial<KMSServiceException> & { name: string };
  return $fault === 'client' && !$retryable && $metadata?.httpStatusCode !== 429 && !/Throttl|LimitExceeded/.test(name);
}
