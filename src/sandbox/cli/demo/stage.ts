import type { Config } from '../../../foundation/config/config';
import type { Merchant } from '../merchant';
import type { Credentials } from '../sandbox';

/** What every scene of the demo has: who acts, and how it is told. */
export interface Stage {
  credentials: Credentials;
  merchant: Merchant;
  /** One numbered step. */
  say(text: string, ...lines: string[]): void;
  /** The workflow's page in the Temporal UI. */
  link(workflowId: string): string;
}

/** A stage that prints to the console. */
export function createStage(config: Config, credentials: Credentials, merchant: Merchant): Stage {
  let step = 0;
  return {
    credentials,
    merchant,
    say(text, ...lines) {
      step += 1;
      console.log(`\n${step}. ${text}`);
      for (const line of lines) console.log(`   ${line}`);
    },
    link: (id) =>
      `${credentials.temporalUiUrl}/namespaces/${config.temporal.namespace}/workflows/${encodeURIComponent(id)}`,
  };
}
