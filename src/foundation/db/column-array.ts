/** Of the types that a column may have: its id, as in `pg_type`. */
const TYPES = { text: 25, bytea: 17 } as const;

const HEAD_BYTES = 20;
const LENGTH_BYTES = 4;

/**
 * A column of many rows as one value, for `unnest(?::text[])` or `?::bytea[]`: in the binary form of Postgres, which neither
 * side has to escape, quote or write as hexadecimal digits.
 */
export function columnArray(type: keyof typeof TYPES, values: readonly (string | Buffer | null)[]): Buffer {
  let size = HEAD_BYTES;
  let hasNull = 0;
  const sizes = values.map((value) => {
    if (value === null) hasNull = 1;
    const bytes = value === null ? -1 : typeof value === 'string' ? Buffer.byteLength(value) : value.length;
    size += LENGTH_BYTES + Math.max(0, bytes);
    return bytes;
  });
  const array = Buffer.allocUnsafe(size);
  // Dimensions, whether there are nulls, type of the elements; then length and first index of the one dimension.
  let at = array.writeInt32BE(values.length > 0 ? 1 : 0, 0);
  at = array.writeInt32BE(hasNull, at);
  at = array.writeInt32BE(TYPES[type], at);
  if (values.length === 0) return array.subarray(0, at);
  at = array.writeInt32BE(values.length, at);
  at = array.writeInt32BE(1, at);
  values.forEach((value, row) => {
    at = array.writeInt32BE(sizes[row]!, at);
    if (typeof value === 'string') at += array.write(value, at);
    else if (value) at += value.copy(array, at);
  });
  return array;
}
