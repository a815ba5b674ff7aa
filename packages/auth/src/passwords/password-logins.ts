import type { Logger } from '@tessera/common';
import { type Authenticator, type KnownUser, refusedPassword, type UserDirectory } from '../authenticator.ts';
import { FailureDelays } from '../delays/failure-delays.ts';
import { SYSTEM_TIMER, type Timer } from '../delays/timer.ts';
import { verifyPassword } from './credential.ts';
import { ServerScram } from './scram-exchange.ts';
import { fakeVerifier, parseVerifier } from './scram-verifier.ts';

export interface PasswordLoginOptions {
  readonly users: UserDirectory;
  readonly log: Logger;
  /**
   * The secret from which the salts of unknown names are derived. It is the same on all nodes and after a
   * restart; otherwise changing salts would reveal which users exist.
   */
  readonly secret: Buffer;
  readonly timer?: Timer | undefined;
}

/** Logs users in by password, either sent as it is or by SCRAM. */
export interface PasswordLogins extends Pick<Authenticator, 'password' | 'scram'> {
  close(): void;
}

export function passwordLogins({
  users,
  log,
  secret,
  timer = SYSTEM_TIMER,
}: PasswordLoginOptions): PasswordLogins {
  const delays = new FailureDelays(timer);

  const login = async (name: string, from: string, check: () => Promise<KnownUser | string>) => {
    const user = await delays.attempt(name, from, async () => {
      const outcome = await check();
      if (typeof outcome !== 'string') return outcome;
      log.info({ user: name.slice(0, 256), from, reason: outcome }, 'login refused');
      return undefined;
    });
    if (user === undefined) throw refusedPassword();
    return user;
  };

  return {
    password: (name, password, from) =>
      login(name, from, async () => {
        const user = await users.find(name);
        const proven = await verifyPassword(user?.credential, password);
        return judged(user, proven);
      }),

    async scram(name, from) {
      const credential = (await users.find(name))?.credential;
      const exchange = new ServerScram(
        credential === undefined ? fakeVerifier(secret, name) : parseVerifier(credential.scramVerifier),
      );
      return {
        first: (message) => exchange.first(message),
        async final(message) {
          const verdict = exchange.final(message);
          const user = await login(name, from, async () => {
            // The user is looked up again, because a client may take its time between the messages.
            const now = await users.find(name);
            return judged(now, verdict.proven && now?.credential?.id === credential?.id);
          });
          return { message: verdict.message, user };
        },
      };
    },

    close: () => delays.close(),
  };
}

/** Returns the user who may log in, or the reason for refusing. */
function judged(user: KnownUser | undefined, proven: boolean): KnownUser | string {
  if (user === undefined) return 'no such user';
  if (user.credential === undefined) return 'the user has no password';
  if (!proven) return 'wrong password';
  return user.enabled ? user : 'the user is disabled';
}
