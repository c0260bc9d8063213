import Joi from 'joi';
import { ONE_LINE } from '../src/domain/one-line';
import { loadConfig } from '../src/foundation/config/config';
import { openDatabase } from '../src/foundation/db/database';
import { createLog } from '../src/foundation/log/log';
import { Messenger } from '../src/foundation/messages/messenger';
import { openKeys } from '../src/foundation/vault/open-keys';
import { CallbackSecrets } from '../src/people/identity/callback-secrets';
import { inviteFirstOperator } from '../src/people/identity/users/first-operator';
import type { Contact } from '../src/people/identity/users/user';
import { openOnboarding } from '../src/people/onboarding/onboarding';

const USAGE = 'usage: node dist/workers/first-operator.js NAME E-MAIL, such as "Ada Lovelace" ada@example.com';

const contactSchema = Joi.object<Contact>({
  name: Joi.string().trim().max(120).pattern(ONE_LINE).required(),
  email: Joi.string().email({ tlds: false }).max(254).required(),
});

/**
 * The command that makes the first operator of an installation, with the settings of the API. It prints a link once: who
 * opens it chooses the password, and adds a second factor at the first sign-in. It refuses once there is an operator.
 */
async function firstOperator([name, email]: string[]): Promise<void> {
  const { value: contact, error } = contactSchema.validate({ name, email });
  if (error) throw new Error(USAGE);
  const settings = loadConfig();
  const { url, systemUrl, opsUrl } = settings.database;
  if (!url) throw new Error('DATABASE_URL is required');
  const database = openDatabase({ url, systemUrl, opsUrl }, 1, 'tillway-first-operator');
  try {
    const { config } = await openKeys(
      settings,
      database.system,
      createLog('tillway-first-operator', settings.logLevel),
    );
    const { vault } = config.keys;
    if (!vault) throw new Error('VAULT_KEYS and VAULT_HMAC_KEY are required');
    const { users, links } = openOnboarding(config, database, new Messenger(vault), new CallbackSecrets(vault));
    const link = await inviteFirstOperator(users, links, contact);
    process.stdout.write(
      `${link.url}\n\n${contact.name} chooses a password there, once, until ${link.expiresAt.toISOString()}. ` +
        'Whoever opens the link becomes the operator: give it to nobody else.\n',
    );
  } finally {
    await database.close();
  }
}

firstOperator(process.argv.slice(2)).then(
  () => process.exit(0),
  (error: Error) => {
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  },
);
