/** Something in the books that is not as it must be. */
export interface Finding {
  check: string;
  subject: string;
  detail: string;
}

export interface Check {
  name: string;
  /** Rows of (subject, detail), one per finding. */
  sql: string;
}
