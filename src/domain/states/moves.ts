/** Every move that the things of one kind may make, by the status they are in. What is not listed is refused. */
export type Moves<Status extends string> = Readonly<Record<Status, readonly Status[]>>;

/** The question that a table of moves answers: may something that is `from` become `to`? */
export function canMoveBy<Status extends string>(moves: Moves<Status>): (from: Status, to: Status) => boolean {
  return (from, to) => moves[from].includes(to);
}
