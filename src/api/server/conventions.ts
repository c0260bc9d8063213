import Joi from 'joi';
import { hasCardNumber } from '../../domain/card-number';
import { ID_PREFIXES, type IdKind } from '../../domain/ids';
import { toUtc } from '../../domain/instant';
import { isCurrency, parseAmount } from '../../domain/money';
import { NOTIFICATION_MEANINGS, NOTIFICATION_TYPES, type NotificationType } from '../../domain/notification-type';
import { ONE_LINE } from '../../domain/one-line';

/** The building blocks of all request and response schemas. Messages never repeat what the caller sent. */

/** The target for which a schema takes on texts of its own: `schema.tailor(TOLD)`. */
export const TOLD = 'told';

/**
 * Texts of a schema's own, by Joi's code: `schema.alter(saying({ 'string.base': 'must be …' }))`. Unlike `messages`, they cost
 * nothing while nothing is wrong.
 */
export function saying(texts: Record<string, string>): Record<string, (schema: Joi.Schema) => Joi.Schema> {
  return { [TOLD]: (schema) => schema.messages(texts) };
}

const AMOUNT = /^(?:0|[1-9][0-9]*)(?:\.[0-9]+)?$/;

/** Text that matches `pattern`. `form` is the error message, "must be …". It may contain a sample, never the sent value. */
export function formed(pattern: RegExp, form: string): Joi.StringSchema {
  return Joi.string()
    .alter(saying({ 'string.pattern.base': form, 'string.base': form }))
    .pattern(pattern);
}

/** ISO 4217 alphabetic code, upper case. */
export function currency(): Joi.StringSchema {
  const form = 'must be an ISO 4217 currency code of three capital letters, such as EUR';
  return Joi.string()
    .alter(saying({ 'string.pattern.base': form, 'string.base': form }))
    .custom((code: string, helpers) => {
      if (isCurrency(code)) return code;
      const known = code.trim().toUpperCase();
      return say(helpers, isCurrency(known) ? `must be in capital letters: use ${known}` : form);
    })
    .pattern(/^[A-Z]{3}$/)
    .example('EUR');
}

/** ISO 3166-1 alpha-2 code, upper case. */
export function country(): Joi.StringSchema {
  return formed(/^[A-Z]{2}$/, 'must be an ISO 3166-1 country code of two capital letters, such as DE').description(
    'ISO 3166-1 alpha-2',
  );
}

/**
 * A decimal string with exactly the decimals of the currency in the sibling member `currencyField`. Zero is allowed only
 * with `zero`. `above` says how many levels further up the currency stands: 2 for a list of objects. The value stays a string: handlers turn it into minor units with parseAmount. If no sibling names the
 * currency (as in a refund), we check only the form here.
 */
export function amount(options: { currencyField?: string; zero?: boolean; above?: number } = {}): Joi.StringSchema {
  const { currencyField = 'currency', zero = false, above = 0 } = options;
  return formed(AMOUNT, 'must be a decimal string such as "10.00", without sign, exponent or leading zero')
    .max(24)
    .custom((text: string, helpers) => {
      if (!AMOUNT.test(text)) return text;
      const code = helpers.state.ancestors[above]?.[currencyField];
      if (typeof code === 'string' && isCurrency(code)) {
        try {
          parseAmount(text, code);
        } catch (error) {
          return say(helpers, (error as Error).message);
        }
      }
      return !zero && !/[1-9]/.test(text) ? say(helpers, 'must be more than zero') : text;
    })
    .example('10.00');
}

/** An RFC 3339 date-time with any offset. The value becomes UTC with milliseconds. */
export function instant(): Joi.StringSchema {
  return Joi.string()
    .max(40)
    .custom(
      (text: string, helpers) =>
        toUtc(text) ??
        say(helpers, 'must be an RFC 3339 date-time in the years 0001 to 9999, such as 2026-01-31T12:00:00Z'),
    )
    .meta({ format: 'date-time' })
    .example('2026-01-31T12:00:00.000Z');
}

/** A day of the calendar, YYYY-MM-DD. */
export function day(): Joi.StringSchema {
  const form = 'must be a day of the calendar, such as 2026-12-01';
  return formed(/^\d{4}-\d{2}-\d{2}$/, form)
    .custom((text: string, helpers) => (toUtc(`${text}T00:00:00Z`) ? text : say(helpers, form)))
    .meta({ format: 'date' })
    .example('2026-12-01');
}

/** The largest number that a column of Postgres' type integer holds. */
const MAX_INTEGER = 2_147_483_647;

/** The id of a payment method of the catalogue. */
export function methodId(): Joi.NumberSchema {
  return Joi.number().integer().min(1).max(MAX_INTEGER);
}

