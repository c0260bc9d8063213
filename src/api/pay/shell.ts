import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Eta } from 'eta';
import type { Context } from 'koa';
import { paletteOf } from '../../commerce/page-themes/theme';
import { sourceOf } from '../server/csp';
import { SCRIPT } from './script';
import type { View } from './view';
import type { Words } from './words';

const STYLE = readFileSync(join(__dirname, '../records/page.css'), 'utf8');
const eta = new Eta({ views: __dirname, autoTrim: false, cache: true });
const STYLE_HASH = sourceOf(STYLE);
const SCRIPT_HASH = sourceOf(SCRIPT);
/**
 * `colours`: a style of its own beside that of every page. form-action also rules where the answer to a form redirects to:
 * to the page of a bank, wherever that is.
 */
const contentSecurityPolicy = (colours?: string) =>
  `default-src 'none'; style-src ${STYLE_HASH}${colours ? ` ${sourceOf(colours)}` : ''}; script-src ${SCRIPT_HASH}; ` +
  "img-src 'self' data:; " +
  "connect-src 'self'; form-action 'self' https: http:; frame-ancestors 'none'; base-uri 'none'";

/** What stands around a view. */
interface Frame {
  seller: string;
  words: Words;
  otherLanguageHref: string;
  tenant?: string | null;
  logo?: string | null;
  colours?: string;
  /** The customer who has signed in. */
  visitor?: { name: string; historyHref: string; signOutHref: string };
  signInHref?: string;
}

/** What a theme changes of the style: nothing where it settles no colour. */
export function coloursOf(theme: Parameters<typeof paletteOf>[0]): string {
  if (!theme.accent && !theme.ground) return '';
  const { light, dark } = paletteOf(theme);
  return (
    `:root{--key:${light.accent};--on-key:${light.onAccent};--ground:${light.ground}}` +
    `@media(prefers-color-scheme:dark){:root{--key:${dark.accent};--on-key:${dark.onAccent};--ground:${dark.ground}}}`
  );
}

/** Answers with a page. */
export function send(ctx: Context, status: number, view: View & Frame): void {
  ctx.status = status;
  ctx.type = 'text/html; charset=utf-8';
  ctx.vary('Accept-Language');
  const { colours } = view;
  ctx.set('Content-Security-Policy', contentSecurityPolicy(colours));
  ctx.set('Cache-Control', 'no-store');
  // To nobody else; to ourselves, so that browsers name us as the origin of our own forms.
  ctx.set('Referrer-Policy', 'same-origin');
  ctx.body = eta.render('./page', { bill: undefined, ...view, style: STYLE, script: SCRIPT });
}
