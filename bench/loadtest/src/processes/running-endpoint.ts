import { passwordToken } from '../http/password-token.ts';
import type { RunOptions } from '../options.ts';
import type { Target } from './tessera.ts';

/**
 * A server that runs already. It is shown the token of `--token`, or one that it gives for a user and a password: those in its URL,
 * else `--user` with TESSERA_PASSWORD. @throws Error where it gives none
 */
export async function runningEndpoint(
  url: string,
  options: Pick<RunOptions, 'user' | 'token'>,
): Promise<Target> {
  const { username, password, origin } = new URL(url);
  const user = username === '' ? options.user : decodeURIComponent(username);
  const secret = username === '' ? process.env.TESSERA_PASSWORD : decodeURIComponent(password);
  const token = user === undefined ? options.token : await passwordToken(origin, user, secret);
  return { url: origin, ...(token !== undefined && { token }), pid: undefined, stop: async () => {} };
}
