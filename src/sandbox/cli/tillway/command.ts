import type { ParseArgsConfig } from 'node:util';
import { type Config, loadConfig } from '../../../foundation/config/config';
import type { Account } from '../merchant';
import { merchantOf, readCredentials } from '../sandbox';

/** The command line was not understood: exit code 2. */
export class UsageError extends Error {}

export type Flags = Record<string, string | boolean | undefined>;

/** What a command is given. */
export interface Invocation {
  /** What stands on the command line besides flags. */
  args: string[];
  flags: Flags;
  /** Whom to act as. */
  account(): Account & { callbackSecret?: string };
  /** Ctrl-C, or whoever read the output is gone. */
  signal: AbortSignal;
  say(line: string): void;
  /** For what is not the output itself: progress, and what went wrong. */
  note(line: string): void;
}

/** Answers the exit code: 0 when what was asked for has happened, else 1. */
export interface Command {
  /** `listen --forward-to URL` */
  usage: string;
  summary: string;
  /** Its own arguments and flags, as `--help` prints them. */
  flags: string;
  /** What there is to know besides. */
  remarks?: string;
  options: NonNullable<ParseArgsConfig['options']>;
  run(invocation: Invocation): Promise<number>;
}

/** Flags that every command takes. */
export const ACCOUNT_OPTIONS = {
  'api-url': { type: 'string' },
  'organization-id': { type: 'string' },
  'client-id': { type: 'string' },
  'client-secret': { type: 'string' },
  'callback-secret': { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const;

/** Whom to act as: the flags, else the merchant of the sandbox in TILLWAY_HOME. */
export function accountOf(flags: Flags, config: Config = loadConfig()): ReturnType<Invocation['account']> {
  const given = (name: keyof typeof ACCOUNT_OPTIONS) => flags[name] as string | undefined;
  const [organizationId, clientId, clientSecret, callbackSecret] = [
    given('organization-id'),
    given('client-id'),
    given('client-secret'),
    given('callback-secret'),
  ];
  const apiUrl = given('api-url') && baseOf(given('api-url')!, '--api-url');
  if (organizationId && clientId && clientSecret)
    return { apiUrl: apiUrl ?? readCredentials(config).apiUrl, organizationId, clientId, clientSecret, callbackSecret };
  if (organizationId || clientId || clientSecret)
    throw new UsageError('--organization-id, --client-id and --client-secret come together');
  const sandbox = readCredentials(config);
  const account = { ...merchantOf(sandbox), callbackSecret: callbackSecret ?? sandbox.callbackSecret };
  return apiUrl ? { ...account, apiUrl } : account;
}

/** An http or https address, its scheme left out or not, without a slash at the end. Throws `UsageError`. */
export function baseOf(text: string, flag: string): string {
  const whole = /^https?:\/\//i.test(text) ? text : `http://${text}`;
  if (!URL.canParse(whole) || /^[a-z]+:\/\/.*:\/\//i.test(whole)) throw new UsageError(`${flag} ${text} is not a URL`);
  return new URL(whole).href.replace(/\/$/, '');
}
