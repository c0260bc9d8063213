import { AsyncLocalStorage } from 'node:async_hooks';

/** A piece of work that a process has taken on. */
interface Task {
  /** The process: it may have died since. */
  process: number;
  /** Lets the next task run, because this one is done or waits for somebody else. */
  yields: () => void;
}

const currentTask = new AsyncLocalStorage<Task>();

/**
 * What the processes of the platform do, one thing at a time and in the order in which it became ready. A task that waits
 * for a slow answer steps aside, and goes on in its turn once the answer is there. So a run can be repeated exactly.
 */
export class Work {
  private ready: (() => Promise<void>)[] = [];
  /** Which process does the work: each that dies is followed by the next. */
  process = 0;

  /** Takes `work` on. It must not reject. */
  add(work: () => Promise<void>): void {
    this.ready.push(
      () =>
        new Promise((yields) => {
          const task: Task = { process: this.process, yields };
          void currentTask.run(task, work).then(() => task.yields());
        }),
    );
  }

  /** Called by a task: steps aside until `later` has a value. After the death of its process it never goes on. */
  aside<T>(later: Promise<T>): Promise<T> {
    const task = currentTask.getStore();
    if (!task) throw new Error('only a task can step aside');
    const resumed = new Promise<T>((resolve) => {
      void later.then((value) => {
        if (task.process !== this.process) return;
        this.ready.push(
          () =>
            new Promise((yields) => {
              task.yields = yields;
              resolve(value);
            }),
        );
      });
    });
    task.yields();
    return resumed;
  }

  /** The process dies. Tasks that stepped aside never go on; who wants them done adds them again. */
  die(): void {
    this.process += 1;
  }

  /** Does what is ready, and what becomes ready by that. */
  async all(): Promise<void> {
    await settled();
    for (let next = this.ready.shift(); next; next = this.ready.shift()) {
      await next();
      await settled();
    }
  }
}

/** Resolves when what follows at once from the last step has run. */
const settled = () => new Promise<void>((resolve) => setImmediate(resolve));
