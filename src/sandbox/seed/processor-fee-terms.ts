import type { Knex } from 'knex';
import { SIMULATED_PROCESSORS } from '../../domain/connector';

type SimulatedProcessorId = (typeof SIMULATED_PROCESSORS)[number];

/** What a processor keeps of a capture: basis points of the amount, rounded half to even, plus a fixed part. */
interface FeeTerms {
  processor: SimulatedProcessorId;
  /** ISO 4217; null: every currency without terms of its own. */
  currency: string | null;
  basis_points: number;
  fixed_minor: bigint;
  /** RFC 3339 UTC */
  valid_from: string;
}

/** What each of the sandbox's processors charges, in basis points, by the simulator's own figures. */
const BASIS_POINTS: Record<SimulatedProcessorId, number> = {
  a: 150,
  b: 120,
  c: 250,
  d: 220,
  e: 70,
  f: 90,
  g: 600,
  h: 100,
};

const SANDBOX_TERMS: readonly FeeTerms[] = SIMULATED_PROCESSORS.map((processor) => ({
  processor,
  currency: null,
  basis_points: BASIS_POINTS[processor],
  fixed_minor: 0n,
  valid_from: '2020-01-01T00:00:00.000Z',
}));

/** Writes the sandbox's fee terms; terms that are there stay as they are. */
export async function writeSandboxFeeTerms(system: Knex): Promise<void> {
  await system('processor_fee_terms')
    .insert([...SANDBOX_TERMS])
    .onConflict(['processor', 'currency', 'valid_from'])
    .ignore();
}
