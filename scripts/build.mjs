// `npm run build`: brings dist/ up to date. Other scripts import it to do the same first.
import { BuildError, build } from './compile.mjs';
import { buildConsole } from './console.mjs';

await build().catch((error) => {
  if (!(error instanceof BuildError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
});
await buildConsole();
