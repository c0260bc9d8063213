import Joi from 'joi';
import { askSimulator } from './simulator';

/** What the simulated processors do something of their own with. */
export interface TestCards {
  cards: { number: string; brand: string; behaviour: string; description: string }[];
  amounts: { ending: string; description: string }[];
}

export type ReadTestCards = () => Promise<TestCards>;

/** The table of the simulator at this address. Rejects with `unavailable` while it is away. */
export function testCardsOf(simulatorUrl: string): ReadTestCards {
  return () => askSimulator<TestCards>(simulatorUrl, '/sim/test-cards', 'The list of test cards');
}

export const testCardsSchema = Joi.object({
  cards: Joi.array()
    .items(
      Joi.object({
        number: Joi.string().required().example('4111111111111111'),
        brand: Joi.string().required().example('VISA'),
        behaviour: Joi.string().required().example('approve').description('A stable name of what it does'),
        description: Joi.string().required(),
      }),
    )
    .required()
    .description('Any expiry date in the future and any security code will do'),
  amounts: Joi.array()
    .items(
      Joi.object({
        ending: Joi.string().required().example('02').description('The last two digits of the amount'),
        description: Joi.string().required(),
      }),
    )
    .required()
    .description('For kinds without a card. All other amounts are approved'),
});
