import { type DataConverter, METADATA_ENCODING_KEY, type Payload, type PayloadCodec } from '@temporalio/common';
import { decode, encode } from '@temporalio/common/lib/encoding';
import { temporal } from '@temporalio/proto';
import { Keyring } from '../vault/keyring';

const ENCODING = 'binary/encrypted';
const CONTEXT = 'temporal-payload';

/** Encrypts every payload on its way into the engine and decrypts it on its way out. */
export class EncryptionCodec implements PayloadCodec {
  private readonly keys: Keyring;

  /** `setting`: CODEC_KEYS. */
  constructor(setting: string) {
    this.keys = new Keyring(setting, 'temporal-codec');
  }

  async encode(payloads: Payload[]): Promise<Payload[]> {
    return payloads.map((payload) => ({
      metadata: { [METADATA_ENCODING_KEY]: encode(ENCODING) },
      data: this.keys.seal(Buffer.from(temporal.api.common.v1.Payload.encode(payload).finish()), CONTEXT),
    }));
  }

  async decode(payloads: Payload[]): Promise<Payload[]> {
    return payloads.map((payload) => {
      const encoding = payload.metadata?.[METADATA_ENCODING_KEY];
      if (!encoding || decode(encoding) !== ENCODING) return payload;
      return temporal.api.common.v1.Payload.decode(this.keys.open(Buffer.from(payload.data ?? []), CONTEXT)) as Payload;
    });
  }
}

/** What clients and workers share: bigint-safe JSON, encrypted, failure messages and stack traces included. */
export function createDataConverter(codecKeys: string): DataConverter {
  return {
    payloadConverterPath: require.resolve('./payload-converter'),
    failureConverterPath: require.resolve('./failure-converter'),
    payloadCodecs: [new EncryptionCodec(codecKeys)],
  };
}
