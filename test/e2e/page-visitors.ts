import { randomUUID } from 'node:crypto';
import { type Caller, type Json, send, until } from './client';

export const PASSWORD = 'correct horse battery staple';

/** A customer with a verified e-mail address and a password. */
export interface Member {
  customerId: string;
  email: string;
}

const CODE = /\b\d{6}\b/;

const mailbox = async (apiUrl: string, to: string): Promise<Json[]> =>
  (await send(`${apiUrl}/sandbox/mailbox?to=${encodeURIComponent(to)}`)).body.data;

/** Waits for the letter after so many earlier ones; answers its text. */
export const letter = (apiUrl: string, to: string, earlier = 0): Promise<string> =>
  until(`letter ${earlier + 1} to ${to}`, async () => {
    const letters = await mailbox(apiUrl, to);
    return letters.length > earlier && (letters[0].text as string);
  });
export const lettersTo = async (apiUrl: string, to: string) => (await mailbox(apiUrl, to)).length;
/** The code in the newest of the letters after so many earlier ones; others, such as a receipt, may come with it. */
export const codeTo = (apiUrl: string, to: string, earlier = 0): Promise<string> =>
  until(`a code to ${to}`, async () => {
    const letters = await mailbox(apiUrl, to);
    const texts = letters.slice(0, letters.length - earlier).map(({ text }) => text as string);
    return texts.map((text) => CODE.exec(text)?.[0]).find(Boolean);
  });
export const codeIn = (text: string) => CODE.exec(text)![0];

export async function newMember(admin: Caller, name = 'Eve Moneypenny'): Promise<Member> {
  const email = `${randomUUID()}@member.example`;
  const [firstName, lastName] = name.split(' ');
  const { status, body } = await admin.post('/customer/1.0.0/create', {
    customerType: 'Person',
    customerName: name,
    customerStatus: 'verified',
    person: { firstName: { name: firstName }, lastName: { name: lastName }, email, password: PASSWORD },
  });
  if (status !== 201) throw new Error(`no customer: ${status} ${JSON.stringify(body)}`);
  const base = `/customer/1.0.0/${body.customerId}/verifications`;
  const asked = await admin.post(base, { type: 'email', value: email });
  const code = codeIn(await letter(admin.apiUrl, email));
  const verified = await admin.post(`${base}/confirm`, { sessionId: asked.body.sessionId, code });
  if (verified.status !== 200) throw new Error('not verified');
  return { customerId: body.customerId, email };
}

export interface Shown {
  status: number;
  /** Where a redirect leads, from the root. */
  location: string;
  text: string;
  headers: Headers;
}

/** A browser without JavaScript, as far as our pages need one: it keeps cookies and sends forms. */
export class Visitor {
  private readonly jar = new Map<string, string>();

  constructor(
    /** The address of a payment link. */
    readonly url: string,
    private readonly headers: Record<string, string> = {},
  ) {}

  /** What the browser sends along. Set: one more, as `name=value`. */
  get cookie(): string {
    return [...this.jar].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  set cookie(cookies: string) {
    for (const one of cookies.split('; ').filter(Boolean)) {
      const [name, value] = one.split(/=(.*)/) as [string, string];
      this.jar.set(name, value);
    }
  }

  get(below = ''): Promise<Shown> {
    return this.send(below, {});
  }

  /** Sends a form. A browser names the site that the form is from. */
  post(below: string, fields: Record<string, string>, origin = new URL(this.url).origin): Promise<Shown> {
    return this.send(below, {
      method: 'POST',
      body: new URLSearchParams(fields),
      headers: { origin },
    });
  }

  /** Follows a redirect to a page of the link. */
  follow({ location }: Shown): Promise<Shown> {
    return this.get(location.slice(new URL(this.url).pathname.length));
  }

  async signIn({ email }: Member, password = PASSWORD): Promise<Shown> {
    return this.post('/sign-in', { name: email, password });
  }

  private async send(below: string, init: RequestInit): Promise<Shown> {
    const headers = { ...this.headers, ...(init.headers as object), ...(this.cookie && { cookie: this.cookie }) };
    const response = await fetch(this.url + below, { ...init, headers, redirect: 'manual' });
    for (const line of response.headers.getSetCookie()) this.cookie = line.split(';')[0]!;
    const location = response.headers.get('location') ?? '';
    return { status: response.status, location, text: await response.text(), headers: response.headers };
  }
}

/** The hidden fields of the first form of a page that has a field of this name. */
export function hiddenOf({ text }: Pick<Shown, 'text'>): Record<string, string> {
  const fields = [...text.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)">/g)];
  return Object.fromEntries(fields.map(([, name, value]) => [name!, unescaped(value!)]));
}

const unescaped = (text: string) =>
  text
    .replace(/&quot;/g, '"')
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&amp;/g, '&');
