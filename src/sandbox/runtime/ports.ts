import { createServer } from 'node:net';
import { type Config, ConfigError } from '../../foundation/config/config.js';

export interface PortUse {
  /** The variable that sets it. */
  variable: string;
  port: number;
  host: string;
}

const LOOPBACK = '127.0.0.1';

/** Whether `npm start` runs a simulator of its own: only in the sandbox, and only where SIMULATOR_URL names none. */
export function runsSimulator(config: Config): boolean {
  return config.sandbox && config.simulatorUrl === `http://${config.host}:${config.ports.simulator}`;
}

/** The ports that a start with these settings will listen on. */
export function portsOf(config: Config): PortUse[] {
  const { ports, host } = config;
  const uses: PortUse[] = [
    { variable: 'PORT', port: ports.api, host },
    { variable: 'AUTH_PORT', port: ports.auth, host },
    { variable: 'METRICS_PORT', port: ports.metrics, host },
  ];
  if (runsSimulator(config))
    uses.push(
      { variable: 'SIMULATOR_PORT', port: ports.simulator, host },
      { variable: 'MAILBOX_SMTP_PORT', port: ports.mailboxSmtp, host },
    );
  if (!config.temporal.address)
    uses.push(
      { variable: 'TEMPORAL_PORT', port: ports.temporal, host: LOOPBACK },
      { variable: 'TEMPORAL_UI_PORT', port: ports.temporalUi, host: LOOPBACK },
    );
  if (!config.database.url) uses.push({ variable: 'POSTGRES_PORT', port: ports.postgres, host: LOOPBACK });
  return uses;
}

/** Throws ConfigError, naming the variable, for a port that is taken or given twice. */
export async function refuseTakenPorts(uses: PortUse[]): Promise<void> {
  const seen = new Map<number, string>();
  for (const { variable, port } of uses) {
    const other = seen.get(port);
    if (other) throw new ConfigError(`${variable} and ${other} are both ${port}`);
    seen.set(port, variable);
  }
  for (const use of uses) {
    const problem = await problemWith(use);
    if (problem) throw new ConfigError(`${use.variable}: port ${use.port} on ${use.host} ${problem}`);
  }
}

function problemWith({ port, host }: PortUse): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => {
      resolve(error.code === 'EADDRINUSE' ? 'is already in use' : `cannot be listened on (${error.code})`);
    });
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(undefined)));
  });
}
