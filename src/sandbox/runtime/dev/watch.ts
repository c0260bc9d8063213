import { type FSWatcher, readdirSync, watch } from 'node:fs';
import { join } from 'node:path';

/** An editor's save is several events, and a checkout many: they count as one when no pause between them is longer. */
const QUIET_MS = 50;

/**
 * Calls `changed` after something under these folders was written, made, renamed or removed. One watch per folder: a
 * watch on a file is lost when an editor replaces the file, and a recursive watch is not to be had everywhere. Answers
 * what ends it.
 */
export function watchFolders(roots: readonly string[], changed: (firstAt: number) => void): () => void {
  const watchers = new Map<string, FSWatcher>();
  let timer: NodeJS.Timeout | undefined;
  let firstAt: number | undefined;

  function settle(): void {
    const since = firstAt ?? Date.now();
    firstAt = undefined;
    // Folders may have come with the change.
    for (const root of roots) visit(root);
    changed(since);
  }

  function touched(): void {
    firstAt ??= Date.now();
    clearTimeout(timer);
    timer = setTimeout(settle, QUIET_MS);
  }

  function forget(folder: string): void {
    watchers.get(folder)?.close();
    watchers.delete(folder);
  }

  function visit(folder: string): void {
    try {
      for (const entry of readdirSync(folder, { withFileTypes: true }))
        if (entry.isDirectory()) visit(join(folder, entry.name));
      if (watchers.has(folder)) return;
      watchers.set(
        folder,
        watch(folder, touched).on('error', () => forget(folder)),
      );
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      forget(folder);
    }
  }

  for (const root of roots) visit(root);
  return () => {
    clearTimeout(timer);
    for (const watcher of watchers.values()) watcher.close();
  };
}
