import { killProcesses } from '../kill';
import { place } from './place';

/** Kills everything that runs workflow code, and waits until the supervisor has brought it back. */
export const killWorkers = (names: readonly string[] = ['tillway-api', 'tillway-worker']): Promise<void> =>
  killProcesses(place.stack, names);
