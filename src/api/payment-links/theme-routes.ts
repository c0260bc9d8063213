import Joi from 'joi';
import type { Colour } from '../../commerce/page-themes/colour';
import type { PageThemes } from '../../commerce/page-themes/service';
import type { PageThemeRow } from '../../commerce/page-themes/theme';
import { IMAGE_TYPES } from '../../domain/file-type';
import { actorOf } from '../server/actor';
import { instant, nameText, saying } from '../server/conventions';
import { type Route, route } from '../server/route';

const THEME = '/payment-links/1.0.0/theme';
const LOGO_LIMIT_BYTES = 1_048_576;

const colour = () =>
  Joi.string()
    .lowercase()
    .pattern(/^#[0-9a-f]{6}$/)
    .alter(saying({ 'string.pattern.base': 'must be # and six hexadecimal digits' }));

interface ThemeBody {
  name: string | null;
  accent: Colour | null;
  ground: Colour | null;
}
const themeMembers = {
  name: nameText(80)
    .min(1)
    .allow(null)
    .default(null)
    .description('Under which buyers know you')
    .example('Harbour Bank'),
  accent: colour().allow(null).default(null).description('Of buttons and links').example('#0b5d3b'),
  ground: colour().allow(null).default(null).description('Behind the page').example('#f4f7f2'),
};
const themeBody = Joi.object<ThemeBody>(themeMembers);
const themeSchema = Joi.object({
  ...themeMembers,
  logo: Joi.boolean().required().description('There is a logo'),
  updatedAt: instant(),
});

const answered = { 200: { description: 'The look of the page', schema: themeSchema } };

/** How the page for the buyers of a tenant looks. */
export function pageThemeRoutes({ pageThemes }: { pageThemes: PageThemes }): Route[] {
  const admin = { area: 'Payment links', roles: ['tenant_admin'] as const };
  return [
    route({
      ...admin,
      method: 'GET',
      path: THEME,
      summary: 'How the page for buyers looks',
      responses: answered,
      handler: async ({ tenantId }) => ({ status: 200, body: present(await pageThemes.read(tenantId)) }),
    }),
    route<ThemeBody>({
      ...admin,
      method: 'PUT',
      path: THEME,
      summary: 'Set how the page for buyers looks',
      description:
        'A colour is refused if its contrast is below 4.5 (WCAG 2.2 AA): `accent` with white and with `ground`, ' +
        '`ground` with the text. For dark screens a lighter accent is made from yours. `null` sets a member back.',
      body: themeBody,
      responses: answered,
      handler: async (ctx) => ({
        status: 200,
        body: present(await pageThemes.set(ctx.tenantId, ctx.body, actorOf(ctx))),
      }),
    }),
    route({
      ...admin,
      method: 'PUT',
      path: `${THEME}/logo`,
      summary: 'Set the logo on the page for buyers',
      description: 'Send the raw bytes as the body: PNG, JPEG or WebP. The page shows it at most 48 pixels high.',
      uploads: IMAGE_TYPES,
      bodyLimit: LOGO_LIMIT_BYTES,
      responses: answered,
      handler: async (ctx) => {
        const theme = await pageThemes.setLogo(ctx.tenantId, ctx.upload.content, actorOf(ctx));
        return { status: 200, body: present(theme) };
      },
    }),
    route({
      ...admin,
      method: 'DELETE',
      path: `${THEME}/logo`,
      summary: 'Remove the logo from the page for buyers',
      responses: { 204: { description: 'There is no logo now' } },
      handler: async (ctx) => {
        await pageThemes.removeLogo(ctx.tenantId, actorOf(ctx));
        return { status: 204, body: undefined };
      },
    }),
  ];
}

function present(theme: PageThemeRow | undefined): object {
  if (!theme) return { name: null, accent: null, ground: null, logo: false };
  const { name, accent, ground, logo, updated_at: updatedAt } = theme;
  return { name, accent, ground, logo: logo !== null, updatedAt };
}
