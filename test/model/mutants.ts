/** A fix taken out: with `to` in place of `from`, the bug is back. */
export interface Mutant {
  /** As the list of bugs calls it. */
  bug: string;
  says: string;
  file: string;
  from: string;
  to: string;
}

/** Bugs that this platform has had, each as the smallest change that brings it back. */
export const MUTANTS: readonly Mutant[] = [
  {
    bug: 'a',
    says: 'a refund that turns round after its end is ignored',
    file: 'src/money/payments/steps/late-refund.ts',
    from: 'if (!said || refund.status === said) return done(',
    to: 'if (!said || refund.status) return done(',
  },
  {
    bug: 'b',
    says: 'a second late transfer is taken for the first',
    file: 'src/money/payments/receipt.ts',
    from: 'const moneyOf = ({ transferId }: Arrival) => (transferId ?',
    to: 'const moneyOf = ({ transferId }: Arrival) => (!transferId ?',
  },
  {
    bug: 'b2',
    says: 'what was held late and taken then is not taken note of',
    file: 'src/money/payments/receipt.ts',
    from: 'if (known && (known.is_taken || !arrival.isTaken)) return known;',
    to: 'if (known) return known;',
  },
  {
    bug: 'c',
    says: 'a payment expires although its void was not carried out',
    file: 'src/money/payments/outcome.ts',
    from: "if (answer.kind === 'voided') {\n    const [code, detail] = reasonOfExpiry",
    to: "if (answer.kind !== 'unknown') {\n    const [code, detail] = reasonOfExpiry",
  },
  {
    bug: 'd',
    says: 'a void that was lost before the authorization is not sent again',
    file: 'src/money/payments/steps/inquire.ts',
    from: "return found.kind === 'authorized' || (kind === 'void' && waitsForMoney(found));",
    to: "return found.kind === 'authorized' || (kind === 'void' && waitsForMoney(found) && found.kind === 'pending');",
  },
  {
    bug: 'e',
    says: "a chargeback of another processor's charge is booked on the payment",
    file: 'src/money/disputes/steps.ts',
    from: 'if (dispute.processor !== payment.processor) return undefined;',
    to: '',
  },
  {
    bug: 'f',
    says: 'a capture or void that was turned away at the door counts as refused',
    file: 'src/edge/processors/answers.ts',
    from: "    case 'not_charged':\n      return { kind: 'not_taken', detail: answer.detail };",
    to: "    case 'not_charged':\n      return { kind: 'refused', detail: answer.detail };",
  },
  {
    bug: 'g',
    says: "the payment's flow waits until late money is back",
    file: 'src/money/payments/steps/late-money.ts',
    from: "    ? done('applied', 'late money is on its way back')",
    to: `    ? (await deps.database.system('unapplied_receipts').where({ payment_id: payment.id, status: 'returning' }).first('id'))
      ? { view: { state: 'applied' as const, detail: 'late money is on its way back', askAgainMs: 1_000 } }
      : done('applied', 'late money is on its way back')`,
  },
  {
    bug: 'h',
    says: 'a repeat that was turned away says that nothing was charged, also by the try before it',
    file: 'src/money/payments/steps/authorize.ts',
    from: "return isOfThisTry ? { kind: 'unknown', detail: answer.detail } : answer;",
    to: 'return answer;',
  },
  {
    bug: 'h2',
    says: 'a processor that did not know a payment is not asked again, and charges without a word',
    file: 'src/money/payments/steps/late-charge.ts',
    from: "if (answer.kind !== 'captured' && answer.kind !== 'authorized') return;",
    to: "if (answer.kind !== 'captured' || answer.processorReference !== '') return;",
  },
  {
    bug: 'i',
    says: 'the limit keeps what a request spent that was taken back',
    file: 'src/money/payments/accept.ts',
    from: "if (removed === 1 && payment.beneficiary === 'wallet')",
    to: "if (removed === 2 && payment.beneficiary === 'wallet')",
  },
  {
    bug: 'i2',
    says: 'the repeat of a request that was taken back finds its flow ended, and nobody carries it out',
    file: 'src/money/payments/service.ts',
    from: 'command(engine, () => startPayment(engine, database.system, payment, { eager, again: true, begunHere }))',
    to: 'command(engine, () => startPayment(engine, database.system, payment, { eager, begunHere }))',
  },
  {
    bug: 'i3',
    says: 'a payment is taken back while its flow sends it',
    file: 'src/money/payments/service.ts',
    from: 'if (mayWithdraw() && (await',
    to: 'if ((await',
  },
  {
    bug: 'n',
    says: 'an authorization under way is booked over a cancel that came meanwhile',
    file: 'src/money/payments/operation.ts',
    from: '.update({ version: payment.version + 1 });',
    to: '.update({ version: payment.version });',
  },
  {
    bug: 'n2',
    says: 'a payment that was cancelled before it was sent is sent',
    file: 'src/money/payments/operation.ts',
    from: "const isUnsent = payment.status === 'initiated' && payment.attempts === 0;",
    to: 'const isUnsent = false;',
  },
  {
    bug: 'o',
    says: 'a callback for an open payment without a flow is taken for a late one',
    file: 'src/edge/callbacks/delivery.ts',
    from: 'if (!isClosed(known.status)) return this.bringToOpen',
    to: 'if (row.id.length === 0) return this.bringToOpen',
  },
  {
    bug: 'p',
    says: 'a flow is not told that its payment has ended, when whoever heard the callback could not reach the engine',
    file: 'src/edge/callbacks/delivery.ts',
    from: 'if (known.has_flow && row.attempts > 0) await tellFlow(this.engine, this.system, known);',
    to: '',
  },
];
