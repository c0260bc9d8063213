import type { Description, Schema } from 'joi';
import { conditionsOf, type Json } from './json-schema-conditions';

export type { Json } from './json-schema-conditions';

const DIALECT = 'draft-2020-12';

/** Any JSON value, as a component of the document. It is the schema of the members of an open object. */
export const JSON_VALUE = {
  description: 'Any JSON value',
  anyOf: [
    { type: 'string' },
    { type: 'number' },
    { type: 'boolean' },
    { type: 'null' },
    { type: 'array', items: { $ref: '#/components/schemas/JsonValue' } },
    { type: 'object', additionalProperties: { $ref: '#/components/schemas/JsonValue' } },
  ],
};
/** A reference to that component. */
export const ANY_VALUE = { $ref: '#/components/schemas/JsonValue' };
const anyValue = () => ({ ...ANY_VALUE });

/** Schema of a JSON object with any members. */
export const OPEN_OBJECT = { type: 'object', additionalProperties: anyValue() };

/**
 * Joi's own JSON Schema. We add the examples, formats and either-or rules that Joi leaves out, and remove empty
 * alternatives. With `nullIsAbsent`, an optional member may also be `null`.
 */
export function jsonSchemaOf(schema: Schema, mode: 'input' | 'output', { nullIsAbsent = false } = {}): Json {
  const standard = (schema as Json)['~standard'].jsonSchema;
  const conditions =
    mode === 'input' ? (json: Json, described: Json) => conditionsOf(described, json, nullIsAbsent) : none;
  const json = tidy(complete(standard[mode]({ target: DIALECT }), schema.describe(), conditions));
  return nullIsAbsent ? admitNull(json) : json;
}

/** What holds between the members of an object. */
type Conditions = (json: Json, described: Json) => Json[];
const none: Conditions = () => [];

function complete(json: Json, described: Description & Json, conditions: Conditions): Json {
  if (described.type === 'alternatives' || described.whens) {
    const branches = branchesOf(described);
    const schemas: Json[] = json.anyOf.filter((one: Json) => Object.keys(one).length > 0);
    for (const [index, schema] of schemas.entries())
      complete(
        schema,
        branches.length === schemas.length ? branches[index] : { ...described, whens: undefined },
        conditions,
      );
    return json;
  }
  if (described.examples) json.examples = described.examples;
  if (conditions !== none && ['number', 'integer'].includes(json.type)) boundNumber(json);
  for (const { format, pattern } of (described.metas ?? []) as Json[])
    Object.assign(json, format && { format }, pattern && { pattern });
  if (described.type === 'object' && described.flags?.unknown) json.additionalProperties = anyValue();
  for (const [name, child] of Object.entries(described.keys ?? {}))
    if (json.properties?.[name]) complete(json.properties[name], child as Description, conditions);
  if (described.items?.length === 1 && json.items) complete(json.items, described.items[0], conditions);
  for (const { rel, peers } of described.dependencies ?? []) {
    if (rel !== 'xor' && rel !== 'or') continue;
    const each = peers.map((peer: string) => togetherWith(peer, json, described));
    if (rel === 'xor') json.oneOf = each;
    else json.anyOf = each;
  }
  const rules = conditions(json, described);
  if (rules.length > 0) json.allOf = rules;
  return json;
}

/** Joi takes numbers that are exact (I-JSON, RFC 7493 section 2.2), and its JSON Schema does not say so. */
function boundNumber(json: Json): void {
  if (json.minimum === undefined && json.exclusiveMinimum === undefined) json.minimum = Number.MIN_SAFE_INTEGER;
  if (json.maximum === undefined && json.exclusiveMaximum === undefined) json.maximum = Number.MAX_SAFE_INTEGER;
}

/** The possible schemas of a conditional, in Joi's order, without the forbidden ones. */
function branchesOf({ matches, whens }: Json): Json[] {
  const all: Json[] = (matches ?? whens).flatMap((match: Json) =>
    match.schema ? [match.schema] : (match.switch ?? [match]).flatMap(({ then, otherwise }: Json) => [then, otherwise]),
  );
  const texts = all.map((one) => JSON.stringify(one));
  return all.filter((one, index) => one && (one.type !== 'any' || one.whens) && texts.indexOf(texts[index]!) === index);
}

