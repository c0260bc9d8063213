import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '../../../../src/foundation/config/config';
import {
  findDatabaseUrls,
  findSimulatorUrl,
  openRunningDatabase,
  readCredentials,
} from '../../../../src/sandbox/cli/sandbox';
import { freePorts } from '../../../setup/ports';

const home = mkdtempSync(join(tmpdir(), 'tillway-cli-'));
const empty = mkdtempSync(join(tmpdir(), 'tillway-cli-'));
afterAll(() => {
  for (const folder of [home, empty]) rmSync(folder, { recursive: true });
});

const PASSWORDS = { postgresRuntimePassword: 'pw', postgresSystemPassword: 'pw2', postgresOpsPassword: 'pw3' };
const simulatorUrl = 'http://127.0.0.1:50003';

/** The settings of a shell that knows the folder and none of the ports; the platform there was started on others. */
function configBeside(postgresPort: number | null, env: NodeJS.ProcessEnv = {}) {
  writeFileSync(join(home, 'credentials.json'), JSON.stringify({ apiUrl: 'http://x', simulatorUrl, postgresPort }));
  writeFileSync(join(home, 'secrets.json'), JSON.stringify(PASSWORDS));
  return loadConfig({ TILLWAY_HOME: home, ...env });
}

test('the database and the simulator are those of the platform in TILLWAY_HOME, on whatever ports', () => {
  const config = configBeside(50_001);
  expect(findDatabaseUrls(config)).toEqual({
    url: 'postgres://tillway_app:pw@127.0.0.1:50001/tillway',
    systemUrl: 'postgres://tillway_system:pw2@127.0.0.1:50001/tillway',
    opsUrl: 'postgres://tillway_ops:pw3@127.0.0.1:50001/tillway',
  });
  expect(findSimulatorUrl(config)).toBe(simulatorUrl);
});

test('a DATABASE_URL counts before them, and the settings beside it', () => {
  const env = { DATABASE_URL: 'postgres://u:p@db.example/tillway', SIMULATOR_PORT: '50009' };
  const config = configBeside(50_001, env);
  expect([findDatabaseUrls(config), findSimulatorUrl(config)]).toEqual([
    { url: env.DATABASE_URL },
    'http://127.0.0.1:50009',
  ]);
});

test('a platform on a database of its own maker asks for DATABASE_URL', () => {
  expect(() => findDatabaseUrls(configBeside(null))).toThrow(
    `the platform in ${home} was started with a DATABASE_URL: set the same one here`,
  );
});

test('where nothing was ever started, one line says what to do', () => {
  const config = loadConfig({ TILLWAY_HOME: empty });
  for (const find of [readCredentials, findDatabaseUrls])
    expect(() => find(config)).toThrow(
      `no platform was started in ${empty}: start it with npm start, or set TILLWAY_HOME to the folder of the platform that runs`,
    );
});

test('where nothing runs now, one line says so', async () => {
  const [port] = await freePorts(1);
  await expect(openRunningDatabase(configBeside(port!), 'test')).rejects.toThrow(
    new RegExp(
      `^the platform in ${home} does not run, its database at 127.0.0.1:${port} does not answer \\(.*\\): start it`,
    ),
  );
});
