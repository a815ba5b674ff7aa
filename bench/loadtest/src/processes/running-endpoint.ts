import { passwordToken } from '../http/password-token.ts';
import type { RunOptions } from '../options.ts';
import type { Target } from './tessera.ts';

/**
 * A server that already runs. The requests carry the token of `--token`, or one that the server issues for a
 * user and password: those in its URL, or else `--user` with TESSERA_PASSWORD. @throws Error if it refuses
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
