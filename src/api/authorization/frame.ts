import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Eta } from 'eta';
import type { Context } from 'koa';
import type { Database } from '../../foundation/db/database';
import type { FormPage } from '../records/form-page';
import { sourceOf } from '../server/csp';
import type { ConsentWords } from './words';

const STYLE = readFileSync(join(__dirname, '../records/page.css'), 'utf8');
const eta = new Eta({ views: __dirname, autoTrim: false, cache: true });

export interface Fact {
  name: string;
  value: string;
}

/** Several things of one kind, below a heading. */
export interface Group {
  /** Of the heading. */
  id: string;
  title: string;
  entries: { title: string; href?: string; facts: Fact[] }[];
  /** What stands there where there are none. */
  none?: string;
  more?: { href: string; text: string };
}

/** What a page to customers of open banking shows; all of it is text that the template escapes. */
export interface View extends FormPage {
  permissions?: string[];
  /** Above the permissions. */
  permissionsTitle?: string;
  /** What can be done about it: leads to a page that asks first. */
  act?: { href: string; text: string };
  groups?: Group[];
  choice?: { legend: string; type: 'checkbox' | 'radio'; accounts: { id: string; name: string; isChosen: boolean }[] };
  refuse?: string;
}

/** What stands around each page of one visit. */
export interface Frame {
  words: ConsentWords;
  /** Its name; empty where it is not known. */
  bank: string;
  visitor?: { name: string; signOutHref: string; hidden?: [name: string, value: string][] };
  /** The page of what the customer has allowed. */
  consentsHref?: string;
  /** Where forms may lead to (CSP): with the answer to a form, also to a provider, wherever that is. */
  formAction: "'self'" | "'self' https: http:";
}

/** Shows a page. It works without scripts and without anything from elsewhere, and nobody keeps a copy. */
export function showPage(ctx: Context, status: number, view: View, frame: Frame): void {
  const { words, formAction, ...shown } = frame;
  ctx.status = status;
  ctx.type = 'text/html; charset=utf-8';
  ctx.vary('Accept-Language');
  ctx.set(
    'Content-Security-Policy',
    `default-src 'none'; style-src ${sourceOf(STYLE)}; img-src data:; form-action ${formAction}; ` +
      "frame-ancestors 'none'; base-uri 'none'",
  );
  ctx.set('Cache-Control', 'no-store');
  // To nobody else. To ourselves, so that browsers name us as the origin of our own forms.
  ctx.set('Referrer-Policy', 'same-origin');
  const otherLanguageHref = `${ctx.path}?lang=${words.otherLanguage.code}`;
  ctx.body = eta.render('./page', { ...view, ...shown, words, otherLanguageHref, style: STYLE });
}

export function redirect(ctx: Context, url: string): void {
  ctx.set('Location', url);
  ctx.set('Cache-Control', 'no-store');
  ctx.body = null;
  ctx.status = 303;
}

/** The name of a tenant. Undefined for one that is not there. `system`: sees all tenants. */
export async function bankOf({ system }: Pick<Database, 'system'>, tenantId: string): Promise<string | undefined> {
  return (await system('tenants').where({ id: tenantId }).first('name'))?.name;
}
