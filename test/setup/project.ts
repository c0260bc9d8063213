import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The root of the checkout, from the source of this file as from its compiled form. */
export const projectRoot = (() => {
  let folder = __dirname;
  while (!existsSync(join(folder, 'package.json'))) folder = dirname(folder);
  return folder;
})();
