import { generate } from 'otplib';
import { loadConfig } from '../../../foundation/config/config';
import { readCredentials } from '../sandbox';
import { type Command, UsageError } from './command';

const PEOPLE = { merchant: 'merchant', admin: 'tenantAdmin', ops: 'ops' } as const;
const NAMES = Object.keys(PEOPLE).join(', ');

export const signIn: Command = {
  usage: 'sign-in [merchant|admin|ops]',
  summary: 'print with what a person of the sandbox signs in to the console, the code of this half minute with it',
  flags: `  WHO                     ${NAMES}; merchant unless said`,
  remarks: 'A code works once and for half a minute. Run it again for the next one.',
  options: {},
  async run({ args: [who = 'merchant', ...more], say }) {
    if (!Object.hasOwn(PEOPLE, who) || more.length > 0) throw new UsageError(`sign-in takes one of ${NAMES}`);
    const sandbox = readCredentials(loadConfig());
    const person = sandbox.users[PEOPLE[who as keyof typeof PEOPLE]];
    say(`Console   ${sandbox.apiUrl}/console`);
    say(`E-mail    ${person.email}`);
    say(`Password  ${person.password}`);
    say(`Code      ${await generate({ secret: person.totpSecret })}`);
    return 0;
  },
};
