import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import Router from '@koa/router';
import Joi from 'joi';
import type { Logger } from 'pino';
import PostalMime from 'postal-mime';
import { SMTPServer } from 'smtp-server';
import type { Books } from './books';
import { validated } from './control';
import { type Letter, makeId } from './records';
import { readForm } from './request';

/** The oldest go first beyond this. */
const KEPT = 2_000;
const LIMIT_BYTES = 1_048_576;
/** Senders keep their connections: they are cut after this. */
const CLOSE_MS = 250;

/** Where the sandbox's e-mails and SMS arrive instead of at anybody's: an SMTP server and Twilio's way of sending SMS. */
export class Mailbox {
  private readonly smtp: SMTPServer;

  constructor(
    private readonly books: Books,
    log: Logger,
  ) {
    this.smtp = new SMTPServer({
      disabledCommands: ['AUTH', 'STARTTLS'],
      disableReverseLookup: true,
      logger: false,
      size: LIMIT_BYTES,
      closeTimeout: CLOSE_MS,
      onData: (stream, session, done) => {
        buffer(stream)
          .then((raw) => PostalMime.parse(raw))
          .then(({ from, subject, text = '', html }) => {
            for (const { address } of session.envelope.rcptTo)
              this.keep({
                channel: 'email',
                from: from?.address ?? '',
                to: address,
                subject,
                text: text || (html ?? ''),
              });
            done();
          })
          .catch((error: Error) => {
            log.warn({ error: error.name }, 'an e-mail could not be read');
            done(error);
          });
      },
    });
    this.smtp.on('error', (error) => log.warn({ error: error.message }, 'mailbox'));
  }

  /** Answers the port. Rejects when it is taken. */
  listen(host: string, port: number): Promise<number> {
    return new Promise((resolve, reject) => {
      this.smtp.once('error', reject);
      const { server } = this.smtp;
      this.smtp.listen(port, host, () => resolve((server.address() as AddressInfo).port));
    });
  }

  close(): Promise<void> {
    return new Promise((resolve) => this.smtp.close(() => resolve()));
  }

  /** Newest first. */
  letters(to: string | undefined, limit: number): Letter[] {
    const all = [...this.books.all('letter')].reverse();
    const wanted = to && comparable(to);
    return all.filter((letter) => !wanted || comparable(letter.to) === wanted).slice(0, limit);
  }

  keep(letter: Omit<Letter, 'id' | 'receivedAt'>): Letter {
    const kept = { id: makeId('let'), ...letter, receivedAt: new Date().toISOString() };
    this.books.atomically(() => {
      this.books.save('letter', kept);
      const ids = [...this.books.all('letter')].map(({ id }) => id);
      for (const id of ids.slice(0, Math.max(0, ids.length - KEPT))) this.books.remove('letter', id);
    });
    return kept;
  }
}

/** A `+` in a query arrives as a space: telephone numbers are compared by their digits. */
function comparable(address: string): string {
  return address.includes('@') ? address.trim().toLowerCase() : address.replace(/\D/g, '');
}

const listSchema = Joi.object<{ to?: string; limit: number }>({
  to: Joi.string().max(320),
  limit: Joi.number().integer().min(1).max(1_000).default(50),
});

/** `GET /sim/mailbox`, and `POST /twilio/2010-04-01/Accounts/{sid}/Messages.json` as Twilio answers it. */
export function mailboxRouter(mailbox: Mailbox): Router {
  const router = new Router();
  router.get('/sim/mailbox', (ctx) => {
    const { to, limit } = validated(listSchema, ctx.query);
    ctx.body = { data: mailbox.letters(to, limit) };
  });
  router.post('/twilio/2010-04-01/Accounts/:sid/Messages.json', async (ctx) => {
    const { To: to = '', From: from = '', Body: text = '' } = await readForm(ctx);
    const problem = (status: number, code: number, message: string) => {
      ctx.status = status;
      ctx.body = { status, code, message, more_info: `https://www.twilio.com/docs/errors/${code}` };
    };
    if (!ctx.headers.authorization?.startsWith('Basic ')) return problem(401, 20003, 'Authenticate');
    if (!/^\+[1-9]\d{6,14}$/.test(to)) return problem(400, 21211, "The 'To' number is not a valid phone number.");
    if (!text) return problem(400, 21602, 'Message body is required.');
    const letter = mailbox.keep({ channel: 'sms', from, to, text });
    ctx.status = 201;
    ctx.body = {
      sid: `SM${letter.id.slice(-32)}`,
      account_sid: ctx.params.sid,
      status: 'queued',
      to,
      from,
      body: text,
      date_created: new Date(letter.receivedAt).toUTCString(),
    };
  });
  return router;
}
