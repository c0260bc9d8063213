import { buffer } from 'node:stream/consumers';
import type { Knex } from 'knex';
import { notFound, refuse } from '../../domain/errors';
import { type Actor, noteDone } from '../../foundation/audit-log/audit-log';
import type { Database } from '../../foundation/db/database';
import { shrunk } from '../../foundation/files/pictures';
import { type PageThemeRow, requireReadable, type ThemeOrder } from './theme';

/** Twice as many pixels as the page gives it, for sharp screens. */
const LOGO_BOX = { width: 480, height: 96 };
const MOST_LOGO_BYTES = 131_072;

/** How the pages of a tenant look. */
export class PageThemes {
  constructor(private readonly database: Database) {}

  /** Undefined: the tenant has settled nothing. */
  read(tenantId: string): Promise<PageThemeRow | undefined> {
    return this.database.tenant(tenantId, (trx) => trx('page_themes').first());
  }

  /** Replaces name and colours. Throws `invalid_request` for colours that buyers could not read. */
  async set(tenantId: string, order: ThemeOrder, by: Actor): Promise<PageThemeRow> {
    requireReadable(order);
    return this.write(tenantId, { ...order }, by, 'page_theme.set', { ...order });
  }

  /** Any picture; it is made small. Throws `invalid_request` for what is none. */
  async setLogo(tenantId: string, picture: AsyncIterable<Buffer>, by: Actor): Promise<PageThemeRow> {
    const logo = await shrunk(await buffer(picture), LOGO_BOX);
    if (logo.length > MOST_LOGO_BYTES) refuse('body', 'is too detailed for a logo');
    return this.write(tenantId, { logo }, by, 'page_theme.set_logo', { bytes: logo.length });
  }

  removeLogo(tenantId: string, by: Actor): Promise<PageThemeRow> {
    return this.write(tenantId, { logo: null }, by, 'page_theme.remove_logo', {});
  }

  /** As WebP. Throws `not_found` where there is none. */
  async logo(tenantId: string): Promise<Buffer> {
    const logo = (await this.read(tenantId))?.logo;
    if (!logo) throw notFound('logo');
    return logo;
  }

  private write(
    tenantId: string,
    change: Partial<ThemeOrder & Pick<PageThemeRow, 'logo'>>,
    by: Actor,
    act: string,
    details: Record<string, unknown>,
  ): Promise<PageThemeRow> {
    return this.database.tenant(tenantId, async (trx: Knex.Transaction) => {
      const row = { ...change, updated_by: by.id, updated_at: trx.raw('clock_timestamp()') };
      const [theme]: PageThemeRow[] = await trx('page_themes')
        .insert({ tenant_id: tenantId, ...row })
        .onConflict('tenant_id')
        .merge()
        .returning('*');
      await noteDone(trx, tenantId, by, act, tenantId, details);
      return theme!;
    });
  }
}
