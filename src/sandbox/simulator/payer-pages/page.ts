import { createHash } from 'node:crypto';
import { Eta } from 'eta';
import type { Context } from 'koa';
import QRCode from 'qrcode';
import { exponentOf, formatAmount } from '../../../domain/money';
import type { PageOutcome } from '../records';
import type { Quantity } from './view';
import { LANGUAGES, type Message, type Words } from './words';

const STYLE = `
body { font: 1rem/1.5 system-ui, sans-serif; margin: 0; background: #f2f4f7; color: #1a2433; }
main { box-sizing: border-box; width: min(26rem, 100% - 2rem); margin: 1rem auto; padding: 1.5rem; background: #fff;
  border: 1px solid #c9d1dc; border-radius: .5rem; }
h1 { font-size: 1.25rem; margin: 0 0 .5rem; }
p { margin: 0 0 1rem; }
figure { margin: 0 auto 1rem; width: min(14rem, 100%); }
svg { display: block; width: 100%; height: auto; }
dl { display: grid; grid-template-columns: minmax(5rem, auto) minmax(0, 1fr); gap: .25rem 1rem; margin: 0 0 1.5rem; }
dt { color: #4a5768; } dd { margin: 0; font-weight: 600; overflow-wrap: anywhere; }
label { display: block; font-weight: 600; }
textarea { display: block; box-sizing: border-box; width: 100%; font: inherit; border: 1px solid #66758a;
  border-radius: .375rem; padding: .5rem; }
button { display: block; width: 100%; min-height: 3rem; margin-top: .75rem; font: inherit; font-weight: 600;
  border: 2px solid #1d4ed8; border-radius: .375rem; cursor: pointer; background: #fff; color: #1d4ed8; }
button:first-of-type { background: #1d4ed8; color: #fff; }
p.note { color: #4a5768; font-size: .875rem; margin: 1.5rem 0 0; }
`;

// form-action also rules the redirect that answers the form, which goes wherever the merchant is.
const CONTENT_SECURITY_POLICY = `default-src 'none'; style-src 'sha256-${createHash('sha256')
  .update(STYLE)
  .digest('base64')}'; form-action 'self' https: http:; base-uri 'none'`;

const PAGE = `<!doctype html>
<html lang="<%= it.language %>">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title><%= it.title %></title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1><%= it.title %></h1>
<p><%= it.text %></p>
<% if (it.picture) { %>
<figure role="img" aria-label="<%= it.picture.label %>"><%~ it.picture.svg %></figure>
<% } %>
<% if (it.facts) { %>
<dl>
<% for (const [name, value] of it.facts) { %><dt><%= name %></dt><dd><%= value %></dd>
<% } %></dl>
<% } %>
<% if (it.buttons) { %>
<form method="post">
<% for (const [value, label] of it.buttons) { %>
<button type="submit" name="outcome" value="<%= value %>"><%= label %></button>
<% } %>
</form>
<% } %>
<% if (it.question) { %>
<form method="post">
<label for="answer"><%= it.question.label %></label>
<textarea id="answer" name="<%= it.question.name %>" rows="6" required></textarea>
<button type="submit"><%= it.question.button %></button>
</form>
<% } %>
<p class="note"><%= it.note %></p>
</main>
</body>
</html>
`;

const eta = new Eta({ autoEscape: true });
const page = eta.compile(PAGE);

/** What a page says; all of it is text that is escaped. */
export interface Content {
  title: string;
  text: string;
  picture?: { label: string; svg: string };
  facts?: readonly (readonly [name: string, value: string])[];
  buttons?: readonly (readonly [value: PageOutcome, label: string])[];
  question?: { name: string; label: string; button: string };
}

/** A payer, as their browser describes them: the words of their language, and their way of writing numbers. */
export class Reader {
  readonly words: Words;
  readonly language: string;

  constructor(ctx: Context) {
    this.language = ctx.acceptsLanguages([...LANGUAGES.keys()]) || 'en';
    this.words = LANGUAGES.get(this.language) as Words;
  }

  /** To be read, never to be read back: `1,234.50 EUR`, `1.234,50 EUR`. */
  amount(amountMinor: bigint, currency: string): string {
    const digits = exponentOf(currency);
    const format = new Intl.NumberFormat(this.language, {
      minimumFractionDigits: digits,
      maximumFractionDigits: digits,
    });
    return `${format.format(formatAmount(amountMinor, currency) as Intl.StringNumericLiteral)} ${currency}`;
  }

  /** To be read, never to be read back: `0.0213 BTC`, `1 BTC = 58,284.20 EUR`. */
  quantity({ decimal, unit, per }: Quantity): string {
    const format = new Intl.NumberFormat(this.language, { minimumFractionDigits: 2, maximumFractionDigits: 18 });
    const written = `${format.format(decimal as Intl.StringNumericLiteral)} ${unit}`;
    return per ? `1 ${per} = ${written}` : written;
  }

  /** A time (RFC 3339) in UTC: nothing says in which zone its reader is. */
  time(time: string): string {
    const format = { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' } as const;
    return `${new Intl.DateTimeFormat(this.language, format).format(new Date(time))} UTC`;
  }
}

/** Answers with a page. `processor`: its name, as payers read it. */
export function show(ctx: Context, reader: Reader, processor: string, status: number, content: Content): void {
  ctx.status = status;
  ctx.set('Content-Type', 'text/html; charset=utf-8');
  ctx.set('Content-Language', reader.language);
  ctx.vary('Accept-Language');
  ctx.set('Content-Security-Policy', CONTENT_SECURITY_POLICY);
  ctx.set('Cache-Control', 'no-store');
  ctx.set('Referrer-Policy', 'no-referrer');
  ctx.set('X-Content-Type-Options', 'nosniff');
  ctx.body = eta.render(page, { language: reader.language, note: reader.words.simulated(processor), ...content });
}

/** Answers with a page on which there is nothing to press. */
export function showMessage(ctx: Context, processor: string, status: number, message: Message): void {
  const reader = new Reader(ctx);
  const [title, text] = reader.words.messages[message];
  show(ctx, reader, processor, status, { title, text });
}

/** The picture of a QR code, as SVG; undefined for a text that is too long for one. */
export function pictureOf(code: string): Promise<string | undefined> {
  return QRCode.toString(code, { type: 'svg', errorCorrectionLevel: 'M', margin: 2 }).catch(() => undefined);
}