const URL_FORM = /^https?:\/\/([^/?#\\]+)(?:[/?#]|$)/i;

/**
 * An http or https URL of somebody else's server. Every URL parser must find the same host in it. So it needs `//`, has
 * no user name, and has the host as the URL standard spells it (no octal or hexadecimal address, no escapes).
 */
export function webUrl(max = 2048): Joi.StringSchema {
  const form = 'must be an absolute URL such as https://shop.example/path';
  return Joi.string()
    .uri({ scheme: ['http', 'https'] })
    .max(max)
    .alter(saying({ 'string.uri': form, 'string.uriCustomScheme': form }))
    .custom((text: string, helpers) => {
      const authority = URL_FORM.exec(text)?.[1];
      if (authority === undefined || !URL.canParse(text)) return say(helpers, form);
      if (authority.includes('@')) return say(helpers, 'must not contain a user name or password');
      const host = authority.replace(/:\d*$/, '').toLowerCase();
      if (host === new URL(text).hostname || host.startsWith('[')) return text;
      return say(helpers, 'must have a plain host: no escapes, and an IPv4 address as four decimal numbers');
    })
    .example('https://shop.example/path');
}

/** An identifier of one kind (`pay_…`). */
export function id(kind: IdKind): Joi.StringSchema {
  const prefix = `${ID_PREFIXES[kind]}_`;
  return formed(
    new RegExp(`^${prefix}[0-7][0-9a-hjkmnp-tv-z]{25}$`),
    `must be an id from an answer of the API: ${prefix} and 26 characters`,
  );
}

/** An identifier in a path. Any text passes here. An unknown id is answered with 404. */
export function anyId(): Joi.StringSchema {
  return Joi.string().max(100).required();
}

/** Words of people. A card number in them would lie outside the vault, for everybody to read who reads the words. */
export function freeText(max: number): Joi.StringSchema {
  return Joi.string()
    .max(max)
    .custom((words: string, helpers) =>
      hasCardNumber(words) ? say(helpers, 'must not contain a card number') : words,
    );
}

/** Text that may be empty. */
export function text(max: number): Joi.StringSchema {
  return Joi.string().allow('').max(max);
}

/**
 * The name of somebody or something, on one line. Control characters are refused, and those that turn the direction of what
 * follows: a name must not look like another, or like more than a name.
 */
export function nameText(max: number): Joi.StringSchema {
  return onOneLine(freeText(max));
}

/** A line that is no name, such as a street or an article number: the same characters as in a name, and any digits. */
export function lineText(max: number): Joi.StringSchema {
  return onOneLine(Joi.string().max(max));
}

function onOneLine(words: Joi.StringSchema): Joi.StringSchema {
  return words.pattern(ONE_LINE).alter(saying({ 'string.pattern.base': 'must not contain control characters' }));
}

/** The query members of every list. Use them as `Joi.object({ ...paging(), status: … })`. */
export function paging(): { limit: Joi.NumberSchema; cursor: Joi.StringSchema } {
  return {
    limit: Joi.number().integer().min(1).max(200).default(50).description('Records per page'),
    cursor: Joi.string()
      .max(400)
      .custom(
        (value: string, helpers) =>
          decodeCursor(value) ?? say(helpers, 'is not a cursor of this list. Use `nextCursor` of the previous page'),
      )
      .description('`nextCursor` of the previous page'),
  };
}

export interface Paging {
  limit: number;
  /** Decoded. The page starts after this sort key. */
  cursor?: string;
}

const CURSOR_MARK = '1:';

/** Makes the opaque cursor for a sort key (printable ASCII). */
export function encodeCursor(key: string): string {
  return Buffer.from(CURSOR_MARK + key).toString('base64url');
}

/** The sort key in a cursor. Undefined if we did not make the cursor. */
export function decodeCursor(cursor: string): string | undefined {
  const decoded = Buffer.from(cursor, 'base64url').toString('latin1');
  if (!/^1:[\x20-\x7e]{1,256}$/.test(decoded) || encodeCursor(decoded.slice(2)) !== cursor) return undefined;
  return decoded.slice(CURSOR_MARK.length);
}

/** A decoded cursor of a list that is sorted by number. A cursor of another list yields an empty page. */
export function numericCursor(cursor: string): string {
  return /^\d{1,18}$/.test(cursor) ? cursor : '0';
}

/**
 * The answer of a list. Ask the database for `limit + 1` rows, newest first. `key` gives the sort key of a record.
 */
export function pageOf<T>(rows: T[], limit: number, key: (row: T) => string): { data: T[]; nextCursor: string | null } {
  const data = rows.slice(0, limit);
  return { data, nextCursor: rows.length > limit ? encodeCursor(key(data[limit - 1]!)) : null };
}

/** Schema of a list's answer. */
export function listOf(record: Joi.Schema): Joi.ObjectSchema {
  return Joi.object({
    data: Joi.array().items(record).required(),
    nextCursor: Joi.string().allow(null).required(),
  });
}

/** Schema of the documented error object. */
export const errorSchema = Joi.object({
  reason: Joi.string().required().description('Reason phrase of the status'),
  path: Joi.string().required(),
  method: Joi.string().required(),
  message: Joi.string().required(),
  timestamp: instant().required(),
  status: Joi.number().integer().required(),
  code: Joi.string().required().description('Stable code in snake_case. Your program can decide by it'),
  docUrl: Joi.string()
    .required()
    .meta({ format: 'uri' })
    .description('Page that explains `code`: its cause, and what to do')
    .example('http://127.0.0.1:8080/docs/codes#invalid_request'),
  requestId: Joi.string().required(),
  session: Joi.object({
    sessionId: Joi.string().required(),
    method: Joi.string().valid('email', 'sms', 'totp').required(),
    expiresAt: instant().required(),
  }).description(
    'Present for `two_factor_required`: the session that needs a code. Absent if the customer has no second factor',
  ),
  details: Joi.array().items(Joi.object({ field: Joi.string().required(), message: Joi.string().required() })),
});

/** Marks a value as wrong inside a `custom` rule. `message` must not repeat the value. */
export function say(helpers: Joi.CustomHelpers, message: string): Joi.ErrorReport {
  return helpers.message({ custom: message });
}

/** The type of a notification, or of an event of the feed. */
export const notificationType = (types: readonly NotificationType[] = NOTIFICATION_TYPES) =>
  Joi.string()
    .valid(...types)
    .example('payment.captured')
    .description(types.map((type) => `\`${type}\`: ${NOTIFICATION_MEANINGS[type]}`).join(' '));
