import { Bench } from './contract/bench';
import { describeCards, describeExemptions, describeThreeDS } from './contract/cards';
import { describeDebit } from './contract/debits';
import { describeDisputes } from './contract/disputes';
import { describeFaults } from './contract/faults';
import { describeHints } from './contract/hints';
import { isCardKind, MEANS } from './contract/means';
import { describeOperations } from './contract/operations';
import { describePayer } from './contract/payers';
import type { ConnectorSpec } from './contract/spec';
import { describeWire } from './contract/wire';

export type { ConnectorSpec, WireAnswer, WireCallback } from './contract/spec';

/**
 * The one suite every connector runs: against the real simulator over HTTP, and against a processor that may say
 * anything. What a connector declares in `capabilities` decides what it is held to.
 */
export function describeConnector(spec: ConnectorSpec): void {
  const bench = new Bench(spec);
  beforeAll(() => bench.start());
  afterAll(() => bench.stop());

  for (const kind of bench.capabilities.kinds) {
    if (isCardKind(kind)) describeCards(bench, kind);
    else for (const means of MEANS[kind]) (kind === 'direct_debit' ? describeDebit : describePayer)(bench, means);
  }
  if (bench.serves('card')) describeThreeDS(bench);
  if (bench.capabilities.exemptions) describeExemptions(bench);
  describeOperations(bench);
  describeFaults(bench);
  describeWire(bench);
  if (bench.unsigned) describeHints(bench);
  if (spec.disputeAnswers) describeDisputes(bench);
}
