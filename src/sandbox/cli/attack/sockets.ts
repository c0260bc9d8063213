import { connect, type Socket } from 'node:net';
import type { Attack } from './attack';
import type { Place } from './place';

/** No wait is longer. */
const PATIENCE_MS = 60_000;
const SILENT = 100;

/** Speaks HTTP as no client does. */
export const SOCKET_ATTACKS: Attack[] = [
  {
    name: 'a request with two lengths',
    point: 'ASVS 4.2.1',
    expected: '400',
    strike: (place) =>
      firstLine(place, [
        'POST /health/live HTTP/1.1',
        'Host: tillway',
        'Content-Length: 4',
        'Transfer-Encoding: chunked',
        '',
        '0',
        '',
        'GET /ops HTTP/1.1',
        '',
      ]),
  },
  {
    name: 'a header with a line of its own in it',
    point: 'ASVS 4.2.1',
    expected: '400',
    strike: (place) => firstLine(place, ['GET /health/live HTTP/1.1', 'Host: tillway', 'X-A: b\nX-B: c', ' d', '', '']),
  },
  {
    name: 'a request that never ends',
    point: 'ASVS 15.2.2',
    expected: 'cut off',
    strike: async (place) => {
      const socket = open(place);
      socket.write('GET /health/live HTTP/1.1\r\nHost: tillway\r\nX-Slow: ');
      return (await ended(socket)) ? 'cut off' : 'kept open';
    },
  },
  {
    name: 'a hundred connections that say nothing',
    point: 'ASVS 15.2.2',
    expected: '200',
    strike: async (place) => {
      const sockets = Array.from({ length: SILENT }, () => open(place));
      try {
        return `${(await place.nobody.get('/health/live')).status}`;
      } finally {
        for (const socket of sockets) socket.destroy();
      }
    },
  },
];

function open({ credentials: { apiUrl } }: Place): Socket {
  const { hostname, port } = new URL(apiUrl);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => {});
  return socket;
}

/** Whether the other side ends the connection. */
function ended(socket: Socket): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => done(false), PATIENCE_MS);
    const done = (isSo: boolean) => {
      clearTimeout(timer);
      socket.destroy();
      resolve(isSo);
    };
    socket.once('close', () => done(true));
    socket.resume();
  });
}

/** The status of the first answer to this text. */
async function firstLine(place: Place, lines: readonly string[]): Promise<string> {
  const socket = open(place);
  let said = '';
  socket.setEncoding('latin1').on('data', (text: string) => {
    said += text;
  });
  socket.end(lines.join('\r\n'));
  await ended(socket);
  const statuses = [...said.matchAll(/^HTTP\/1\.1 (\d{3})/gm)].map(([, status]) => status);
  return statuses.join(' ') || 'no answer';
}
