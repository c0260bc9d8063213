import { join } from 'node:path';
import type { Say } from '../managed-process.js';
import { runPlatform } from '../run.js';
import type { ChildKind, Supervisor } from '../supervisor.js';
import { planFor } from './plan.js';
import { watchFolders } from './watch.js';

/** The build, as scripts/compile.mjs has it. */
export interface Builder {
  /** The project's. */
  root: string;
  /** Folders with sources, from the root. */
  folders: readonly string[];
  /** Brings dist/ up to date. Answers the digest of each source by its path; rejects with one text for each fault. */
  build(): Promise<Map<string, string>>;
}

/** What nearly every save restarts. */
const OFTEN: ChildKind[] = ['api', 'worker'];

/** `npm run dev`: the platform of `npm start`, which follows its sources. Answers the exit code. */
export async function develop(builder: Builder): Promise<number> {
  const running = await builder.build();
  return runPlatform('dev', (supervisor, say) => {
    const follower = new Follower(builder, supervisor, running, say);
    const end = watchFolders(
      builder.folders.map((folder) => join(builder.root, folder)),
      (savedAt) => follower.look(savedAt),
    );
    supervisor.prepareRestart(OFTEN);
    say(`Watching ${builder.folders.join(', ')}. Ctrl-C ends.`);
    // What was saved while the platform came up.
    follower.look(Date.now());
    return end;
  });
}

/** Builds what has changed and restarts what runs on it: one look at a time, and one more when something came meanwhile. */
class Follower {
  private busy = false;
  private next: number | undefined;
  /** Processes that did not come up on the sources as they were. */
  private down = new Set<ChildKind>();

  constructor(
    private readonly builder: Builder,
    private readonly supervisor: Supervisor,
    /** The sources that the processes run on. */
    private running: Map<string, string>,
    private readonly say: Say,
  ) {}

  /** `savedAt`: when the first of the changes came. */
  look(savedAt: number): void {
    this.next ??= savedAt;
    if (!this.busy) void this.work();
  }

  private async work(): Promise<void> {
    this.busy = true;
    for (let savedAt = this.next; savedAt !== undefined; savedAt = this.next) {
      this.next = undefined;
      try {
        await this.follow(savedAt);
      } catch (error) {
        if (!this.supervisor.isEnding) this.say(`\n${(error as Error).message}\n`);
      }
    }
    this.busy = false;
  }

  private async follow(savedAt: number): Promise<void> {
    const sources = await this.build();
    if (!sources) return;
    const files = differences(this.running, sources);
    const plan = planFor(files);
    for (const file of plan.byHand)
      this.say(`${file}: npm run dev itself runs on it; start it again to see the change`);
    if (plan.setUp) {
      this.say(`${nameOf(files)} changed: running migrations and seed`);
      await this.supervisor.setUpAgain();
    }
    const kinds = [...new Set([...plan.restart, ...this.down])];
    // Whatever happens now, the processes that come up run on these.
    this.running = sources;
    if (kinds.length === 0) return;
    this.say(`${nameOf(files)} changed: restarting ${kinds.join(', ')}`);
    this.down = new Set(kinds);
    try {
      await this.supervisor.restart(kinds);
      this.down.clear();
      this.say(`Ready again, ${((Date.now() - savedAt) / 1_000).toFixed(1)} s after the save.`);
    } finally {
      this.supervisor.prepareRestart(OFTEN);
    }
  }

  /** Undefined where the sources do not compile, which is said. */
  private async build(): Promise<Map<string, string> | undefined> {
    try {
      return await this.builder.build();
    } catch (error) {
      this.say(`\n${(error as Error).message}\n\nThis does not compile; what runs stays as it is.\n`);
      return undefined;
    }
  }
}

/** What was changed, made or removed. */
function differences(before: Map<string, string>, after: Map<string, string>): string[] {
  const gone = [...before.keys()].filter((file) => !after.has(file));
  return [...[...after.keys()].filter((file) => before.get(file) !== after.get(file)), ...gone];
}

function nameOf([first, ...others]: string[]): string {
  return `${first ?? 'Something'}${others.length > 0 ? ` and ${others.length} more` : ''}`;
}
