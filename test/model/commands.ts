import fc from 'fast-check';
import type { Charge, PageOutcome } from '../../src/sandbox/simulator/records';
import type { CallKind, Fate } from './network';
import { MODELLED, type Modelled } from './processors';
import type { Plan, World } from './world';

/** What the model knows before a command: enough to say whether there is anything that it could be about. */
export interface Known {
  payments: number;
}

/** One thing that somebody does. Where it does not fit what there is, nothing happens. */
class Command implements fc.AsyncCommand<Known, World> {
  constructor(
    private readonly name: string,
    private readonly said: object,
    private readonly isAboutPayment: boolean,
    private readonly act: (world: World) => Promise<unknown>,
  ) {}

  check({ payments }: Readonly<Known>): boolean {
    return !this.isAboutPayment || payments > 0;
  }

  async run(known: Known, world: World): Promise<void> {
    await this.act(world);
    known.payments = world.payments.length;
  }

  toString(): string {
    return `${this.name}(${JSON.stringify(this.said, (_, value) => (typeof value === 'bigint' ? `${value}` : value))})`;
  }
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

const pick = fc.nat({ max: 5 });

/** Whether workers have time right away. */
const works = fc.integer({ min: 0, max: 3 }).map((roll) => roll > 0);

const anyFate: fc.Arbitrary<Fate> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc
      .constantFrom(
        'lost_before',
        'lost_after',
        'status_400',
        'status_429',
        'status_500',
        'cannot_connect',
        'duplicated',
      )
      .map((kind) => ({ kind }) as Fate),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('slow' as const),
      arrivesMs: fc.constantFrom(0, 1_500, 4_000),
      answersMs: fc.constantFrom(500, 10_000),
    }),
  },
);
const fate = fc.option(anyFate, { freq: 2, nil: undefined });

const ROUTES: Modelled[][] = [['a'], ['c'], ['a', 'c'], ['c', 'a']];
const CARDS = ['4111111111111111', '4000000000003220', '4000000000003055', '4000000000000002', '4000000000005126'];

const plan: fc.Arbitrary<Plan> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('card' as const),
      card: fc.constantFrom(...CARDS.slice(0, 2), ...CARDS),
      capture: fc.constantFrom('automatic' as const, 'manual' as const),
      route: fc.constantFrom(...ROUTES),
      amountMinor: fc.constant(10_000n),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.constant({
      kind: 'bank_transfer' as const,
      capture: 'automatic' as const,
      route: ['b' as const],
      amountMinor: 10_000n,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('hosted_page' as const),
      capture: fc.constantFrom('automatic' as const, 'manual' as const),
      route: fc.constant(['c' as const]),
      amountMinor: fc.constant(10_000n),
    }),
  },
);

const paymentAt = ({ payments }: World, index: number): string => payments[index % payments.length]!;

/** A charge of a payment, at whatever processor. */
function chargeAt(world: World, index: number, which: number): Charge | undefined {
  const charges = world.charges(paymentAt(world, index));
  return charges[which % Math.max(1, charges.length)];
}

async function afterwards(world: World, isNow: boolean): Promise<void> {
  if (isNow) await world.work.all();
}

const pay = fc.record({ plan, fate, works }).map(
  (said) =>
    new Command('Pay', said, false, async (world) => {
      world.disturb('authorize', said.fate);
      await world.pay(said.plan);
      await afterwards(world, said.works);
    }),
);

const payer = fc
  .record({
    pick,
    outcome: fc.constantFrom<PageOutcome>('authenticated', 'authenticated', 'failed', 'underpaid'),
    works,
  })
  .map(
    (said) =>
      new Command('PayerActs', said, true, async (world) => {
        const charge = chargeAt(world, said.pick, 0);
        if (!charge) return;
        const isTransfer = charge.kind === 'bank_transfer';
        const outcome = said.outcome === 'underpaid' && !isTransfer ? 'authenticated' : said.outcome;
        await world.processors.desks[charge.processor as Modelled].payers.answer(charge, outcome).told;
      }),
  );

