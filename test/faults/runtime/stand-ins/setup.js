const { Client } = require('pg');

// Counts the starts in the database, and hands out a secret that must be the same at every start.
exports.setup = async (config, earlier) => {
  const owner = new Client({ connectionString: config.database.adminUrl });
  await owner.connect();
  await owner.query('CREATE TABLE IF NOT EXISTS starts (n int)');
  await owner.query('GRANT SELECT ON starts TO PUBLIC');
  await owner.query('INSERT INTO starts VALUES (1)');
  await owner.end();
  const runtime = new Client({ connectionString: config.database.url });
  await runtime.connect();
  const { rows } = await runtime.query('SELECT count(*)::int AS starts FROM starts');
  const role = await runtime.query('SELECT rolname, rolsuper FROM pg_roles WHERE rolname = current_user');
  await runtime.end();
  const secret = earlier?.clients.merchant.clientSecret ?? String(Math.random());
  return {
    credentials: {
      tenantId: 'ten_1',
      organizationId: 'org_1',
      starts: rows[0].starts,
      role: role.rows[0],
      clients: { merchant: { clientId: 'merchant', clientSecret: secret } },
    },
  };
};
