import Joi from 'joi';

export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;
export const MIB = 1_048_576;

/** Settings that are wrong; its message has one line for each fault, which names the variable. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/** What docs/settings.md shows of a setting beside its name and meaning, in Markdown. */
interface Shown {
  /** Unit or form: `ms`, `bytes`, `port`, `text` … */
  form: string;
  /** The default; empty where there is none. */
  default: string;
}

interface Renamed {
  /** The name it had before; it works for one more version (former-names.ts). */
  formerly?: string;
}

/** What else there is to know of a setting. */
interface Traits extends Renamed {
  /** A secret: it may be given as a file too (secret-files.ts). */
  secret?: boolean;
}

interface Text extends Traits {
  /** `text` unless this says what kind of text. */
  form?: string;
  /** Whether an empty value counts as none. Otherwise it is refused. */
  mayBeEmpty?: boolean;
}

/** One environment variable. `T` is what the program gets to see of it. */
export class Setting<T> {
  constructor(
    readonly name: string,
    readonly meaning: string,
    readonly shown: Shown,
    readonly traits: Traits,
    private readonly convert: (text: string | undefined) => T,
  ) {}

  /** What `env` says, checked and converted, or the default. Throws ConfigError. */
  read(env: NodeJS.ProcessEnv): T {
    return this.convert(env[this.name]);
  }

  /** The same setting as the program wants it. `parse` throws ConfigError for what it cannot read. */
  as<U>(parse: (value: T) => U): Setting<U> {
    return new Setting(this.name, this.meaning, this.shown, this.traits, (text) => parse(this.convert(text)));
  }

  /** The same setting with its default described in words: for one that differs from machine to machine. */
  showing(defaultInWords: string): Setting<T> {
    const shown = { ...this.shown, default: defaultInWords };
    return new Setting(this.name, this.meaning, shown, this.traits, this.convert);
  }
}

function setting<T>(name: string, meaning: string, shown: Shown, schema: Joi.Schema, traits: Traits = {}): Setting<T> {
  const labelled = schema.label(name);
  return new Setting(name, meaning, shown, traits, (text) => {
    const { value, error } = labelled.validate(text);
    if (error) throw new ConfigError(error.message.replaceAll('"', ''));
    return value;
  });
}

function whole(name: string, fallback: number, meaning: string, shown: Shown, min: number, formerly?: string) {
  const schema = Joi.number().integer().min(min).default(fallback);
  return setting<number>(name, meaning, shown, schema, { formerly });
}

/** A duration in milliseconds, 0 allowed unless `min` (milliseconds) says otherwise. */
export function ms(
  name: string,
  fallback: number,
  meaning: string,
  { min = 0, formerly }: Renamed & { min?: number } = {},
): Setting<number> {
  const form = min > 0 ? `ms, at least ${min}` : 'ms';
  return whole(name, fallback, meaning, { form, default: `\`${fallback}\` (${spoken(fallback)})` }, min, formerly);
}

/** A size in bytes, at least 1. */
export function bytes(name: string, fallback: number, meaning: string): Setting<number> {
  return whole(name, fallback, meaning, { form: 'bytes', default: `\`${fallback}\` (${fallback / MIB} MiB)` }, 1);
}

/** A number of things, at least 1. */
export function count(name: string, fallback: number, meaning: string): Setting<number> {
  return whole(name, fallback, meaning, { form: 'number, at least 1', default: `\`${fallback}\`` }, 1);
}

/** A number of days, 0 allowed. */
export function days(name: string, fallback: number, meaning: string): Setting<number> {
  return whole(name, fallback, meaning, { form: 'days', default: `\`${fallback}\`` }, 0);
}

/** An amount of money in minor units of whatever currency it is compared in. */
export function minorUnits(name: string, fallback: bigint, meaning: string): Setting<bigint> {
  const shown = { form: 'minor units', default: `\`${fallback}\`` };
  const schema = Joi.string()
    .pattern(/^[0-9]{1,18}$/, 'amount in minor units')
    .default(`${fallback}`);
  return setting<string>(name, meaning, shown, schema).as(BigInt);
}

/** A TCP port, 1 to 65535. */
export function port(name: string, fallback: number, meaning: string): Setting<number> {
  const shown = { form: 'port', default: `\`${fallback}\`` };
  return setting(name, meaning, shown, Joi.number().port().min(1).default(fallback));
}

/** `true` or `false`. */
export function flag(name: string, fallback: boolean, meaning: string): Setting<boolean> {
  const shown = { form: '`true` or `false`', default: `\`${fallback}\`` };
  return setting(name, meaning, shown, Joi.boolean().default(fallback));
}

/** One of a few words. */
export function oneOf<const W extends string>(
  name: string,
  words: readonly W[],
  fallback: NoInfer<W>,
  meaning: string,
) {
  const shown = { form: words.map((word) => `\`${word}\``).join(', '), default: `\`${fallback}\`` };
  return setting<W>(
    name,
    meaning,
    shown,
    Joi.string()
      .valid(...words)
      .default(fallback),
  );
}

/** Text that may be left out. */
export function text(name: string, meaning: string, options: Text = {}): Setting<string | undefined> {
  return optional(Joi.string(), name, meaning, options);
}

/** Text with a default. */
export function textOr(name: string, fallback: string, meaning: string, form = 'text'): Setting<string> {
  return setting(name, meaning, { form, default: `\`${fallback}\`` }, Joi.string().default(fallback));
}

/** An address with one of the schemes; may be left out. */
export function url(
  name: string,
  schemes: string[],
  meaning: string,
  options: Omit<Text, 'form'> = {},
): Setting<string | undefined> {
  const form = `address (${schemes.map((scheme) => `\`${scheme}:\``).join(', ')})`;
  return optional(Joi.string().uri({ scheme: schemes }), name, meaning, { ...options, form });
}

/** Text of a given pattern, which `form` describes; may be left out. */
export function textLike(
  name: string,
  pattern: RegExp,
  form: string,
  meaning: string,
  options: Omit<Text, 'form'> = {},
): Setting<string | undefined> {
  const schema = Joi.string().pattern(pattern, form.replaceAll('`', ''));
  return optional(schema, name, meaning, { ...options, form });
}

function optional(
  schema: Joi.StringSchema,
  name: string,
  meaning: string,
  { form = 'text', mayBeEmpty = false, formerly, secret = false }: Text,
): Setting<string | undefined> {
  const shown = { form: secret ? `${form}; secret` : form, default: '' };
  return setting(name, meaning, shown, mayBeEmpty ? schema.empty('') : schema, { formerly, secret });
}

/** A duration (milliseconds) in the largest unit that divides it: `7 days`, `90 s`. */
function spoken(durationMs: number): string {
  if (durationMs % DAY === 0) return counted(durationMs / DAY, 'day');
  if (durationMs % HOUR === 0) return counted(durationMs / HOUR, 'hour');
  if (durationMs % MINUTE === 0) return counted(durationMs / MINUTE, 'minute');
  return `${durationMs / SECOND} s`;
}

function counted(amount: number, unit: string): string {
  return `${amount} ${unit}${amount === 1 ? '' : 's'}`;
}
