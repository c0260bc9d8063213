import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Knex } from 'knex';

const DIRECTORY = join(__dirname, 'functions');

/**
 * Installs SQL functions from `functions/`, each in the version named, or replaces the versions that are there. Owner,
 * triggers and grants of a replaced function stay. Call it after the tables that the functions use exist. Throws where no
 * file holds a version, and the database's error where a version returns something other than the one before.
 */
export async function installFunctions(knex: Knex, versions: Record<string, number>): Promise<void> {
  // knex would take a question mark for a binding.
  for (const [name, version] of Object.entries(versions)) await knex.raw(sqlOf(name, version).replaceAll('?', '\\?'));
}

/** The text of one version of a function. Throws where no file holds it. */
export function sqlOf(name: string, version: number): string {
  const places = [join(DIRECTORY, `${name}.sql`), join(DIRECTORY, 'past', `${name}.${version}.sql`)];
  for (const place of places) {
    const text = existsSync(place) ? readFileSync(place, 'utf8') : '';
    if (text.startsWith(`-- ${name}, version ${version}\n`)) return text;
  }
  throw new Error(`no file in ${DIRECTORY} holds version ${version} of the function ${name}`);
}
