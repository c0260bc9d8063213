import { openAdmin } from '../../../../src/foundation/db/migrate';
import { createTestDatabase } from '../../../setup/environment';

test('every migration goes down and up again, and leaves the same schema', async () => {
  const { adminUrl, drop } = await createTestDatabase('migrations');
  const admin = openAdmin(adminUrl);
  const schema = async () => {
    const { rows } = await admin.raw(`
      SELECT c.relname, c.relkind::text, a.attname, format_type(a.atttypid, a.atttypmod) AS type, a.attnotnull
      FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace AND n.nspname = 'public'
      LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
      WHERE c.relname NOT LIKE 'knex%' ORDER BY 1, 3`);
    return rows;
  };
  try {
    const before = await schema();
    const [all] = await admin.migrate.list();
    let steps = 0;
    for (;;) {
      const [, undone] = await admin.migrate.down();
      if (undone.length === 0) break;
      steps += 1;
    }
    expect(steps).toBe(all.length);
    expect(await schema()).toEqual([]);
    for (let step = 0; step < steps; step += 1) await admin.migrate.up();
    expect(await schema()).toEqual(before);
  } finally {
    await admin.destroy();
    await drop();
  }
});
