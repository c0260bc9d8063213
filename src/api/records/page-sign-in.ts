import type { Context } from 'koa';
import type { WebCustomer } from '../../people/customer-access/web-sessions';
import type { FormPage } from './form-page';

/** Where a page of ours lets customers sign in. */
export interface SignInPlace {
  ctx: Context;
  tenantId: string;
  /** `en` or `pt`. */
  language: string;
  /** The address of the page; the forms stand below it, and lead back to it. */
  base: string;
  /** The page is for those alone who have given a second factor: it is asked for, whatever the customer has switched on. */
  needsCode?: boolean;
}

/** What a request came to: a page that its host shows, or another address. */
export type PageOutcome = { status: number; view: FormPage } | { location: string };

/** What a customer is asked to confirm, as the page says it. */
export interface AskedToConfirm {
  amount: string;
  payee: string;
  /** How the code comes. */
  method: 'email' | 'sms' | 'totp';
  /** Where the form goes, and what it carries. */
  action: string;
  hidden: [name: string, value: string][];
  /** The code before was refused. */
  isRefused: boolean;
  /** To begin anew. */
  back: string;
}

/** The sign-in of customers, for pages that have it below their own address. */
export interface PageSignIn {
  /** Whether any customer of the tenant can sign in. */
  isOffered(tenantId: string): Promise<boolean>;
  /** Who has signed in. Throws `forbidden` for a form that another site has sent. */
  visitor(ctx: Context, tenantId: string): Promise<WebCustomer | undefined>;
  /** The forms: `sign-in`, `sign-in/code`, `sign-out`. Throws `not_found` for any other path. */
  serve(place: SignInPlace, path: string): Promise<PageOutcome>;
  /** The form for the code by which a customer confirms a payment: it names amount and payee. */
  stepUpPage(language: string, asked: AskedToConfirm): FormPage;
}
