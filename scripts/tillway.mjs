#!/usr/bin/env node
// `npx tillway`: builds what is out of date, then runs the command.
import './build.mjs';

await import('../dist/src/sandbox/cli/tillway/main.js');
