import { sharedStack } from '../../setup/stack';

const { apiUrl } = sharedStack();

describe('the console is served', () => {
  const page = (path = '') => fetch(`${apiUrl}/console${path}`);
  const filesOf = async () =>
    [...(await (await page()).text()).matchAll(/\/console(\/assets\/[^"]+)/g)].map(([, p]) => p!);

  it('as one page, whatever the address', async () => {
    const texts = await Promise.all(
      ['', '/', '/payments', '/payments/pay_1/show'].map(async (path) => (await page(path)).text()),
    );
    const plain = texts.map((text) => text.replace(/nonce="[^"]+"/g, ''));
    expect(new Set(plain).size).toBe(1);
    expect(plain[0]).toContain('<div id="root">');
  });

  it('with a policy that allows nothing from elsewhere, and a nonce of its own each time', async () => {
    const answers = await Promise.all([page(), page()]);
    const nonces = answers.map(({ headers }) => {
      const policy = headers.get('content-security-policy')!;
      expect(policy).toMatch(/^default-src 'none'; /);
      expect(policy).not.toMatch(/unsafe|https?:|\*/);
      return /'nonce-([^']+)'/.exec(policy)![1]!;
    });
    expect(nonces[0]).not.toBe(nonces[1]);
    expect(await answers[0]!.text()).toContain(`nonce="${nonces[0]}"`);
  });

  it('with files that browsers keep, packed for those that unpack', async () => {
    const [file] = (await filesOf()).filter((path) => path.endsWith('.js'));
    const packed = await fetch(`${apiUrl}/console${file}`, { headers: { 'Accept-Encoding': 'br, gzip' } });
    expect(packed.headers.get('content-encoding')).toBe('br');
    expect(packed.headers.get('cache-control')).toContain('immutable');
    const plain = await fetch(`${apiUrl}/console${file}`, { headers: { 'Accept-Encoding': 'identity' } });
    expect(plain.headers.get('content-encoding')).toBeNull();
    expect(await packed.text()).toBe(await plain.text());
  });

  // Over TLS and on localhost browsers take Brotli. The aim is 400 kB.
  it('with a first load below 350 kB, as browsers ask for it', async () => {
    const first = await Promise.all(
      (await filesOf()).map(async (path) => {
        const { headers } = await fetch(`${apiUrl}/console${path}`, {
          method: 'HEAD',
          headers: { 'Accept-Encoding': 'gzip, deflate, br' },
        });
        return Number(headers.get('content-length'));
      }),
    );
    expect(first.length).toBeGreaterThan(1);
    expect(first.reduce((sum, bytes) => sum + bytes, 0)).toBeLessThan(350_000);
  });

  it('and no file but its own', async () => {
    for (const path of ['/assets/nothing.js', '/assets/../index.html', '/assets/..%2f.sources', '/assets/'])
      expect([path, (await page(path)).headers.get('content-security-policy') !== null]).toEqual([path, true]);
    expect((await page('/assets/nothing.js')).status).toBe(404);
    expect((await page('/assets/..%2f.sources')).status).toBe(404);
    expect((await fetch(`${apiUrl}/console`, { method: 'POST' })).status).toBe(404);
  });
});
