import type { Description, Schema } from 'joi';

interface Known {
  /** The schema before it was prepared, because Joi cannot describe a prepared schema. */
  original: Schema;
  /** Made when somebody first mistypes a member. It takes a while, and most schemas never need it. */
  description?: Description;
}

const known = new WeakMap<Schema, Known>();

/** Remembers from which schema a prepared schema was made, for `nearMember`. Returns the prepared one. */
export function remember<T extends Schema>(prepared: T, original: Schema): T {
  known.set(prepared, { original });
  return prepared;
}

/**
 * The known member that the caller probably meant by the unknown member at `path`, such as `ammount`, `card_token` or
 * `Currency`. Undefined if none is near.
 */
export function nearMember(schema: Schema, path: readonly (string | number)[]): string | undefined {
  const one = known.get(schema);
  const written = String(path.at(-1));
  if (!one || written.length > 64) return undefined;
  one.description ??= one.original.describe();
  const names = nodesAt(one.description, path.slice(0, -1)).flatMap((node) => Object.keys(node.keys ?? {}));
  const near = [...new Set(names)]
    .map((name) => ({ name, distance: distance(plain(name), plain(written)) }))
    .filter(({ name, distance }) => distance <= Math.max(1, Math.floor(plain(name).length / 4)))
    .sort((one, other) => one.distance - other.distance);
  return near[0]?.name;
}

// biome-ignore lint/suspicious/noExplicitAny: descriptions are an open structure
type Node = any;

/** The objects that are possible at a path, in all alternatives. */
function nodesAt(description: Node, path: readonly (string | number)[]): Node[] {
  const alternatives: Node[] = [...(description.matches ?? []), ...(description.whens ?? [])].flatMap((match: Node) =>
    match.schema ? [match.schema] : (match.switch ?? [match]).flatMap(({ then, otherwise }: Node) => [then, otherwise]),
  );
  const others = alternatives.filter(Boolean).flatMap((one) => nodesAt(one, path));
  const [step, ...rest] = path;
  if (step === undefined) return [description, ...others];
  const children: Node[] = typeof step === 'number' ? (description.items ?? []) : [description.keys?.[step]];
  return [...children.filter(Boolean).flatMap((child) => nodesAt(child, rest)), ...others];
}

/** Makes `merchant_transaction_id` and `merchantTransactionID` equal. */
function plain(name: string): string {
  return name.replace(/[^A-Za-z0-9]/g, '').toLowerCase();
}

/** Damerau's distance (optimal string alignment): letters changed, added or left out, or two neighbours swapped. */
function distance(one: string, other: string): number {
  let before: number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, n) => n);
  for (let i = 1; i <= one.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= other.length; j += 1) {
      const cost = one[i - 1] === other[j - 1] ? 0 : 1;
      let best = Math.min(last[j]! + 1, row[j - 1]! + 1, last[j - 1]! + cost);
      const isSwapped = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1];
      if (isSwapped) best = Math.min(best, before[j - 2]! + 1);
      row.push(best);
    }
    before = last;
    last = row;
  }
  return last[other.length]!;
}
