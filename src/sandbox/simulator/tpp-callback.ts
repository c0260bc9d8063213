import Router from '@koa/router';

/**
 * Where the sandbox's third-party provider takes its customers back. It shows what the bank has sent, for whoever walks
 * through by hand. Plain text: nothing in it is ever markup.
 */
export function tppCallbackRouter(): Router {
  const router = new Router();
  router.get('/tpp/callback', (ctx) => {
    const sent = new URLSearchParams(ctx.querystring);
    ctx.set('Cache-Control', 'no-store');
    ctx.set('X-Content-Type-Options', 'nosniff');
    ctx.type = 'text/plain; charset=utf-8';
    ctx.body = [
      sent.has('code') ? 'You have confirmed.' : 'You have not confirmed.',
      'This is the page of the provider. The bank sent:',
      ...[...sent].map(([name, value]) => `${name}: ${value}`),
      '',
    ].join('\n');
  });
  return router;
}
