import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { extname, join } from 'node:path';
import type { Context } from 'koa';
import { notFound } from '../../domain/errors';
import type { RawMount } from '../server/route';

const PREFIX = '/console';
const TYPES: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};
/** How the build packed a file, best first. */
const PACKED = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const;
/** Files have their content's digest in their names. */
const FOR_EVER = 'public, max-age=31536000, immutable';

interface Asset {
  type: string;
  /** Its bytes by content coding; '' for plain. */
  codings: Map<string, Buffer>;
}

/**
 * The console: one page, whatever the address under `/console`, and the files that it loads. Nothing from another host,
 * no style or script without this page's nonce (Content Security Policy Level 3).
 */
export function consolePage({ folder, sandbox }: { folder: string; sandbox: boolean }): RawMount {
  let built: { page: string; assets: Map<string, Asset>; at: number } | undefined;
  const index = join(folder, 'index.html');
  const read = () => ({
    page: readFileSync(index, 'utf8').replace('%SANDBOX%', String(sandbox)),
    assets: readAssets(join(folder, 'assets')),
    at: statSync(index).mtimeMs,
  });
  return {
    prefix: PREFIX,
    middleware: async (ctx) => {
      // Who works on the console builds it while the API runs.
      if (!built || (sandbox && statSync(index).mtimeMs !== built.at)) built = read();
      if (ctx.method !== 'GET' && ctx.method !== 'HEAD') throw notFound('Path');
      const name = ctx.path.startsWith(`${PREFIX}/assets/`) ? ctx.path.slice(`${PREFIX}/assets/`.length) : undefined;
      if (name === undefined) return sendPage(ctx, built.page);
      const asset = built.assets.get(name);
      if (!asset) throw notFound('Path');
      sendAsset(ctx, asset);
    },
  };
}

function sendPage(ctx: Context, page: string): void {
  const nonce = randomBytes(16).toString('base64');
  ctx.set('Content-Security-Policy', policy(nonce));
  ctx.set('Cross-Origin-Opener-Policy', 'same-origin');
  ctx.type = 'text/html; charset=utf-8';
  ctx.body = page.replaceAll('%NONCE%', nonce);
}

function sendAsset(ctx: Context, { type, codings }: Asset): void {
  ctx.set('Cache-Control', FOR_EVER);
  ctx.vary('Accept-Encoding');
  ctx.type = type;
  const [coding] = PACKED.find(([name]) => codings.has(name) && accepts(ctx, name)) ?? [''];
  if (coding) ctx.set('Content-Encoding', coding);
  ctx.body = codings.get(coding)!;
}

/** Whether the browser takes a coding (RFC 9110, section 12.5.3). */
function accepts(ctx: Context, coding: string): boolean {
  return ctx.acceptsEncodings(coding) === coding;
}

function policy(nonce: string): string {
  return [
    "default-src 'none'",
    `script-src 'self' 'nonce-${nonce}'`,
    `style-src 'self' 'nonce-${nonce}'`,
    // Files of customers and pictures of items are shown from memory.
    "img-src 'self' blob: data:",
    "connect-src 'self'",
    "font-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

function readAssets(folder: string): Map<string, Asset> {
  const names = readdirSync(folder);
  const plain = names.filter((name) => !/\.(br|gz)$/.test(name));
  return new Map(
    plain.map((name) => {
      const codings = new Map([['', readFileSync(join(folder, name))]]);
      for (const [coding, suffix] of PACKED)
        if (names.includes(name + suffix)) codings.set(coding, readFileSync(join(folder, name + suffix)));
      return [name, { type: TYPES[extname(name)] ?? 'application/octet-stream', codings }];
    }),
  );
}
