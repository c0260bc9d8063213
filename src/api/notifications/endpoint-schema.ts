import Joi from 'joi';
import { EVENT_CHOICES } from '../../domain/notification-type';
import { anyId, freeText, id, instant, type Paging, paging, webUrl } from '../server/conventions';

const url = () => webUrl().example('https://shop.example/tillway');
const description = () => freeText(200).allow('').example('The book-keeping');
const events = () =>
  Joi.array()
    .items(Joi.string().valid(...EVENT_CHOICES))
    .max(EVENT_CHOICES.length)
    .unique()
    .example(['payment.*', 'payout.settled'])
    .description('Types of notifications, or all of a subject, such as `payout.*`. Absent or empty: everything');

export interface EndpointBody {
  url: string;
  events?: string[];
  description?: string;
}
export const endpointBody = Joi.object<EndpointBody>({
  url: url().required(),
  events: events(),
  description: description(),
});

export const endpointChangeBody = Joi.object<Partial<EndpointBody>>({
  url: url(),
  events: events(),
  description: description(),
});

export interface EndpointParams {
  endpointId: string;
}
export const endpointParams = Joi.object<EndpointParams>({ endpointId: anyId() });

export const endpointQuery = Joi.object<Paging>(paging());

const members = {
  endpointId: id('notificationEndpoint').required(),
  url: Joi.string().required(),
  events: events().description('Empty: everything').required(),
  description: Joi.string(),
  status: Joi.string().valid('enabled', 'disabled').required(),
  createdAt: instant().required(),
  updatedAt: instant().required(),
};
export const endpointSchema = Joi.object(members);
export const newEndpointSchema = Joi.object({
  ...members,
  secret: Joi.string().required().description('Signs what is sent to this endpoint. Only this answer has it'),
});

export const rotatedSecretSchema = Joi.object({
  endpointId: id('notificationEndpoint').required(),
  secret: Joi.string().required().description('Only this answer has it'),
  previousUntil: instant().description('Until then the old secret signs too. Absent: it does not'),
});

export interface SecretBody {
  overlapSeconds?: number;
}
export const secretBody = Joi.object<SecretBody>({
  overlapSeconds: Joi.number()
    .integer()
    .min(0)
    .description('How long the old secret signs too. By default 24 hours, at most 7 days; with 0 it stops at once'),
});
