// `npm run dev`: the platform, which builds and restarts what you save.
import { createRequire } from 'node:module';
import './build.mjs';
import { build, folders, root } from './compile.mjs';

const { develop } = createRequire(import.meta.url)('../dist/src/sandbox/runtime/dev/develop.js');
process.exit(await develop({ root, folders, build }));
