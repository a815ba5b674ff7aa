import { readFile } from 'node:fs/promises';
import { type Command, Option } from 'commander';
import { DEFAULT_HTTP_PORT } from '../serve-options.ts';
import { CommandFailure, EXIT } from './exit-code.ts';
import { promptPassword } from './prompt-password.ts';
import type { Login, Server } from './query/server.ts';

/** The flags that select the server and the user of a command. */
export interface ServerFlags {
  readonly url: string;
  readonly token?: string;
  readonly user?: string;
  readonly passwordFile?: string;
  readonly tlsCa?: string;
}

const DEFAULT_URL = `http://127.0.0.1:${DEFAULT_HTTP_PORT}`;

/** @param fallback the URL if neither the flag nor the environment names one, and what the help says about it */
export const withServerOptions = (
  command: Command,
  whose = '',
  fallback: { readonly url: string; readonly help: string } = { url: DEFAULT_URL, help: DEFAULT_URL },
): Command =>
  command
    .addOption(
      new Option('-u, --url <url>', `address${whose}: http(s)://host:port or unix:/path`).default(
        process.env.TESSERA_URL ?? fallback.url,
        `the environment variable TESSERA_URL, otherwise ${fallback.help}`,
      ),
    )
    .option('--token <token>', 'access token (default: the environment variable TESSERA_TOKEN)')
    .option('--user <name>', 'user to log in as (default: the environment variable TESSERA_USER)')
    .option(
      '--password-file <file>',
      'file with the password (default: the environment variable TESSERA_PASSWORD, otherwise prompted for)',
    )
    .option(
      '--tls-ca <file>',
      'certificate authority to trust for an https URL, in addition to those of the system (PEM)',
    );

/**
 * The server for statements and the credentials to use. A flag takes precedence over the environment, and a
 * token over a user.
 * @throws CommandFailure
 */
export async function serverOf(flags: ServerFlags, environment = process.env): Promise<Server> {
  if (flags.token !== undefined && flags.user !== undefined)
    throw new CommandFailure(EXIT.usage, 'error: give --token or --user, not both');
  const user =
    flags.user ?? ((flags.token ?? environment.TESSERA_TOKEN) ? undefined : environment.TESSERA_USER);
  return {
    url: flags.url,
    token: user === undefined ? (flags.token ?? environment.TESSERA_TOKEN) : undefined,
    login: user === undefined ? undefined : await loginOf(user, flags, environment),
    ca: flags.tlsCa === undefined ? undefined : await contentOf('--tls-ca', flags.tlsCa),
  };
}

async function loginOf(user: string, flags: ServerFlags, environment: NodeJS.ProcessEnv): Promise<Login> {
  if (flags.passwordFile !== undefined) {
    const content = await contentOf('--password-file', flags.passwordFile);
    return { user, password: content.replace(/\r?\n$/, '') };
  }
  return { user, password: environment.TESSERA_PASSWORD ?? (await promptPassword(`Password of ${user}: `)) };
}

function contentOf(flag: string, file: string): Promise<string> {
  return readFile(file, 'utf8').catch((error: Error) => {
    throw new CommandFailure(EXIT.usage, `error: ${flag}: ${error.message}`);
  });
}
