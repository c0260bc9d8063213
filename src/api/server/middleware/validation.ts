import type { ParsedUrlQuery } from 'node:querystring';
import type { Description, Schema } from 'joi';
import Joi from 'joi';
import { DomainError, type FieldError } from '../../../domain/errors';
import { TOLD } from '../conventions';
import type { Route } from '../route';
import { isStorable } from './body';
import { type Certainty, certaintyOf } from './certainty';
import { fieldName, shown } from './field-name';
import { nearMember, remember } from './near-member';

/** The texts for Joi. They have no label, because the error names the field, and no value, which may be a card number. */
const MESSAGES: Record<string, string> = {
  'any.required': 'is required',
  'any.unknown': 'is not allowed here',
  'object.unknown': 'is not a known field',
  'object.base': 'must be an object',
  'array.base': 'must be an array',
  'string.base': 'must be a string',
  'string.empty': 'must not be empty',
  'string.min': 'must have at least {#limit} characters',
  'string.max': 'must have at most {#limit} characters',
  'string.email': 'must be an e-mail address, such as ada@example.com',
  'string.ip': 'must be an IPv4 or IPv6 address',
  'number.base': 'must be a number',
  'number.integer': 'must be a whole number',
  'number.unsafe': 'is too large',
  'number.infinity': 'is too large',
  'number.min': 'must be {#limit} or more',
  'number.max': 'must be {#limit} or less',
  'array.min': 'must have at least {#limit} elements',
  'array.max': 'must have at most {#limit} elements',
  'array.unique': 'must not have an element twice',
  'object.missing': 'needs one of {#peersWithLabels}',
  'object.xor': 'may have only one of {#peersWithLabels}',
  'object.oxor': 'may have only one of {#peersWithLabels}',
  'object.and': 'needs {#missingWithLabels} together with {#presentWithLabels}',
  'object.with': 'needs {#peerWithLabel} together with {#mainWithLabel}',
  'object.without': 'may not have {#peerWithLabel} together with {#mainWithLabel}',
  'boolean.base': 'must be true or false',
  'any.custom': 'is invalid',
};

const SHARED = {
  abortEarly: false,
  errors: { label: false, wrap: { label: false, array: false, string: false } },
} as const;

/** The prepared schemas of a route. */
export interface Validator {
  headers?: Schema;
  params?: Schema;
  /** The names and greatest lengths of parameters that are any text. With these, a path that fits needs no schema. */
  texts?: readonly (readonly [name: string, length: number])[];
  query?: Schema;
  body: Schema;
}

/** The same schemas without our texts, which say only whether a value is right. */
const QUICK = new WeakMap<Schema, Schema>();
/** What is right at first sight, without Joi: of schemas that convert nothing. Made when a schema is asked first. */
const CERTAIN = new WeakMap<Schema, () => Certainty>();

export function prepare(route: Route): Validator {
  const prepared = (schema: Schema, convert: boolean): Schema => {
    const told = schema
      .tailor(TOLD)
      .prefs({ ...SHARED, convert })
      .messages(MESSAGES);
    const whole = remember(told, schema);
    QUICK.set(whole, schema.prefs({ convert, abortEarly: true }));
    const certain = once(() => certaintyOf(schema));
    if (!convert) CERTAIN.set(whole, certain);
    return whole;
  };
  return {
    headers: route.headers && prepared(headersSchema(route.headers), false),
    params: route.params && prepared(route.params, true),
    texts: route.params && textsOf(route.params),
    query: route.query && prepared(route.query, true),
    // JSON has its own types: "5" is not 5.
    body: prepared(route.body?.required() ?? Joi.object({}), false),
  };
}

function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

/** The case of header names does not matter in HTTP. Errors use the documented name. */
function headersSchema(headers: Record<string, Schema>): Schema {
  const keys = Object.entries(headers).map(([name, schema]) => [name.toLowerCase(), schema.required()]);
  return Joi.object(Object.fromEntries(keys)).unknown();
}

/** Validates one part of a request and adds every wrong field to `details`. Schemas may use `$params`. Returns the converted value. */
export function check(
  schema: Schema | undefined,
  value: unknown,
  part: 'header' | 'path' | 'query' | 'body',
  details: FieldError[],
  context?: { params: unknown },
): unknown {
  if (!schema || CERTAIN.get(schema)?.()(value)) return value;
  // Joi copies all texts for each member that has texts of its own, whether or not there is an error. So values are checked
  // without texts, and only those that are wrong once more, with them.
  const quick = QUICK.get(schema)?.validate(value, context && { context });
  if (quick && !quick.error) return quick.value;
  const result = schema.validate(value, context && { context });
  for (const item of result.error?.details ?? []) {
    // If the whole part is wrong, name the part.
    const field = fieldName(item.path) || part;
    if (details.some((known) => known.field === field)) continue;
    const near = item.type === 'object.unknown' ? nearMember(schema, item.path) : undefined;
    const message = near ? `${item.message}; did you mean ${near}?` : item.message;
    details.push({ field, message, rule: `${part} ${item.type}` });
  }
  return result.value;
}

/** Validates the parameters of a path, which the router found: there are neither fewer nor others. */
export function checkParams(
  { params, texts }: Validator,
  given: Record<string, string>,
  details: FieldError[],
): unknown {
  if (texts?.every(([name, length]) => isWithin(given[name], length))) return given;
  return check(params, given, 'path', details);
}

/** Joi counts as JavaScript does: in UTF-16 units. */
function isWithin(text: string | undefined, length: number): boolean {
  return text !== undefined && text.length > 0 && text.length <= length;
}

/** Undefined if a parameter is more than a required text with a greatest length. */
function textsOf(schema: Schema): Validator['texts'] {
  const texts: [string, number][] = [];
  const { type: whole, keys, ...more } = schema.describe() as Description & { keys?: Record<string, Description> };
  if (whole !== 'object' || Object.keys(more).length > 0) return undefined;
  for (const [name, { type, flags, rules = [], examples, ...rest }] of Object.entries(keys ?? {})) {
    const { description, presence, ...otherFlags } = (flags ?? {}) as Record<string, unknown>;
    const [rule] = rules as { name: string; args?: { limit?: unknown } }[];
    const length = rule?.name === 'max' && rules.length === 1 ? rule.args?.limit : undefined;
    const others = Object.keys(rest).length + Object.keys(otherFlags).length;
    if (type !== 'string' || presence !== 'required' || typeof length !== 'number' || others > 0) return undefined;
    texts.push([name, length]);
  }
  return texts;
}

/** Validates a parsed query string. Refuses unknown parameters and parameters that appear twice. */
export function checkQuery(schema: Schema | undefined, query: ParsedUrlQuery, details: FieldError[]): unknown {
  for (const [name, value] of Object.entries(query))
    if (name === '') details.push({ field: 'query', message: 'has a parameter without a name' });
    else if (typeof value !== 'string') details.push({ field: shown(name), message: 'must be given only once' });
    else if (!isStorable(name + value))
      details.push({ field: shown(name), message: 'must not contain NUL or an unpaired surrogate' });
  return check(schema ?? NO_QUERY, query, 'query', details);
}

const NO_QUERY = Joi.object({}).prefs(SHARED).messages(MESSAGES);

export function refuseInvalid(details: FieldError[]): void {
  if (details.length === 0) return;
  const message =
    details.length === 1 ? `${details[0]!.field} ${details[0]!.message}` : `${details.length} fields are invalid`;
  throw new DomainError('invalid_request', message, { details });
}
