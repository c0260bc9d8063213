import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** What is compared with is fetched once, at the first run that asks for it; pinned, so that two runs measure the same. */
const CACHE = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'tillway', 'peers');
const DBOS = { name: '@dbos-inc/dbos-sdk', version: '5.3.0' };
const KILL_BILL = {
  group: 'org.kill-bill.billing',
  name: 'killbill-profiles-killbill',
  version: '0.22.26',
  type: 'war',
};
const JETTY = { group: 'org.eclipse.jetty', name: 'jetty-runner', version: '9.4.57.v20241219', type: 'jar' };
/** Later ones read what a file depends on even where that is not wanted; Kill Bill's parent is not in Maven Central. */
const MAVEN_GET = 'org.apache.maven.plugins:maven-dependency-plugin:2.10:get';

/** The folder that has DBOS. Needs npm. */
export function fetchDbos(): string {
  const { name, version } = DBOS;
  const folder = join(CACHE, `dbos-${version}`);
  if (existsSync(join(folder, 'node_modules', name))) return folder;
  mkdirSync(folder, { recursive: true });
  run('npm', ['install', '--prefix', folder, '--no-audit', '--no-fund', '--ignore-scripts', `${name}@${version}`]);
  return folder;
}

/** The files of Kill Bill and of the server that it runs in. Needs Java 17, Maven and unzip. */
export function fetchKillBill(): { war: string; jetty: string } {
  return { war: fetchFile(KILL_BILL), jetty: fetchFile(JETTY) };
}

function fetchFile({ group, name, version, type }: typeof KILL_BILL): string {
  const repository = join(CACHE, 'maven');
  const file = join(repository, ...group.split('.'), name, version, `${name}-${version}.${type}`);
  const artifact = `${group}:${name}:${version}:${type}`;
  if (!existsSync(file))
    run('mvn', [
      '-q',
      '-B',
      `-Dmaven.repo.local=${repository}`,
      MAVEN_GET,
      '-Dtransitive=false',
      `-Dartifact=${artifact}`,
    ]);
  return file;
}

function run(program: string, args: string[]): void {
  execFileSync(program, args, { stdio: ['ignore', 'ignore', 'inherit'] });
}
