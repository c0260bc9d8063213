import { parseArgs } from 'node:util';
import { bankStatement } from './bank-statement';
import { ACCOUNT_OPTIONS, accountOf, type Command, type Flags, UsageError } from './command';
import { listen } from './listen';
import { resend } from './resend';
import { signIn } from './sign-in';
import { tail } from './tail';
import { trigger } from './trigger';

const COMMANDS: Record<string, Command> = {
  listen,
  trigger,
  resend,
  tail,
  'bank-statement': bankStatement,
  'sign-in': signIn,
};

const OVERVIEW = `Usage: npx tillway COMMAND

${Object.values(COMMANDS)
  .map(({ usage, summary }) => `  ${usage}\n      ${summary}`)
  .join('\n')}

npx tillway COMMAND --help says more. Without flags the commands act as the merchant of the sandbox that
npm start runs: its credentials are in TILLWAY_HOME (.tillway).`;

const ACCOUNT_HELP = `  --api-url URL           another platform than the sandbox of npm start
  --organization-id ID --client-id ID --client-secret TEXT
                          another merchant than the sandbox's`;

/** Ends with Ctrl-C, and when whoever reads our output is gone. */
function ending(): AbortSignal {
  const end = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(name, () => end.abort());
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => end.abort());
  return end.signal;
}

const say = (line: string) => void process.stdout.write(`${line}\n`);
const note = (line: string) => void process.stderr.write(`${line}\n`);

async function main([name, ...words]: string[]): Promise<number> {
  if (name === undefined || name === 'help' || name === '--help' || name === '-h') {
    say(OVERVIEW);
    return name === undefined ? 2 : 0;
  }
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name]! : undefined;
  if (!command) throw new UsageError(`there is no command ${name}`);
  const { values, positionals } = parse(command, words);
  if (values.help) {
    say(helpOn(command));
    return 0;
  }
  return command.run({
    args: positionals,
    flags: values,
    account: () => accountOf(values),
    signal: ending(),
    say,
    note,
  });
}

function helpOn({ usage, summary, flags, remarks }: Command): string {
  const sentence = `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`;
  return [`Usage: npx tillway ${usage}`, sentence, `${flags}\n${ACCOUNT_HELP}`, remarks].filter(Boolean).join('\n\n');
}

function parse(command: Command, args: string[]): { values: Flags; positionals: string[] } {
  const options = { ...ACCOUNT_OPTIONS, ...command.options };
  try {
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
    return { values: values as Flags, positionals };
  } catch (error) {
    throw new UsageError((error as Error).message.split('. ')[0]);
  }
}

main(process.argv.slice(2)).then(
  (code) => {
    process.exitCode = code;
  },
  (error: Error) => {
    const isUsage = error instanceof UsageError;
    note(`tillway: ${error.message}${isUsage ? '\nnpx tillway --help says what there is.' : ''}`);
    process.exitCode = isUsage ? 2 : 1;
  },
);
