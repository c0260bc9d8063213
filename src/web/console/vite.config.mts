import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

const here = fileURLToPath(new URL('.', import.meta.url));

export default defineConfig({
  root: here,
  base: '/console/',
  clearScreen: false,
  logLevel: 'warn',
  // The API writes a fresh nonce in its place into each page that it serves (Content Security Policy Level 3).
  html: { cspNonce: '%NONCE%' },
  build: {
    outDir: fileURLToPath(new URL('../../../dist/console', import.meta.url)),
    emptyOutDir: true,
    target: 'es2022',
    // A picture within a script or a style would need `data:` in more places than it is worth.
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 2_000,
    rolldownOptions: {
      output: {
        // What changes seldom is a file of its own: browsers keep it from one version of the console to the next.
        codeSplitting: { groups: [{ name: 'libraries', test: /node_modules/ }] },
      },
      // "use client" in libraries is for frameworks that render on a server.
      onLog: (level, log, say) => log.code !== 'MODULE_LEVEL_DIRECTIVE' && say(level, log),
    },
  },
});
