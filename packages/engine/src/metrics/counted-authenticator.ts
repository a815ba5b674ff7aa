import type { Authenticator, KnownUser } from '@tessera/auth';
import { TesseraError } from '@tessera/common';
import type { MetricSet } from './metric-set.ts';

/** Wraps an authenticator so that every authentication is counted. */
export function authenticationMetrics(set: MetricSet): (authenticator: Authenticator) => Authenticator {
  const attempts = set.counter(
    'tessera_authentications_total',
    'Authentication attempts with tokens and passwords, by outcome: ok or the name of the error (UNAUTHENTICATED: refused)',
    ['method', 'outcome'],
  );
  for (const method of ['token', 'password', 'scram'])
    for (const outcome of ['ok', 'UNAUTHENTICATED']) attempts.inc({ method, outcome }, 0);

  const counted = async <T>(method: string, attempt: () => Promise<T>): Promise<T> => {
    try {
      const answer = await attempt();
      attempts.inc({ method, outcome: 'ok' });
      return answer;
    } catch (error) {
      attempts.inc({ method, outcome: error instanceof TesseraError ? error.name : 'INTERNAL' });
      throw error;
    }
  };
  return (authenticator) => ({
    mode: authenticator.mode,
    postgres: authenticator.postgres,
    token: (token, from): Promise<KnownUser> => counted('token', () => authenticator.token(token, from)),
    password: (name, password, from) =>
      counted('password', () => authenticator.password(name, password, from)),
    scram: async (name, from) => {
      const exchange = await authenticator.scram(name, from);
      return {
        first: (message) => exchange.first(message),
        final: (message) => counted('scram', () => exchange.final(message)),
      };
    },
    issue: authenticator.issue && ((user) => authenticator.issue!(user)),
    jwks: authenticator.jwks,
    close: () => authenticator.close(),
  });
}
