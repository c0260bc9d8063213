/**
 * An idempotency key that the transaction claims which writes down what its request asks for (`payment_accept_2`). That throws
 * a violation of `idempotency_keys_pkey` when somebody else has claimed it meanwhile.
 */
export class KeyClaim {
  /** Whether the claim was written. */
  isTaken = false;

  constructor(
    /** The row of `idempotency_keys`; `mac` in hex. */
    readonly row: { clientId: string; path: string; key: string; mac: string; seed: string; owner: string },
  ) {}
}
