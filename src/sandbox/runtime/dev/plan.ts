import type { ChildKind } from '../supervisor.js';

/** What a change asks for, beside being compiled. */
export interface Plan {
  /** Run migrations, method catalogue and seed again, before anything is restarted. */
  setUp: boolean;
  restart: ChildKind[];
  /** Files on which `npm run dev` itself runs: they count from its next start. */
  byHand: string[];
}

type Effect = ChildKind | 'setUp' | 'byHand';

/** What a change of a file asks for. The first pattern that fits counts; a file that none fits asks for nothing. */
const EFFECTS: [RegExp, Effect[]][] = [
  [/^src\/sandbox\/simulator\//, ['simulator']],
  [/^src\/sandbox\/seed\//, ['setUp']],
  [/^src\/sandbox\/runtime\/setup\.ts$/, ['setUp']],
  [/^src\/sandbox\/runtime\//, ['byHand']],
  [/^src\/sandbox\//, []],
  [/^src\/foundation\/db\/(migrations|functions)\//, ['setUp', 'api', 'worker']],
  [/^src\/money\/routing\/method-catalogue/, ['setUp', 'api', 'worker']],
  // The API runs a small worker of its own: what concerns the one concerns the other.
  [/^(src|workflows|activities|workers)\//, ['api', 'worker']],
];

/** What the change of these files, by their paths from the root of the project, asks for. */
export function planFor(files: readonly string[]): Plan {
  const effectsOf = (file: string) => EFFECTS.find(([pattern]) => pattern.test(file))?.[1] ?? [];
  const effects = new Set(files.flatMap(effectsOf));
  return {
    setUp: effects.has('setUp'),
    restart: (['api', 'worker', 'simulator'] as const).filter((kind) => effects.has(kind)),
    byHand: files.filter((file) => effectsOf(file).includes('byHand')),
  };
}
