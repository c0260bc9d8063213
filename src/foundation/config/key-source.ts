/** Keys by id, for a keyring. */
export interface KeySource {
  /** The key that seals. Throws `unavailable` while there is none. */
  readonly currentId: string;
  /**
   * What need not be sealed anew: under keys with ids of this length that begin so. A single key, where each rotation seals
   * everything anew.
   */
  readonly settled: { idLength: number; prefix: string };
  /** 32 bytes, the same object as long as it is held. Throws when there is no such key, `unavailable` while it cannot be had. */
  key(id: string): Buffer;
}

/** Keys as a setting has them, `id:base64 of 32 bytes`, comma separated, or as a key service unwraps them. */
export type Keys = string | KeySource;
