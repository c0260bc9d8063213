import type { Knex } from 'knex';

/** What a processor keeps of a capture: basis points of the amount, rounded half to even, plus a fixed part. */
interface FeeTerms {
  processor: string;
  /** ISO 4217; null: every currency without terms of its own. */
  currency: string | null;
  basis_points: number;
  fixed_minor: bigint;
  /** RFC 3339 UTC */
  valid_from: string;
}

/** What the sandbox's processors charge, by the simulator's own figures. A processor without terms is not compared. */
const SANDBOX_TERMS: readonly FeeTerms[] = [
  { processor: 'a', currency: null, basis_points: 150, fixed_minor: 0n, valid_from: '2020-01-01T00:00:00.000Z' },
  { processor: 'b', currency: null, basis_points: 120, fixed_minor: 0n, valid_from: '2020-01-01T00:00:00.000Z' },
  { processor: 'c', currency: null, basis_points: 250, fixed_minor: 0n, valid_from: '2020-01-01T00:00:00.000Z' },
  { processor: 'd', currency: null, basis_points: 220, fixed_minor: 0n, valid_from: '2020-01-01T00:00:00.000Z' },
  { processor: 'e', currency: null, basis_points: 70, fixed_minor: 0n, valid_from: '2020-01-01T00:00:00.000Z' },
  { processor: 'f', currency: null, basis_points: 90, fixed_minor: 0n, valid_from: '2020-01-01T00:00:00.000Z' },
  { processor: 'g', currency: null, basis_points: 600, fixed_minor: 0n, valid_from: '2020-01-01T00:00:00.000Z' },
  { processor: 'h', currency: null, basis_points: 100, fixed_minor: 0n, valid_from: '2020-01-01T00:00:00.000Z' },
];

/** Writes the sandbox's fee terms; terms that are there stay as they are. */
export async function writeSandboxFeeTerms(system: Knex): Promise<void> {
  await system('processor_fee_terms')
    .insert([...SANDBOX_TERMS])
    .onConflict(['processor', 'currency', 'valid_from'])
    .ignore();
}
