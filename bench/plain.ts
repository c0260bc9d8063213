import { randomUUID } from 'node:crypto';
import type { Measurement } from './load';

/** A double-entry transfer as plainly as SQL can say it: two entries in one function. */
export const PLAIN_TRANSFER = `
  CREATE TABLE bench_entries (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, account text NOT NULL,
    amount bigint NOT NULL, cause text NOT NULL);
  CREATE UNIQUE INDEX ON bench_entries (cause, account, amount);
  CREATE INDEX ON bench_entries (account, id);
  CREATE FUNCTION bench_transfer(debit text, credit text, amount bigint, cause text) RETURNS void LANGUAGE sql AS $$
    INSERT INTO bench_entries (account, amount, cause) VALUES (debit, amount, cause), (credit, -amount, cause);
  $$;`;

export const BULK = 1_000;

/** Customers of the same size on both sides; ours are validated, sealed and indexed by keyed hashes. */
export const PLAIN_CUSTOMERS = `
  CREATE TABLE bench_customers (id text PRIMARY KEY, tenant_id text NOT NULL, profile jsonb NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now())`;

export function people(): object[] {
  return Array.from({ length: BULK }, () => {
    const id = randomUUID();
    return {
      id,
      customerType: 'Person',
      customerName: 'Bench Customer',
      person: {
        firstName: { name: 'Bench' },
        lastName: { name: 'Customer' },
        email: `${id}@example.com`,
        telephoneNumbers: [{ phoneType: 'mobile', country: 'GB', number: '+447911123456' }],
        addresses: [{ addressPurpose: 'home', address: { country: 'GB', city: 'London', streetNumber: ['1'] } }],
      },
    };
  });
}

/** Rows per second; the times stay those of a whole request. */
export function perRow(measured: Measurement): Measurement {
  return { ...measured, perSecond: measured.perSecond * BULK };
}

/** What a processor says about a payment that is nobody's. */
export function strayCallback(): object {
  return {
    eventId: randomUUID(),
    reference: `pay_${randomUUID()}`,
    paymentId: randomUUID(),
    status: 'CAPTURED',
    amount: '10.00',
    currency: 'EUR',
    occurredAt: new Date().toISOString(),
  };
}
