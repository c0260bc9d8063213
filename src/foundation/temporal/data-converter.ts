import {
  type DataConverter,
  METADATA_ENCODING_KEY,
  type Payload,
  type PayloadCodec,
  type SerializationContext,
} from '@temporalio/common';
import { decode, encode } from '@temporalio/common/lib/encoding';
import { temporal } from '@temporalio/proto';
import type { Refused } from '../../domain/flows';
import type { Keys } from '../config/key-source';
import { Keyring } from '../vault/keyring';

const ENCODING = 'binary/encrypted';
/** Names the workflow that a payload belongs to. It is authenticated with the payload. */
const BOUND_TO = 'bound-to';
const CONTEXT = 'temporal-payload';
/** What the engine adds to the id of each workflow that a schedule starts. Its input is written for the id without. */
const DUE_TIME = /-\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/;
const contextOf = (workflowId: string | undefined) => (workflowId ? `${CONTEXT}/${workflowId}` : CONTEXT);

/**
 * Encrypts every payload on its way into the engine and decrypts it on its way out. Whoever reaches the engine may write
 * payloads there, so those that we did not encrypt, and those of another workflow, are refused. What no workflow is known
 * of is not bound to one, nor are the payloads of the versions before 0.2.
 */
export class EncryptionCodec implements PayloadCodec {
  private readonly keys: Keyring;

  /** `setting`: CODEC_KEYS. `waits`: for keys that a key service keeps, while it is away; else that throws. */
  constructor(
    setting: Keys,
    private readonly waits = false,
  ) {
    this.keys = new Keyring(setting, 'temporal-codec');
  }

  async encode(payloads: Payload[], context?: SerializationContext): Promise<Payload[]> {
    const workflowId = context?.workflowId;
    if (this.waits) await this.keys.untilThere();
    return payloads.map((payload) => ({
      metadata: {
        [METADATA_ENCODING_KEY]: encode(ENCODING),
        ...(workflowId && { [BOUND_TO]: encode(workflowId) }),
      },
      data: this.keys.seal(Buffer.from(temporal.api.common.v1.Payload.encode(payload).finish()), contextOf(workflowId)),
    }));
  }

  /**
   * What is refused among the arguments of a workflow, a signal or an update comes out as `Refused`, so that the flow can
   * go on without it (workflows/refusals.ts). Anywhere else this throws.
   */
  async decode(payloads: Payload[], context?: SerializationContext): Promise<Payload[]> {
    if (this.waits) await this.keys.untilThere();
    return payloads.map((payload) => {
      const opened = this.open(payload, context?.workflowId);
      if (!('refused' in opened)) return opened;
      if (context?.type !== 'workflow') throw new Error(`a payload is refused: ${opened.refused}`);
      return plain({ $refused: opened.refused });
    });
  }

  /** For people who read what the engine stores: decrypts what we encrypted, and shows the rest as it is. */
  reveal(payloads: Payload[]): Payload[] {
    return payloads.map((payload) => {
      if (!isSealed(payload)) return payload;
      const opened = this.open(payload);
      if ('refused' in opened) throw new Error(opened.refused);
      return opened;
    });
  }

  /** Throws when the key that it was sealed with is not there: that is a fault of the settings. */
  private open(payload: Payload, workflowId?: string): Payload | { refused: string } {
    if (!isSealed(payload)) return { refused: 'it was not encrypted by the platform' };
    const boundTo = workflowOf(payload);
    if (boundTo && workflowId && ![workflowId, workflowId.replace(DUE_TIME, '')].includes(boundTo))
      return { refused: 'it belongs to another workflow' };
    const sealed = Buffer.from(payload.data ?? []);
    this.keys.requireKeyOf(sealed);
    try {
      return temporal.api.common.v1.Payload.decode(this.keys.open(sealed, contextOf(boundTo))) as Payload;
    } catch {
      return { refused: 'it was changed' };
    }
  }
}

/** The workflow that a payload says it belongs to, if it is bound to one. */
export function workflowOf({ metadata }: Payload): string | undefined {
  const bound = metadata?.[BOUND_TO];
  return bound ? decode(bound) : undefined;
}

function isSealed({ metadata }: Payload): boolean {
  const encoding = metadata?.[METADATA_ENCODING_KEY];
  return encoding !== undefined && encoding !== null && decode(encoding) === ENCODING;
}

function plain(value: Refused): Payload {
  return { metadata: { [METADATA_ENCODING_KEY]: encode('json/plain') }, data: encode(JSON.stringify(value)) };
}

/** What clients and workers share: bigint-safe JSON, encrypted, failure messages and stack traces included. */
export function createDataConverter(codecKeys: Keys, { waits = false } = {}): DataConverter {
  return {
    payloadConverterPath: require.resolve('./payload-converter'),
    failureConverterPath: require.resolve('./failure-converter'),
    payloadCodecs: [new EncryptionCodec(codecKeys, waits)],
  };
}
