import {
  BinaryPayloadConverter,
  CompositePayloadConverter,
  METADATA_ENCODING_KEY,
  type Payload,
  type PayloadConverterWithEncoding,
  UndefinedPayloadConverter,
} from '@temporalio/common';
import { decode, encode } from '@temporalio/common/lib/encoding';

const ENCODING = 'json/plain';

/** JSON in which a bigint survives, as {"$bigint": "123"}: money is bigint and the default converter rejects it. */
class ExactJsonPayloadConverter implements PayloadConverterWithEncoding {
  readonly encodingType = ENCODING;

  toPayload(value: unknown): Payload | undefined {
    if (value === undefined) return undefined;
    const json = JSON.stringify(value, (_key, inner) => (typeof inner === 'bigint' ? { $bigint: `${inner}` } : inner));
    if (json === undefined) return undefined;
    return { metadata: { [METADATA_ENCODING_KEY]: encode(ENCODING) }, data: encode(json) };
  }

  fromPayload<T>(payload: Payload): T {
    return JSON.parse(decode(payload.data ?? new Uint8Array()), (_key, inner) =>
      typeof inner?.$bigint === 'string' ? BigInt(inner.$bigint) : inner,
    );
  }
}

export const payloadConverter = new CompositePayloadConverter(
  new UndefinedPayloadConverter(),
  new BinaryPayloadConverter(),
  new ExactJsonPayloadConverter(),
);