const operate = (
  name: string,
  on: CallKind,
  order: (world: World, paymentId: string, part: boolean) => Promise<void>,
) =>
  fc.record({ pick, part: fc.boolean(), fate, works }).map(
    (said) =>
      new Command(name, said, true, async (world) => {
        world.disturb(on, said.fate);
        await order(world, paymentAt(world, said.pick), said.part);
        await afterwards(world, said.works);
      }),
  );

const cancel = operate('Cancel', 'void', (world, id) => world.operate('void', id));
const capture = operate('Capture', 'capture', (world, id, part) =>
  world.operate('capture', id, part ? 6_000n : undefined),
);
const refund = operate('Refund', 'refund', (world, id, part) => world.refund(id, part ? () => 3_000n : undefined));

const arrive = fc.record({ pick, copies: fc.constantFrom(1, 1, 2), works }).map(
  (said) =>
    new Command('CallbackArrives', said, true, async (world) => {
      const [letter] = world.letters.splice(said.pick % Math.max(1, world.letters.length), 1);
      if (!letter) return;
      await world.arrive(letter, said.copies);
      await afterwards(world, said.works);
    }),
);

const arriveAgain = fc.record({ pick }).map(
  (said) =>
    new Command('CallbackIsRepeated', said, true, async (world) => {
      const letter = world.heard[said.pick % Math.max(1, world.heard.length)];
      if (letter) await world.arrive(letter);
      await afterwards(world, true);
    }),
);

const lose = fc.record({ pick }).map(
  (said) =>
    new Command('CallbackIsLost', said, true, async (world) => {
      world.letters.splice(said.pick % Math.max(1, world.letters.length), 1);
    }),
);

const pass = fc
  .record({ ms: fc.constantFrom(500, 2 * SECOND, 4 * SECOND, 6 * SECOND, MINUTE, 20 * MINUTE, 61 * MINUTE) })
  .map((said) => new Command('TimePasses', said, true, (world) => world.pass(said.ms)));

const die = fc.record({ unheard: fc.boolean() }).map(
  (said) =>
    new Command('ProcessDies', said, true, async (world) => {
      world.runtime.die(said);
      await afterwards(world, true);
    }),
);

const chargeBack = fc.record({ pick, which: pick }).map(
  (said) =>
    new Command('PayerDisputes', said, true, async (world) => {
      const charge = chargeAt(world, said.pick, said.which);
      if (!charge || charge.kind === 'bank_transfer') return;
      const notice = world.processors.desks[charge.processor as Modelled].charges.chargeBack(charge);
      if (notice) world.letters.push({ notice, dueAt: Date.now() });
    }),
);

const turnRefund = fc.record({ pick }).map(
  (said) =>
    new Command('RefundTurnsRound', said, true, async (world) => {
      const { refundId = '' } = world.refunds[said.pick % Math.max(1, world.refunds.length)] ?? {};
      for (const processor of MODELLED) world.turnRefund(processor, refundId);
    }),
);

const disturb = fc
  .record({
    on: fc.constantFrom<CallKind>('authorize', 'capture', 'void', 'refund', 'inquiry', 'inquiry'),
    fate: anyFate,
    times: fc.integer({ min: 1, max: 3 }),
  })
  .map(
    (said) => new Command('NetworkFails', said, false, async (world) => world.disturb(said.on, said.fate, said.times)),
  );

/** Everything that happens in a run, most often what moves payments on. */
export const commands = (): fc.Arbitrary<fc.AsyncCommand<Known, World>>[] => [
  pay,
  pay,
  payer,
  payer,
  cancel,
  capture,
  refund,
  arrive,
  arrive,
  arriveAgain,
  lose,
  pass,
  pass,
  die,
  chargeBack,
  turnRefund,
  disturb,
];
