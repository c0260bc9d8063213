import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import QRCode from 'qrcode';
import type { AuthorizeRequest, Connector, Instrument } from '../../../../src/domain/connector';
import type { PayerAction } from '../../../../src/domain/processor-answers';
import { createConnectorA } from '../../../../src/edge/processors/a';
import { createConnectorB } from '../../../../src/edge/processors/b';
import { apiKeyFor } from '../../../../src/edge/processors/credentials';
import { createConnectorF } from '../../../../src/edge/processors/f';
import { createConnectorH } from '../../../../src/edge/processors/h';
import { createSimulator, type Simulator } from '../../../../src/sandbox/simulator/app';
import { pictureOf } from '../../../../src/sandbox/simulator/payer-pages/page';

const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const SECRETS = { a: 'a', b: 'b', f: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(), h: 'h' };
const CREATE = { a: createConnectorA, b: createConnectorB, f: createConnectorF, h: createConnectorH };
const PAYER = { payerName: 'A Buyer', payerEmail: 'buyer@example.org', country: 'PT' } as const;
const CARD = { number: '4000000000003220', holder: 'A Buyer', expiryMonth: '12', expiryYear: '2040', cvv: '737' };

/** What a payer is asked for, with the processor that asks. */
const MEANS = {
  card: ['a', { kind: 'card', card: CARD }, 'EUR'],
  redirect: ['b', { kind: 'apm', scheme: 'redirect', ...PAYER }, 'EUR'],
  voucher: ['b', { kind: 'apm', scheme: 'voucher', ...PAYER }, 'EUR'],
  transfer: ['b', { kind: 'bank_transfer', payerName: 'A Buyer' }, 'EUR'],
  upiRequest: ['f', { kind: 'upi', flow: 'collect', vpa: 'buyer@bank' }, 'INR'],
  upiCode: ['f', { kind: 'upi', flow: 'qr' }, 'INR'],
  emvCode: ['f', { kind: 'qr' }, 'EUR'],
  crypto: ['h', { kind: 'crypto', asset: 'BTC' }, 'EUR'],
} as const satisfies Record<string, [keyof typeof CREATE, Instrument, string]>;
type MeansName = keyof typeof MEANS;

const home = mkdtempSync(join(tmpdir(), 'tillway-payer-pages-'));
let simulator: Simulator;
let url: string;
let connectors: Record<keyof typeof CREATE, Connector>;

beforeAll(async () => {
  const never = 3_600_000;
  const options = { home, publicUrl: 'http://127.0.0.1:1', settlementEveryMs: never, chargebackAfterMs: never };
  simulator = createSimulator({ ...options, secrets: SECRETS });
  url = await simulator.start();
  connectors = Object.fromEntries(
    (['a', 'b', 'f', 'h'] as const).map((name) => [
      name,
      CREATE[name]({ baseUrl: `${url}/${name}`, apiKey: apiKeyFor(SECRETS[name]), timeoutMs: 5_000 }),
    ]),
  ) as typeof connectors;
});

afterAll(async () => {
  await simulator.stop();
  rmSync(home, { recursive: true });
});

async function asked(means: MeansName, overrides: Partial<AuthorizeRequest> = {}) {
  const [processor, instrument, currency] = MEANS[means];
  const reference = `pay_${randomUUID()}`;
  const answer = await connectors[processor].authorize({
    reference,
    idempotencyKey: reference,
    money: { amountMinor: 123_456_700n, currency },
    capture: true,
    threeDS: 'auto',
    instrument,
    descriptor: 'Tea & <Cake>',
    ...overrides,
  });
  if (answer.kind !== 'challenge' && answer.kind !== 'payer_action') throw new Error(`nothing but ${answer.kind}`);
  const action: PayerAction = answer.action;
  return { reference, action, page: action.fields?.pageUrl ?? (action.url as string) };
}

async function read(page: string, language: string, outcome?: string) {
  const response = await fetch(page, {
    headers: { 'accept-language': language },
    ...(outcome && { method: 'POST', body: new URLSearchParams({ outcome }) }),
  });
  const html = await response.text();
  // What a reader sees: neither the style, nor the name of anything.
  const text = html.replace(/<style>[\s\S]*<\/style>|<[^>]*>/g, ' ').replace(/\s+/g, ' ');
  return { status: response.status, headers: response.headers, html, text };
}

