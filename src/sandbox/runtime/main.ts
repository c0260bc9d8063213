import { runPlatform } from './run.js';

// `npm start`
runPlatform('start').then((code) => process.exit(code));
