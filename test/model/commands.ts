import fc from 'fast-check';
import { topupIdOf } from '../../src/money/payments/topup';
import type { NoticeEvent } from '../../src/sandbox/simulator/notice';
import type { Charge, PageOutcome } from '../../src/sandbox/simulator/records';
import type { EngineState } from './engine/engine';
import { anyFate, fate, slowAnswer, turnedAway, underWay, unserved } from './fates';
import type { CallKind, Fate } from './network';
import type { Modelled } from './processors';
import type { Plan } from './requests';
import type { World } from './world';

/** What the model knows before a command: enough to say whether there is anything that it could be about. */
export interface Known {
  payments: number;
}

/** One thing that somebody does. Where it does not fit what there is, nothing happens. */
class Command<Said extends object> implements fc.AsyncCommand<Known, World> {
  constructor(
    private readonly name: string,
    private readonly said: Said,
    private readonly act: (world: World, said: Said) => unknown,
  ) {}

  check({ payments }: Readonly<Known>): boolean {
    return this.name === 'Pay' || payments > 0;
  }

  async run(known: Known, world: World): Promise<void> {
    await this.act(world, this.said);
    world.stir();
    known.payments = world.requests.payments.length;
  }

  toString(): string {
    return `${this.name}(${JSON.stringify(this.said, (_, value) => (typeof value === 'bigint' ? `${value}` : value))})`;
  }
}

type AnyCommand = fc.Arbitrary<fc.AsyncCommand<Known, World>>;

