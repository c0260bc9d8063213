import { openAdmin } from '../../../../src/foundation/db/migrate';
import { createTestDatabase } from '../../../setup/environment';

test('every migration goes down and up again, and leaves the same schema', async () => {
  const { adminUrl, drop } = await createTestDatabase('migrations');
  const admin = openAdmin(adminUrl);
  const rowsOf = async (query: string) => (await admin.raw(query)).rows;
  const schema = async () => ({
    columns: await rowsOf(`
      SELECT c.relname, c.relkind::text, a.attname, format_type(a.atttypid, a.atttypmod) AS type, a.attnotnull
      FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace AND n.nspname = 'public'
      LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
      WHERE c.relname NOT LIKE 'knex%' ORDER BY 1, 3`),
    functions: await rowsOf(`
      SELECT pg_get_functiondef(oid) AS definition, proacl::text AS grants FROM pg_proc
      WHERE pronamespace = 'public'::regnamespace ORDER BY 1`),
    triggers: await rowsOf(`
      SELECT pg_get_triggerdef(t.oid) AS definition FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
      WHERE c.relnamespace = 'public'::regnamespace AND NOT t.tgisinternal ORDER BY 1`),
  });
  try {
    const [all] = await admin.migrate.list();
    const standing = [await schema()];
    for (;;) {
      const [, undone] = await admin.migrate.down();
      if (undone.length === 0) break;
      standing.push(await schema());
    }
    expect(standing).toHaveLength(all.length + 1);
    expect(standing.pop()).toEqual({ columns: [], functions: [], triggers: [] });
    for (;;) {
      const [, [done]] = await admin.migrate.up();
      if (!done) break;
      expect({ done, ...(await schema()) }).toEqual({ done, ...standing.pop() });
    }
    expect(standing).toEqual([]);
  } finally {
    await admin.destroy();
    await drop();
  }
});
