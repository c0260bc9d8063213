import { readFileSync } from 'node:fs';
import { simulatedSecrets } from '../../edge/processors/credentials';
import { ConfigError, loadConfig } from '../../foundation/config/config';
import { createLog } from '../../foundation/log/log';
import { runChild } from '../../foundation/process/child';
import { createSimulator } from './app';

runChild('tillway-simulator', async () => {
  const config = loadConfig();
  if (!config.sandbox) throw new ConfigError('NODE_ENV=production has no processor simulator');
  const simulator = createSimulator({
    home: config.home,
    publicUrl: config.publicUrl,
    callbackCa: config.tls && readFileSync(config.tls.certPath, 'utf8'),
    secrets: simulatedSecrets(config),
    walletIssuerKeys: config.keys.deviceWalletIssuer,
    walletTokenTtlMs: config.timers.deviceWalletTokenTtlMs,
    host: config.host,
    port: config.ports.simulator,
    url: config.simulatorUrl,
    mailboxSmtpPort: config.ports.mailboxSmtp,
    settlementEveryMs: config.simulator.settlementEveryMs,
    chargebackAfterMs: config.simulator.chargebackAfterMs,
    disputeDecisionAfterMs: config.simulator.disputeDecisionAfterMs,
    log: createLog('tillway-simulator', config.logLevel),
  });
  await simulator.start().catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EADDRINUSE')
      throw new ConfigError(
        `SIMULATOR_PORT ${config.ports.simulator} or MAILBOX_SMTP_PORT ${config.ports.mailboxSmtp} is already taken`,
      );
    throw error;
  });
  return () => simulator.stop();
});