/** `said`: what a command is about, by name; it is printed as it was said. */
function command<Said extends object>(
  name: string,
  said: { [Name in keyof Said]: fc.Arbitrary<Said[Name]> },
  act: (world: World, said: Said) => unknown,
): AnyCommand {
  return fc.record(said).map((each) => new Command(name, each as Said, act));
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const AMOUNT = 10_000n;
const PART = 6_000n;

/** Which one of several, counted from the first and round again. */
const which = fc.nat({ max: 5 });
/** Whether workers have time right away. */
const works = fc.integer({ min: 0, max: 3 }).map((roll) => roll > 0);

const engine = fc.oneof(
  { weight: 6, arbitrary: fc.constant<EngineState>('up') },
  { weight: 1, arbitrary: fc.constant<EngineState>('eager') },
  { weight: 1, arbitrary: fc.constantFrom<EngineState[]>('away', 'silent', 'slow') },
);

/** Approved; challenged; approved without a challenge; declined; approved, with its refund declined later. */
const CARDS = ['4111111111111111', '4000000000003220', '4000000000003055', '4000000000000002', '4000000000005126'];
const card = fc.constantFrom(CARDS[0]!, CARDS[1]!, ...CARDS);
const capture = fc.constantFrom('automatic' as const, 'manual' as const);
const amountMinor = fc.constant(AMOUNT);

const ROUTES: Modelled[][] = [['a'], ['c'], ['a', 'c'], ['c', 'a']];

/** A payment by card; `chosen` narrows what may be drawn. */
const cardPlan = (chosen: { cards?: string[]; captures?: Plan['capture'][]; routes?: Modelled[][] } = {}) =>
  fc.record<Plan>({
    kind: fc.constant('card'),
    card: chosen.cards ? fc.constantFrom(...chosen.cards) : card,
    capture: chosen.captures ? fc.constantFrom(...chosen.captures) : capture,
    route: fc.constantFrom(...(chosen.routes ?? ROUTES)),
    amountMinor,
  });
const transferPlan: fc.Arbitrary<Plan> = fc.record({
  kind: fc.constant('bank_transfer' as const),
  capture: fc.constant('automatic' as const),
  route: fc.constant(['b' as const]),
  amountMinor,
});
const pagePlan: fc.Arbitrary<Plan> = fc.record({
  kind: fc.constant('hosted_page' as const),
  capture,
  route: fc.constant(['c' as const]),
  amountMinor,
});
const topupPlan: fc.Arbitrary<Plan> = fc.record({
  kind: fc.constant('card' as const),
  card,
  capture,
  route: fc.constant(['a' as const]),
  amountMinor,
  isTopup: fc.constant(true),
});
const anyPlan = fc.oneof(
  { weight: 4, arbitrary: cardPlan() },
  { weight: 2, arbitrary: transferPlan },
  { weight: 1, arbitrary: pagePlan },
  { weight: 1, arbitrary: topupPlan },
);

const oneOf = <T>(list: readonly T[], index: number): T | undefined => list[index % Math.max(1, list.length)];

const paymentOf = ({ requests }: World, index: number): string => oneOf(requests.payments, index)!;

/** A charge of a payment, at whatever processor. */
const chargeOf = (world: World, payment: number, index: number): Charge | undefined =>
  oneOf(world.outside.charges(paymentOf(world, payment)), index);

const afterwards = (world: World, isNow: boolean) => (isNow ? world.work.all() : undefined);

const disturb = (world: World, on: CallKind, what: Fate | undefined, times = 1) =>
  what && world.network.disturb({ on, fate: what, times });

/** What becomes of the first request, and whether all else around it works. */
interface Beginning {
  fate: fc.Arbitrary<Fate | undefined>;
  engine: fc.Arbitrary<EngineState>;
  works: fc.Arbitrary<boolean>;
}

const WORKING = { engine: fc.constant<EngineState>('up'), works: fc.constant(true) };
const CALM: Beginning = { ...WORKING, fate: fc.constant(undefined) };

/** Somebody pays. */
const pay = (plan: fc.Arbitrary<Plan>, beginning: Beginning = { fate, engine, works }) =>
  command<{ plan: Plan; fate: Fate | undefined; engine: EngineState; works: boolean }>(
    'Pay',
    { plan, ...beginning },
    async (world, said) => {
      disturb(world, 'authorize', said.fate);
      await world.requests.pay(said.plan, said.engine);
      await afterwards(world, said.works);
    },
  );

const payAgain = command('RequestIsRepeated', { payment: which, engine, works }, async (world, said) => {
  const paymentId = paymentOf(world, said.payment);
  await world.requests.pay(world.requests.plans.get(paymentId)!, said.engine, topupIdOf(paymentId));
  await afterwards(world, said.works);
});

const OUTCOMES: PageOutcome[] = ['authenticated', 'authenticated', 'underpaid', 'failed', 'overpaid'];

const payerActs = command(
  'PayerActs',
  { payment: which, outcome: fc.constantFrom(...OUTCOMES) },
  async (world, said) => {
    const charge = chargeOf(world, said.payment, 0);
    if (!charge || !(await world.isShown(charge.reference))) return;
    const isWhole = charge.kind !== 'bank_transfer' && said.outcome !== 'failed';
    await world.outside.payerActs(charge, isWhole ? 'authenticated' : said.outcome);
  },
);

/** Something that a merchant orders for a payment, and what becomes of the call that follows. */
const order = (
  name: string,
  on: CallKind,
  act: (world: World, paymentId: string, state: EngineState, isPart: boolean) => Promise<void>,
) =>
  command(name, { payment: which, part: fc.boolean(), fate, engine, works }, async (world, said) => {
    disturb(world, on, said.fate);
    await act(world, paymentOf(world, said.payment), said.engine, said.part);
    await afterwards(world, said.works);
  });

const cancels = order('Cancel', 'void', ({ requests }, id, state) => requests.operate('void', id, state));
const captures = order('Capture', 'capture', ({ requests }, id, state, isPart) =>
  requests.operate('capture', id, state, isPart ? PART : undefined),
);
const refunds = order('Refund', 'refund', ({ requests }, id, state, isPart) =>
  requests.refund(id, state, isPart ? () => PART : undefined),
);

const arrives = command('CallbackArrives', { which, works }, async (world, said) => {
  const [letter] = world.letters.splice(said.which % Math.max(1, world.letters.length), 1);
  if (letter) await world.arrive(letter);
  await afterwards(world, said.works);
});

const arrivesAgain = command('CallbackArrivesAgain', { which, works }, async (world, said) => {
  const letter = oneOf(world.heard, said.which);
  if (letter) await world.arrive(letter);
  await afterwards(world, said.works);
});

/** What else can be learnt by asking. Everything else a processor sends until it has arrived. */
const CAN_BE_ASKED: ReadonlySet<NoticeEvent> = new Set([
  'authenticated',
  'authentication_failed',
  'challenge_answered',
  'authorized',
  'captured',
  'failed',
]);

const isLost = command('CallbackIsLost', { which }, async (world, said) => {
  const [letter] = world.letters.splice(said.which % Math.max(1, world.letters.length), 1);
  if (!letter) return;
  const isOnlyNews = !CAN_BE_ASKED.has(letter.notice.event) || !(await world.isServedBy(letter));
  if (isOnlyNews) world.letters.push(letter);
});

const tells = command('ProcessorTells', { payment: which, which }, (world, said) => {
  const charge = chargeOf(world, said.payment, said.which);
  if (charge) world.outside.tell(charge);
});

const takesHeld = command('ProcessorTakesWhatItHeld', { payment: which, which }, (world, said) => {
  const charge = chargeOf(world, said.payment, said.which);
  if (charge) world.outside.takeHeld(charge);
});

const TIMES = [500, 2 * SECOND, 4 * SECOND, 6 * SECOND, MINUTE, 16 * MINUTE, 61 * MINUTE];
/** While time passes, the next cancellation may fail: that of a payment whose time is up. */
const passes = command('TimePasses', { ms: fc.constantFrom(...TIMES), fate }, (world, said) => {
  disturb(world, 'void', said.fate);
  return world.pass(said.ms);
});

/** Some process dies, and after its restart a call of a kind may fail. */
const dying = (on: fc.Arbitrary<CallKind>, then: fc.Arbitrary<Fate | undefined>) =>
  command<{ unheard: boolean; on: CallKind; fate: Fate | undefined }>(
    'ProcessDies',
    { unheard: fc.boolean(), on, fate: then },
    async (world, said) => {
      disturb(world, said.on, said.fate);
      world.runtime.die(said);
      await world.work.all();
    },
  );
const dies = dying(fc.constantFrom('authorize', 'void', 'capture', 'inquiry'), fate);
const diesSending = dying(fc.constant('authorize'), fc.oneof(turnedAway, fate));

const flowIsLost = command('FlowIsLost', { which, forgotten: fc.boolean() }, ({ runtime }, said) => {
  const running = [...runtime.runs.values()].filter(
    ({ status, type, hasBegun }) => status === 'running' && hasBegun && type !== 'lateCallback',
  );
  const run = oneOf(running, said.which);
  if (run) runtime.lose(run, said);
});

const historyIsLong = command('HistoryIsLong', { which }, ({ runtime }, said) => {
  const run = oneOf([...runtime.runs.values()], said.which);
  if (run) run.isLong = true;
});

const disputes = command('PayerDisputes', { payment: which, which }, (world, said) => {
  const charge = chargeOf(world, said.payment, said.which);
  if (charge) world.outside.chargeBack(charge);
});

const VERDICTS = ['second_presentment', 'chargeback_won', 'chargeback_lost'] as const;
const decides = command(
  'DisputeIsDecided',
  { payment: which, which, verdict: fc.constantFrom(...VERDICTS) },
  (world, said) => {
    const charge = chargeOf(world, said.payment, said.which);
    if (charge) world.outside.decide(charge, said.verdict);
  },
);

const refundTurns = command('RefundTurnsRound', { which }, (world, said) => {
  const refund = oneOf(world.requests.refunds, said.which);
  if (refund) world.outside.turnRefund(refund.refundId);
});

const KINDS: CallKind[] = ['authorize', 'capture', 'void', 'refund', 'inquiry', 'inquiry'];
const fails = command(
  'NetworkFails',
  { on: fc.constantFrom(...KINDS), fate: anyFate, times: fc.integer({ min: 1, max: 3 }) },
  (world, said) => disturb(world, said.on, said.fate, said.times),
);

/** A processor takes nothing back for a while: what it charged without our asking stays there. */
const takesNothingBack = command(
  'ProcessorTakesNothingBack',
  { on: fc.constantFrom<CallKind>('refund', 'void') },
  (world, said) => disturb(world, said.on, { kind: 'status_429' }, 20),
);

/** What happens in one run: somebody pays, and then anything. */
export type Script = Iterable<fc.AsyncCommand<Known, World>>;

/** What a run is most about: how it begins, and what then moves such payments on or has gone wrong with them before. */
const THEMES: { first: AnyCommand; then: AnyCommand[] }[] = [
  {
    first: pay(anyPlan),
    then: [
      ...[pay(anyPlan), payAgain, payerActs, payerActs, cancels, captures, refunds, arrives, arrivesAgain, isLost],
      ...[tells, takesHeld, passes, passes, dies, flowIsLost, historyIsLong, disputes, decides, refundTurns, fails],
    ],
  },
  // Cancellations that meet an authorization under way.
  {
    first: pay(cardPlan({ cards: CARDS.slice(0, 2) }), { ...WORKING, fate: fc.oneof(slowAnswer, fate) }),
    then: [cancels, cancels, captures, dies, dies, passes, payerActs, arrives, fails],
  },
  // Two processors.
  {
    first: pay(cardPlan({ cards: CARDS.slice(0, 2), routes: ROUTES.slice(2) }), { ...WORKING, fate: unserved }),
    then: [
      passes,
      passes,
      passes,
      dies,
      dies,
      tells,
      takesHeld,
      arrives,
      arrives,
      cancels,
      captures,
      disputes,
      disputes,
      fails,
    ],
  },
  // Two processors, and the payer's bank takes back what one of them charged late.
  {
    first: pay(cardPlan({ cards: CARDS.slice(0, 1), routes: ROUTES.slice(2) }), { ...WORKING, fate: unserved }),
    then: [takesNothingBack, takesNothingBack, passes, passes, disputes, disputes, decides, tells, arrives],
  },
  // A process that dies while it sends.
  {
    first: pay(cardPlan({ cards: CARDS.slice(0, 2), routes: ROUTES.slice(2) }), { ...WORKING, fate: underWay }),
    then: [diesSending, diesSending, passes, tells, arrives, cancels, payerActs, fails],
  },
  // Transfers in time, too late, in parts.
  { first: pay(transferPlan, CALM), then: [payerActs, payerActs, passes, passes, cancels, arrives, fails] },
  // What has been captured.
  {
    first: pay(cardPlan({ cards: [CARDS[0]!, CARDS[0]!, CARDS[4]!], captures: ['automatic'] }), CALM),
    then: [refunds, refunds, refundTurns, arrives, arrivesAgain, disputes, decides, passes, dies, flowIsLost, fails],
  },
  // What has been authorized.
  {
    first: pay(cardPlan({ cards: [CARDS[0]!], captures: ['manual'] }), CALM),
    then: [captures, captures, cancels, refunds, dies, passes, tells, arrives, flowIsLost, fails],
  },
  // Payers who take time, while flows get lost.
  {
    first: pay(fc.oneof(cardPlan({ cards: [CARDS[1]!] }), pagePlan), CALM),
    then: [payerActs, payerActs, arrives, arrives, tells, isLost, flowIsLost, flowIsLost, passes, cancels, dies],
  },
  { first: pay(topupPlan), then: [pay(topupPlan), payAgain, payAgain, payerActs, captures, cancels, refunds, passes] },
];

/** @param replayPath as a failure prints it. */
export const scripts = (replayPath?: string): fc.Arbitrary<Script> =>
  fc.oneof(
    ...THEMES.map(({ first, then }) =>
      fc
        .tuple(first, fc.commands(then, { maxCommands: 12, size: 'max', replayPath }))
        .map(([opening, others]) => new Played(opening, others)),
    ),
  );

/** Prints what was played of a script. */
class Played implements Script {
  constructor(
    private readonly first: fc.AsyncCommand<Known, World>,
    private readonly others: Script,
  ) {}

  *[Symbol.iterator](): Iterator<fc.AsyncCommand<Known, World>> {
    yield this.first;
    yield* this.others;
  }

  toString(): string {
    return `${this.first}, ${this.others}`;
  }
}
