import Joi from 'joi';
import type { PaymentLinkRow } from '../../commerce/payment-links/payment-link';
import type { PaymentLinks } from '../../commerce/payment-links/service';
import { presentConversation, presentTicket } from '../../commerce/tickets/present';
import type { TicketRow } from '../../commerce/tickets/ticket';
import type { TicketPage, Tickets } from '../../commerce/tickets/tickets';
import { conversationSchema, ticketSchema, ticketStatus } from '../records/ticket';
import { actorOf } from '../server/actor';
import { anyId, freeText, listOf, pageOf, paging } from '../server/conventions';
import { type Route, route } from '../server/route';
import { scopeOf } from './scope';

const BASE = '/payment-links/1.0.0/tickets';
const ONE = `${BASE}/{ticketId}`;

const params = Joi.object<{ ticketId: string }>({ ticketId: anyId() });
const answerBody = Joi.object<{ text: string }>({ text: freeText(4_000).trim().min(1).required() });

/** Questions of buyers on the page of a link: the seller, or the tenant for it, reads and answers them. */
export function ticketRoutes({ tickets, paymentLinks }: { tickets: Tickets; paymentLinks: PaymentLinks }): Route[] {
  const common = { area: 'Payment links', roles: ['merchant', 'tenant_admin'] as const };
  const responses = { 200: { description: 'The ticket', schema: conversationSchema } };
  return [
    route<unknown, TicketPage>({
      ...common,
      method: 'GET',
      path: BASE,
      summary: 'Questions of buyers, newest first',
      query: Joi.object({ ...paging(), status: ticketStatus(), linkId: Joi.string().max(100) }),
      responses: { 200: { description: 'A page of tickets', schema: listOf(ticketSchema) } },
      handler: async (ctx) => {
        const page = pageOf(await tickets.list(scopeOf(ctx), ctx.query), ctx.query.limit, (row) => row.id);
        return { status: 200, body: { ...page, data: page.data.map(presentTicket) } };
      },
    }),
    route<unknown, unknown, { ticketId: string }>({
      ...common,
      method: 'GET',
      path: ONE,
      summary: 'One question of a buyer, with its answers',
      params,
      responses,
      handler: async (ctx) => ({
        status: 200,
        body: presentConversation(await tickets.find(scopeOf(ctx), ctx.params.ticketId)),
      }),
    }),
    route<{ text: string }, unknown, { ticketId: string }>({
      ...common,
      method: 'POST',
      path: `${ONE}/answer`,
      summary: 'Answer the question of a buyer',
      description: 'The buyer hears of it by e-mail, and reads it on the page of the link.',
      params,
      body: answerBody,
      idempotent: true,
      responses,
      handler: async (ctx) => {
        const answer = {
          words: ctx.body.text,
          urlOf: ({ id }: TicketRow, link: PaymentLinkRow) => `${paymentLinks.urlOf(link)}/tickets/${id}`,
        };
        const answered = await tickets.answer(scopeOf(ctx), ctx.params.ticketId, answer, actorOf(ctx));
        return { status: 200, body: presentConversation(answered) };
      },
    }),
    route<unknown, unknown, { ticketId: string }>({
      ...common,
      method: 'POST',
      path: `${ONE}/close`,
      summary: 'Close the question of a buyer',
      params,
      idempotent: true,
      responses,
      handler: async (ctx) => ({
        status: 200,
        body: presentConversation(await tickets.close(scopeOf(ctx), ctx.params.ticketId, actorOf(ctx))),
      }),
    }),
  ];
}