describe('the page of a payer', () => {
  it.each([
    ['en-GB,en;q=0.9', 'en-GB', 'Is this your payment?', 'Merchant Tea &amp; &lt;Cake&gt; Amount 1,234,567.00 EUR'],
    ['en-IN', 'en-IN', 'Is this your payment?', '12,34,567.00 EUR'],
    ['pt-PT', 'pt-PT', 'Este pagamento é seu?', 'Comerciante Tea &amp; &lt;Cake&gt; Valor 1 234 567,00 EUR'],
    ['pt-BR,pt;q=0.8', 'pt-BR', 'Este pagamento é seu?', '1.234.567,00 EUR'],
    ['pt', 'pt-PT', 'Este pagamento é seu?', 'VISA terminado em 3220'],
    ['de-AT, de', 'en', 'Is this your payment?', 'VISA ending in 3220'],
    ['*', 'en', 'Is this your payment?', '1,234,567.00 EUR'],
  ])('is in the language of its reader: %s', async (asks, language, title, text) => {
    const { page, reference } = await asked('card');
    const answer = await read(page, asks);
    expect(answer.html).toContain(`<html lang="${language}">`);
    expect(answer.headers.get('content-language')).toBe(language);
    expect(answer.headers.get('vary')).toContain('Accept-Language');
    expect(answer.html).toContain(`<h1>${title}</h1>`);
    expect(answer.text).toContain(text);
    expect(answer.text).toContain(reference);
  });

  it.each(Object.keys(MEANS) as MeansName[])('asks in words, and runs no script: %s', async (means) => {
    const { page } = await asked(means);
    const { html, text, headers } = await read(page, 'en');
    expect(text).not.toMatch(
      /\b(metodo|pagador|entidade|titular|iban|vpa|method|orderNumber|asset|assetAmount|rate)\b/,
    );
    expect(text).not.toMatch(/\b(redirecionamento|multibanco|transferencia|UpiCollect|UpiCode|EmvCode)\b/);
    const outcomes = [...html.matchAll(/<button type="submit" name="outcome" value="(\w+)">/g)].map(
      ([, value]) => value,
    );
    const isSent = means === 'transfer' || means === 'crypto';
    expect(outcomes).toEqual(
      isSent ? ['authenticated', 'underpaid', 'overpaid', 'failed'] : ['authenticated', 'failed'],
    );
    expect(html).not.toMatch(/<script|\sstyle=|\son\w+=|<img|<link/);
    const policy = headers.get('content-security-policy');
    expect(policy).toMatch(/^default-src 'none'; style-src 'sha256-[^']+'; form-action 'self' https: http:; base-uri/);
  });

  it.each([
    ['voucher', 'Entity 21312 Reference'],
    ['redirect', 'Payer A Buyer'],
    ['transfer', 'Account holder Processor B, client account IBAN PT'],
    ['upiRequest', 'Your UPI address buyer@bank'],
    ['crypto', 'To send'],
  ] as const)('says what there is to know: %s', async (means, words) => {
    const { page } = await asked(means);
    expect((await read(page, 'en')).text).toContain(words);
  });

  it('shows an account as it was given to the merchant', async () => {
    const { page, action } = await asked('transfer');
    const { text } = await read(page, 'en');
    expect(text.replaceAll(' ', '')).toContain(`IBAN${action.fields?.iban}BIC${action.fields?.bic}`);
  });

  it('writes crypto amounts as its reader does', async () => {
    const { page, action } = await asked('crypto');
    const { assetAmount = '' } = action.fields ?? {};
    expect((await read(page, 'en')).text).toContain(`To send ${assetAmount} BTC`.replace(/0+ BTC/, ''));
    expect((await read(page, 'pt-PT')).text).toMatch(/A enviar 2\d,\d+ BTC Câmbio 1 BTC = 5\d \d{3},\d\d EUR/);
  });

  it.each([
    ['upiCode', 'payload'],
    ['emvCode', 'payload'],
    ['crypto', 'uri'],
  ] as const)('shows the code that the merchant was given: %s', async (means, field) => {
    const { page, action } = await asked(means, { money: { amountMinor: 1_000n, currency: MEANS[means][2] } });
    const code = action.fields?.[field] as string;
    const picture = await QRCode.toString(code, { type: 'svg', errorCorrectionLevel: 'M', margin: 2 });
    expect((await read(page, 'en')).html).toContain(
      `<figure role="img" aria-label="QR code of this payment">${picture}</figure>`,
    );
    expect((await read(page, 'pt')).html).toContain('aria-label="Código QR deste pagamento"');
  });

  it.each(['card', 'redirect', 'voucher', 'transfer', 'upiRequest'] as const)('shows no code: %s', async (means) => {
    const { page } = await asked(means);
    expect((await read(page, 'en')).html).not.toContain('<svg');
  });

  it('has no picture of a code that would be too large for one', async () => {
    expect(await pictureOf('a code')).toContain('<svg');
    expect(await pictureOf('x'.repeat(5_000))).toBeUndefined();
  });

  it('says so when nobody has named the merchant', async () => {
    const { page, reference } = await asked('card', { descriptor: undefined });
    expect((await read(page, 'en')).text).toContain('Merchant A merchant that gave no name');
    expect((await read(page, 'pt')).text).toContain(reference);
    const code = await asked('emvCode', { descriptor: undefined });
    expect((await read(code.page, 'en')).text).toContain('Merchant Sandbox merchant');
  });

  it('says what is still to be paid', async () => {
    const { page } = await asked('transfer', { money: { amountMinor: 1_000n, currency: 'EUR' } });
    expect((await read(page, 'pt', 'underpaid')).text).toContain('Pago em parte');
    const { html, text } = await read(page, 'pt');
    expect(html).toContain('<h1>Pagar 5,00 EUR?</h1>');
    expect(text).toContain('Valor 10,00 EUR Recebido até agora 5,00 EUR Por pagar 5,00 EUR');
  });

  it('ends in the language of its reader, with whose page it was', async () => {
    const { page } = await asked('card');
    const refused = await read(page, 'pt', 'failed');
    expect(refused.status).toBe(200);
    expect(refused.text).toContain('Recusou o pagamento. Pode fechar esta página.');
    expect(refused.text).toContain('(Processor A)');
    expect(await read(page, 'pt')).toMatchObject({ status: 410, text: expect.stringContaining('Nada a fazer') });
    expect(await read(`${url}/a/challenge/acs_0`, 'pt')).toMatchObject({
      status: 404,
      text: expect.stringContaining('Este pagamento não existe.'),
    });
  });
});

describe('the app that scans', () => {
  it('is in the language of its reader', async () => {
    const { html, text } = await read(`${url}/f/scan`, 'pt');
    expect(text).toContain('A sua aplicação de pagamentos');
    expect(html).toMatch(/<label for="answer">[^<]+<\/label>\s*<textarea id="answer" name="code"/);
    expect(await read(`${url}/f/scan`, 'pt', 'nothing')).toMatchObject({
      status: 400,
      text: expect.stringContaining('Este código não é do Processor F.'),
    });
  });
});
