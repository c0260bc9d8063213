import Joi from 'joi';
import { TICKET_STATUSES } from '../../commerce/tickets/ticket';
import { id, instant } from '../server/conventions';

export const ticketStatus = () => Joi.string().valid(...TICKET_STATUSES);
const members = {
  ticketId: id('ticket').required(),
  linkId: Joi.string().required(),
  status: ticketStatus().required().description('`open`: the buyer waits for an answer'),
  createdAt: instant().required(),
  updatedAt: instant().required(),
};
export const ticketSchema = Joi.object(members);
export const conversationSchema = Joi.object({
  ...members,
  messages: Joi.array()
    .items(
      Joi.object({
        from: Joi.string().valid('buyer', 'seller').required(),
        author: Joi.string().description('The user or client who answered'),
        text: Joi.string().required(),
        at: instant().required(),
      }),
    )
    .required(),
});
