import type { CallbackReceiver, Connector, Connectors, ProcessorId } from '../../domain/connector';
import { type Config, ConfigError } from '../../foundation/config/config';
import { createConnectorA } from './a';
import { createConnectorB } from './b';
import { createConnectorC } from './c';
import { processorCredentials } from './credentials';
import { createConnectorD } from './d';
import { createConnectorE } from './e';
import { createConnectorF } from './f';
import { createConnectorG } from './g';
import { createConnectorH } from './h';
import type { ConnectorOptions } from './http';
import { createStripeConnector } from './stripe';

/** One line per processor. */
const FACTORIES: Partial<Record<ProcessorId, (options: ConnectorOptions) => Connector>> = {
  a: createConnectorA,
  b: createConnectorB,
  c: createConnectorC,
  d: createConnectorD,
  e: createConnectorE,
  f: createConnectorF,
  g: createConnectorG,
  h: createConnectorH,
};

/**
 * Makes every connector that is switched on, once per process: in the sandbox each one, in production those that
 * PROCESSOR_URLS names. `more`: those that speak to no processor. Throws ConfigError when a processor has no secret.
 */
export function createConnectors(config: Config, more: readonly Connector[] = []): Connectors {
  const credentials = processorCredentials(config);
  const connectors = new Map<ProcessorId, Connector>();
  const receivers = new Map<string, { processor: ProcessorId; receiver: CallbackReceiver; key: string }>();
  const add = (connector: Connector, key: string) => {
    connectors.set(connector.processor, connector);
    for (const receiver of connector.receivers)
      receivers.set(receiver.name, { processor: connector.processor, receiver, key });
  };
  for (const [letter, create] of Object.entries(FACTORIES)) {
    const processor = letter as ProcessorId;
    const url = config.processorUrls[processor] ?? (config.sandbox ? `${config.simulatorUrl}/${processor}` : undefined);
    if (!url) continue;
    const known = credentials[processor];
    if (!known) throw new ConfigError(`PROCESSOR_SECRETS has no secret for processor ${processor}`);
    const connector = create({
      baseUrl: url,
      apiKey: known.apiKey,
      timeoutMs: config.timers.processorTimeoutMs,
    });
    add(connector, known.callbackKey);
  }
  if (config.stripe) {
    const { webhookSecret, ...account } = config.stripe;
    const { processorTimeoutMs: timeoutMs } = config.timers;
    add(createStripeConnector({ ...account, timeoutMs, returnUrl: config.publicUrl }), webhookSecret);
  }
  for (const connector of more) connectors.set(connector.processor, connector);
  const all = [...connectors.values()];
  return {
    get(processor) {
      const connector = connectors.get(processor);
      if (!connector) throw new RangeError(`processor ${processor} has no connector`);
      return connector;
    },
    find: (processor) => connectors.get(processor),
    receiver: (name) => receivers.get(name),
    all: () => all,
  };
}
