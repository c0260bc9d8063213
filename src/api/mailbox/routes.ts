import Joi from 'joi';
import { notFound } from '../../domain/errors';
import { instant } from '../server/conventions';
import { type Route, route } from '../server/route';
import type { ReadMailbox } from './mailbox';
import { CONTENT_SECURITY_POLICY, mailboxPage } from './page';
import { type ReadTestCards, testCardsSchema } from './test-cards';

export interface SandboxDependencies {
  /** Absent in production. */
  mailbox?: ReadMailbox;
  /** Absent in production. */
  testCards?: ReadTestCards;
}

interface MailboxQuery {
  to?: string;
  format?: 'json' | 'html';
  limit: number;
}

const letterSchema = Joi.object({
  id: Joi.string().required(),
  channel: Joi.valid('email', 'sms').required(),
  from: Joi.string().required(),
  to: Joi.string().required(),
  subject: Joi.string(),
  text: Joi.string().required(),
  receivedAt: instant().required(),
});

/** Routes that only the sandbox has. */
export function sandboxRoutes({ mailbox, testCards }: SandboxDependencies): Route[] {
  return [
    route<unknown, MailboxQuery>({
      method: 'GET',
      path: '/sandbox/mailbox',
      area: 'Sandbox',
      summary: 'E-mails and SMS that the sandbox sent',
      description:
        'Newest first. The answer is JSON, or an HTML page if the request asks for HTML. No message leaves the ' +
        'sandbox. Outside the sandbox the answer is 404.',
      roles: 'public',
      query: Joi.object({
        to: Joi.string()
          .allow('')
          .max(320)
          .description('E-mail address or telephone number of the recipient. If absent, the messages to everybody'),
        format: Joi.valid('json', 'html').description('Takes the place of the Accept header'),
        limit: Joi.number().integer().min(1).max(200).default(50),
      }),
      responses: {
        200: {
          description: 'The messages',
          schema: Joi.object({ data: Joi.array().items(letterSchema).required() }),
          alternatives: ['text/html'],
        },
      },
      async handler({ query: { to, format, limit }, headers }) {
        if (!mailbox) throw notFound('Path');
        const letters = await mailbox(to || undefined, limit);
        if (format === 'json' || (!format && !headers.accept?.includes('text/html')))
          return { status: 200, body: { data: letters } };
        return {
          status: 200,
          body: mailboxPage(letters, to),
          headers: {
            'Content-Type': 'text/html; charset=utf-8',
            'Content-Security-Policy': CONTENT_SECURITY_POLICY,
          },
        };
      },
    }),
    route({
      method: 'GET',
      path: '/sandbox/test-cards',
      area: 'Sandbox',
      summary: 'Test cards and amounts, and what the simulated processors do with them',
      description: 'Outside the sandbox the answer is 404.',
      roles: 'public',
      responses: { 200: { description: 'Cards and amounts', schema: testCardsSchema } },
      async handler() {
        if (!testCards) throw notFound('Path');
        return { status: 200, body: await testCards() };
      },
    }),
  ];
}
