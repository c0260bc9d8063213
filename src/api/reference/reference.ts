import { CODES_PATH } from '../server/errors';
import type { Json } from '../server/json-schema';
import { openApiDocument } from '../server/openapi';
import type { DocumentOptions } from '../server/outside-operations';
import { type Route, route } from '../server/route';
import { renderCodes } from './codes';
import { renderReference } from './page';

/** `routes`, and the routes that describe them: the OpenAPI document for programs and a page for people. */
export function withReference(
  routes: readonly Route[],
  options: DocumentOptions = {},
): { routes: Route[]; document: Json } {
  const all = [
    ...routes,
    route({
      method: 'GET',
      path: '/openapi.json',
      area: 'Reference',
      summary: 'The OpenAPI 3.1 document',
      roles: 'public',
      responses: { 200: { description: 'The document', contentType: 'application/json' } },
      handler: async () => ({
        status: 200,
        body: json,
        headers: { 'Content-Type': 'application/json; charset=utf-8' },
      }),
    }),
    route({
      method: 'GET',
      path: '/docs',
      area: 'Reference',
      summary: 'This reference, as a page',
      roles: 'public',
      responses: { 200: { description: 'The page', contentType: 'text/html' } },
      handler: async () => ({
        status: 200,
        body: page.html,
        headers: { 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': page.contentSecurityPolicy },
      }),
    }),
    route({
      method: 'GET',
      path: CODES_PATH,
      area: 'Reference',
      summary: 'The meaning of every error code and result code, as a page',
      roles: 'public',
      responses: { 200: { description: 'The page', contentType: 'text/html' } },
      handler: async () => ({
        status: 200,
        body: codes.html,
        headers: { 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': codes.contentSecurityPolicy },
      }),
    }),
  ];
  const codes = renderCodes();
  const document = openApiDocument(all, options);
  const json = JSON.stringify(document);
  const page = renderReference(document);
  return { routes: all, document };
}
