import type { CustomHelpers, Description, Schema } from 'joi';

/**
 * Whether a schema surely takes a value, and gives it back as it is. No is no refusal: it says that Joi has to look. So only
 * what is plain to see is said yes to, and a schema may have whatever Joi knows.
 */
export type Certainty = (value: unknown) => boolean;

type Check = (value: unknown, siblings: object) => boolean;
type Described = Description & { [key: string]: unknown };

/** What `describe` says of a schema that has nothing to do with what it takes. `alterations` are texts (`TOLD`). */
const TELLING = ['type', 'flags', 'rules', 'allow', 'examples', 'metas', 'notes', 'tags', 'alterations'];
const TELLING_FLAGS = ['description', 'presence', 'only', 'label', 'unit'];

const NOBODY = {};
const never: Check = () => false;

/** For a schema that converts nothing (`convert: false`) and is asked about values that JSON can say. */
export function certaintyOf(schema: Schema): Certainty {
  const check = checkOf(schema.describe() as Described);
  return (value) => check(value, NOBODY);
}

/** Undefined is a member that is not there. */
function checkOf(described: Described): Check {
  const { flags = {}, allow = [] } = described as { flags?: Record<string, unknown>; allow?: unknown[] };
  const extra = EXTRA[described.type ?? ''];
  if (!extra || has(described, [...TELLING, ...extra.members]) || has(flags, TELLING_FLAGS)) return never;
  if (!allow.every((value) => value === null || typeof value !== 'object')) return never;
  if (flags.presence !== undefined && flags.presence !== 'required' && flags.presence !== 'optional') return never;
  if (described.whens) return conditional(described);
  const fits = flags.only ? never : extra.check(described);
  if (!fits) return never;
  const isOptional = flags.presence !== 'required';
  const allowed = new Set(allow);
  return (value, siblings) =>
    value === undefined ? isOptional : fits(value, siblings) || (allowed.size > 0 && allowed.has(value));
}

function has(object: object, known: readonly string[]): boolean {
  return Object.keys(object).some((key) => !known.includes(key));
}

/** By type: what else may be said of it, and the check. Undefined where a rule is not one of ours. */
const EXTRA: Record<string, { members: string[]; check(described: Described): Check | undefined }> = {
  any: { members: ['whens'], check: () => undefined },
  boolean: { members: [], check: (described) => (described.rules ? undefined : (value) => typeof value === 'boolean') },
  number: {
    members: [],
    check: (described) =>
      ruled<number>(
        described,
        // Joi makes 0 of -0.
        (value) => typeof value === 'number' && Math.abs(value) <= Number.MAX_SAFE_INTEGER && !Object.is(value, -0),
        { integer: () => Number.isInteger, min: atLeast((n) => n), max: atMost((n) => n) },
      ),
  },
  string: {
    members: [],
    check: (described) =>
      ruled<string>(described, (value) => typeof value === 'string' && value !== '', {
        min: atLeast((text) => text.length),
        max: atMost((text) => text.length),
        pattern: matching,
        email: address,
        custom: unchanged,
      }),
  },
  array: { members: ['items'], check: elements },
  object: { members: ['keys'], check: members },
};

type Rule<T> = (args: Record<string, unknown>) => ((value: T) => boolean) | undefined;

function ruled<T>(
  { rules = [] }: Described,
  isOfType: (value: unknown) => boolean,
  known: Record<string, Rule<T>>,
): Check | undefined {
  const tests = (rules as { name: string; args?: Record<string, unknown> }[]).map(({ name, args = {}, ...rest }) =>
    Object.keys(rest).length > 0 ? undefined : known[name]?.(args),
  );
  if (tests.includes(undefined)) return undefined;
  return (value) => {
    if (!isOfType(value)) return false;
    for (const test of tests) if (!test!(value as T)) return false;
    return true;
  };
}

function atLeast<T>(sizeOf: (value: T) => number): Rule<T> {
  return (args) => limited(args, (limit) => (value) => sizeOf(value) >= limit);
}

function atMost<T>(sizeOf: (value: T) => number): Rule<T> {
  return (args) => limited(args, (limit) => (value) => sizeOf(value) <= limit);
}

function limited<T>(args: Record<string, unknown>, test: (limit: number) => (value: T) => boolean) {
  return typeof args.limit === 'number' && !has(args, ['limit']) ? test(args.limit) : undefined;
}

const matching: Rule<string> = (args) => {
  // As Joi gives it: an expression, or its text.
  const { regex } = args;
  if (has(args, ['regex'])) return undefined;
  const pattern = regex instanceof RegExp ? regex : patternOf(String(regex));
  return pattern && ((text) => pattern.test(text));
};