/** The alternative with `peer` and the members that it requires, all spelled out for type generators. */
function togetherWith(peer: string, json: Json, described: Json): Json {
  const group = (described.dependencies as Json[]).find(({ rel, peers }) => rel === 'and' && peers.includes(peer));
  const names: string[] = group?.peers ?? [peer];
  return {
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name, json.properties[name]])),
    required: names,
  };
}

function outcomesOf({ allOf = [] }: Json): Json[] {
  return allOf.flatMap((rule: Json) => [rule.then, rule.else].filter(Boolean));
}

/** Removes alternatives that allow nothing or are contained in another one, and flattens the rest. */
function tidy(json: Json): Json {
  for (const child of Object.values(json.properties ?? {})) tidy(child);
  if (json.items) tidy(json.items);
  if (typeof json.additionalProperties === 'object') tidy(json.additionalProperties);
  for (const child of [...(json.oneOf ?? []), ...outcomesOf(json)]) tidy(child);
  if (json.format === 'ip') {
    // Not a format of JSON Schema.
    const { type, format, minLength, ...rest } = json;
    for (const name of Object.keys(json)) delete json[name];
    const versions = ['ipv4', 'ipv6'].map((version) => ({ type, format: version }));
    Object.assign(json, { description: 'IPv4 or IPv6 address', ...rest, anyOf: versions });
  }
  if (json.properties && Object.keys(json.properties).length === 0) delete json.properties;
  if (!json.anyOf) return json;
  const flat: Json[] = json.anyOf.flatMap((child: Json) => {
    tidy(child);
    return Object.keys(child).length === 1 && child.anyOf ? child.anyOf : [child];
  });
  const meaningful = flat.filter((child) => Object.keys(child).length > 0);
  const kept = meaningful.filter(
    (child, index) => !meaningful.some((other, at) => at !== index && contains(other, child, at < index)),
  );
  if (kept.length > 1) json.anyOf = kept;
  else {
    delete json.anyOf;
    Object.assign(json, kept[0]);
  }
  return json;
}

/** Whether `wide` allows everything that `narrow` allows. Of two equal schemas only the `first` contains the other. */
function contains(wide: Json, narrow: Json, first: boolean): boolean {
  const { enum: more, ...wideRest } = wide;
  const { enum: fewer, ...narrowRest } = narrow;
  if (JSON.stringify(wideRest) !== JSON.stringify(narrowRest)) return false;
  if (JSON.stringify(more) === JSON.stringify(fewer)) return first;
  return more === undefined || (fewer?.every((value: unknown) => more.includes(value)) ?? false);
}

/** Allows `null` for every optional member, since `null` counts as absent. Elements of an array may not be `null`. */
function admitNull(json: Json): Json {
  const required: string[] = json.required ?? [];
  for (const [name, child] of Object.entries((json.properties ?? {}) as Record<string, Json>)) {
    admitNull(child);
    if (!required.includes(name)) json.properties[name] = nullable(child);
  }
  if (json.items) admitNull(json.items);
  for (const child of [...(json.anyOf ?? []), ...(json.oneOf ?? []), ...outcomesOf(json)]) admitNull(child);
  for (const [pattern, child] of Object.entries((json.patternProperties ?? {}) as Record<string, Json>))
    json.patternProperties[pattern] = nullable(admitNull(child));
  if (typeof json.additionalProperties === 'object')
    json.additionalProperties = nullable(admitNull(json.additionalProperties));
  return json;
}

function nullable(json: Json): Json {
  if (json.$ref || !(json.type || json.anyOf || json.oneOf)) return json;
  if (json.oneOf || (json.anyOf && json.type)) return { anyOf: [json, { type: 'null' }] };
  if (json.anyOf) return { ...json, anyOf: [...json.anyOf, { type: 'null' }] };
  return {
    ...json,
    type: [...new Set([json.type, 'null'].flat())],
    ...(json.enum && { enum: [...new Set([...json.enum, null])] }),
  };
}
