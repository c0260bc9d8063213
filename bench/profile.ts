import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'undici';
import type { Profile } from './flame-graph';

const OPENS_WITHIN_MS = 10_000;
const SAMPLE_EVERY_US = 500;

/**
 * Samples the main thread of a Node process while `work` is done, by its inspector, which opens at `port` for that
 * (`--inspect-port`) and closes with the process.
 */
export async function profileOf(pid: number, port: number, work: () => Promise<unknown>): Promise<Profile> {
  process.kill(pid, 'SIGUSR1');
  const socket = new WebSocket(await addressOf(port));
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve);
    socket.addEventListener('error', () => reject(new Error('the inspector does not answer')));
  });
  const answers = new Map<number, (result: { profile: Profile }) => void>();
  let asked = 0;
  socket.addEventListener('message', ({ data }) => {
    const { id, result } = JSON.parse(String(data));
    answers.get(id)?.(result);
  });
  const ask = (method: string, params: object = {}) =>
    new Promise<{ profile: Profile }>((resolve) => {
      asked += 1;
      answers.set(asked, resolve);
      socket.send(JSON.stringify({ id: asked, method, params }));
    });
  try {
    await ask('Profiler.enable');
    await ask('Profiler.setSamplingInterval', { interval: SAMPLE_EVERY_US });
    await ask('Profiler.start');
    await work();
    return (await ask('Profiler.stop')).profile;
  } finally {
    socket.close();
  }
}

async function addressOf(port: number): Promise<string> {
  for (const giveUpAt = Date.now() + OPENS_WITHIN_MS; ; await sleep(100)) {
    try {
      const [target] = (await (await fetch(`http://127.0.0.1:${port}/json/list`)).json()) as {
        webSocketDebuggerUrl: string;
      }[];
      return target!.webSocketDebuggerUrl;
    } catch (error) {
      if (Date.now() > giveUpAt) throw error;
    }
  }
}