function patternOf(text: string): RegExp | undefined {
  const [, source, flags] = /^\/(.*)\/([a-z]*)$/s.exec(text) ?? [];
  return source === undefined ? undefined : new RegExp(source, flags);
}

/** The common ones. All others are Joi's to judge. */
const COMMON_ADDRESS = /^[a-z0-9_+-]+(?:\.[a-z0-9_+-]+)*@(?=.{1,63}$)(?:[a-z0-9]+(?:-[a-z0-9]+)*\.)+[a-z]{2,}$/i;
const LONGEST_LOCAL_PART = 64;

const address: Rule<string> = ({ options, ...rest }) => {
  const { tlds, ...others } = (options ?? {}) as { tlds?: unknown };
  if (tlds !== false || Object.keys({ ...others, ...rest }).length > 0) return undefined;
  return (text) => text.lastIndexOf('@') <= LONGEST_LOCAL_PART && text.length <= 128 && COMMON_ADDRESS.test(text);
};

/** What a rule of our own must not need: whoever looks further than at the value is not certain. */
const UNCERTAIN = new Proxy(
  {},
  {
    get() {
      throw new TypeError('not certain');
    },
  },
) as CustomHelpers;

const unchanged: Rule<string> = ({ method, ...rest }) => {
  if (typeof method !== 'function' || Object.keys(rest).length > 0) return undefined;
  return (text) => {
    try {
      return method(text, UNCERTAIN) === text;
    } catch {
      return false;
    }
  };
};

function elements({ items, ...described }: Described): Check | undefined {
  const [item, ...others] = (items ?? []) as Described[];
  if (!item || others.length > 0 || (item.flags as { presence?: string } | undefined)?.presence) return undefined;
  const isSized = ruled<unknown[]>(described as Described, Array.isArray, {
    min: atLeast((list) => list.length),
    max: atMost((list) => list.length),
  });
  const check = checkOf(item);
  return (
    isSized &&
    ((value) => {
      if (!isSized(value, NOBODY)) return false;
      for (const element of value as unknown[]) if (element === undefined || !check(element, NOBODY)) return false;
      return true;
    })
  );
}

function members({ keys, rules }: Described): Check | undefined {
  if (!keys || rules) return undefined;
  const checks = new Map(Object.entries(keys as Record<string, Described>).map(([key, one]) => [key, checkOf(one)]));
  // Those that must be there, or may have to be.
  const needed = [...checks].filter(([, check]) => !check(undefined, NOBODY));
  return (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
    const given = value as Record<string, unknown>;
    for (const key of Object.keys(given)) {
      const check = checks.get(key);
      if (given[key] === undefined || !check?.(given[key], given)) return false;
    }
    for (const [key, check] of needed) if (!Object.hasOwn(given, key) && !check(undefined, given)) return false;
    return true;
  };
}

interface Condition {
  ref?: { path?: string[] };
  is?: Described;
  then?: Described;
  otherwise?: Described;
}

/** `Joi.when(sibling, { is: one of some texts, then, otherwise })`. */
function conditional({ whens, allow, rules, flags }: Described): Check {
  const [condition, ...others] = whens as Condition[];
  if (others.length > 0 || allow || rules || flags || has(condition!, ['ref', 'is', 'then', 'otherwise'])) return never;
  const { ref, is, then, otherwise } = condition!;
  const texts = textsOf(is);
  if (ref?.path?.length !== 1 || has(ref, ['path']) || !texts || !then || !otherwise) return never;
  const [sibling] = ref.path as [string];
  const [isThen, isOtherwise] = [checkOf(then), checkOf(otherwise)];
  return (value, siblings) => {
    const given = (siblings as Record<string, unknown>)[sibling];
    // Whatever may not stand there is refused where it stands.
    return (texts.has(given) ? isThen : isOtherwise)(value, siblings);
  };
}

/** What a condition asks for: one of these, and that it is there. */
function textsOf(is: Described | undefined): Set<unknown> | undefined {
  const { type, flags = {}, allow = [], ...rest } = (is ?? {}) as Described & { allow?: unknown[] };
  const [override, ...texts] = allow;
  const { only, presence, ...others } = flags as Record<string, unknown>;
  const isPlain = type === 'any' && only && presence === 'required' && Object.keys({ ...rest, ...others }).length === 0;
  const isOverride = typeof override === 'object' && (override as { override?: boolean } | null)?.override === true;
  return isPlain && isOverride && texts.every((text) => typeof text === 'string') ? new Set(texts) : undefined;
}
