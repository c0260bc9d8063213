import { createTransport, type Transporter } from 'nodemailer';
import type { Twilio } from 'twilio';
import type { Config } from '../config/config';
import type { Channel, Letter } from './messenger';

/** Hands a message over to whoever carries it. Rejects with Refused when it will never be taken. */
export interface Sender {
  send(id: string, letter: Letter): Promise<void>;
  close(): void;
}

/** The carrier will not take this message, now or later: an address that does not exist, for instance. */
export class Refused extends Error {
  override readonly name = 'Refused';
}

export type Senders = Partial<Record<Channel, Sender>>;

/** A sender for each channel that the settings name a carrier for. */
export function createSenders({ messages, sandbox }: Pick<Config, 'messages' | 'sandbox'>): Senders {
  const { smtpUrl, mailFrom, twilio } = messages;
  return {
    ...(smtpUrl && { email: new MailSender(smtpUrl, mailFrom, !sandbox) }),
    ...(twilio && { sms: new SmsSender(twilio) }),
  };
}

const CARRIER_TIMEOUT_MS = 10_000;
const CONNECTIONS = 4;

/** E-mail over SMTP (RFC 5321). */
export class MailSender implements Sender {
  private readonly transport: Transporter;

  /** `requireTls`: an `smtp:` server must offer STARTTLS (RFC 3207). */
  constructor(
    url: string,
    private readonly from: string,
    requireTls: boolean,
  ) {
    this.transport = createTransport({
      url,
      pool: true,
      maxConnections: CONNECTIONS,
      connectionTimeout: CARRIER_TIMEOUT_MS,
      greetingTimeout: CARRIER_TIMEOUT_MS,
      socketTimeout: CARRIER_TIMEOUT_MS,
      requireTLS: requireTls && !url.startsWith('smtps:'),
      disableFileAccess: true,
      disableUrlAccess: true,
    });
  }

  /** The Message-ID is made of ours, so that a message sent twice after a crash is one message to its reader. */
  async send(id: string, { to, subject, text, html, pictures = [] }: Letter): Promise<void> {
    const domain = /@([^>\s]+)/.exec(this.from)?.[1] ?? 'localhost';
    try {
      // As an object: in a string, a comma would make a list of addresses of it.
      const recipient = { name: '', address: to };
      await this.transport.sendMail({
        from: this.from,
        to: recipient,
        subject,
        text,
        html,
        attachments: pictures.map(({ name, content }) => ({
          filename: `${name}.png`,
          cid: name,
          content,
          encoding: 'base64',
        })),
        messageId: `<${id}@${domain}>`,
        headers: { 'Auto-Submitted': 'auto-generated' },
      });
    } catch (error) {
      const { code, responseCode } = error as { code?: string; responseCode?: number };
      const isFinal = code === 'EENVELOPE' || code === 'EMESSAGE';
      if (isFinal && (responseCode === undefined || responseCode >= 500)) throw new Refused(`SMTP ${responseCode}`);
      throw error;
    }
  }

  close(): void {
    this.transport.close();
  }
}

export interface TwilioSettings {
  accountSid: string;
  authToken: string;
  /** Number or name that the SMS come from. */
  from: string;
  /** Base address of the API where it is not Twilio's own. */
  apiUrl?: string;
}

/** SMS through Twilio's Messages API, or anything that speaks it. */
export class SmsSender implements Sender {
  private client: Twilio | undefined;

  constructor(private readonly settings: TwilioSettings) {}

  async send(_id: string, { to, text }: Letter): Promise<void> {
    try {
      await this.connected().messages.create({ to, from: this.settings.from, body: text });
    } catch (error) {
      // Twilio: 400 names a number or text that it will never take; anything else may pass.
      if ((error as { status?: number }).status === 400) throw new Refused('Twilio 400');
      throw error;
    }
  }

  close(): void {}

  /** The library is large: loaded by the first SMS. */
  private connected(): Twilio {
    if (this.client) return this.client;
    const { accountSid, authToken, apiUrl } = this.settings;
    const twilio: typeof import('twilio') = require('twilio');
    this.client = twilio(accountSid, authToken, { timeout: CARRIER_TIMEOUT_MS });
    if (apiUrl) this.client.api.baseUrl = apiUrl;
    return this.client;
  }
}
