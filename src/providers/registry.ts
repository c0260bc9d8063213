import { type Config, ConfigError } from '../config';
import { createConnectorA } from './a';
import type { CallbackReceiver, Connector, ProcessorId } from './connector';
import { apiKeyFor, processorSecrets } from './credentials';

interface ConnectorOptions {
  baseUrl: string;
  apiKey: string;
  timeoutMs: number;
}

/** One line per provider. */
const FACTORIES: Partial<Record<ProcessorId, (options: ConnectorOptions) => Connector>> = {
  a: createConnectorA,
};

export interface Connectors {
  /** Throws RangeError for a processor that has no connector. */
  get(processor: ProcessorId): Connector;
  /** Whose callbacks arrive at `/callbacks/<name>`, and how they are read. */
  receiver(name: string): { processor: ProcessorId; receiver: CallbackReceiver } | undefined;
  all(): readonly Connector[];
}

/** Makes every connector, once per process. Throws ConfigError when a processor has no secret. */
export function createConnectors(config: Config): Connectors {
  const secrets = processorSecrets(config);
  const connectors = new Map<ProcessorId, Connector>();
  const receivers = new Map<string, { processor: ProcessorId; receiver: CallbackReceiver }>();
  for (const [letter, create] of Object.entries(FACTORIES)) {
    const processor = letter as ProcessorId;
    const secret = secrets[processor];
    if (!secret) throw new ConfigError(`PROCESSOR_SECRETS has no secret for processor ${processor}`);
    const connector = create({
      baseUrl: `${config.simulatorUrl}/${processor}`,
      apiKey: apiKeyFor(secret),
      timeoutMs: config.timers.providerTimeoutMs,
    });
    connectors.set(processor, connector);
    for (const receiver of connector.receivers) receivers.set(receiver.name, { processor, receiver });
  }
  const all = [...connectors.values()];
  return {
    get(processor) {
      const connector = connectors.get(processor);
      if (!connector) throw new RangeError(`processor ${processor} has no connector`);
      return connector;
    },
    receiver: (name) => receivers.get(name),
    all: () => all,
  };
}
