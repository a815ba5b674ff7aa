import type { Authenticator, KnownUser } from '@tessera/auth';
import { TesseraError } from '@tessera/common';
import { type EndpointMetrics, endpointMetrics } from './endpoint-metrics.ts';
import type { MetricSet } from './metric-set.ts';
import { type MetricsSources, nodeGauges } from './node-gauges.ts';
import { ServedMetrics } from './served-metrics.ts';

/** The metrics of a node. Gauges of the node's state exist once it `observes`. */
export class NodeMetrics extends ServedMetrics {
  readonly endpoints: EndpointMetrics = endpointMetrics(this.set);
  /** Wraps an authenticator so that it is counted. */
  readonly counted: (authenticator: Authenticator) => Authenticator = authenticationMetrics(this.set);

  observe(sources: MetricsSources): void {
    nodeGauges(this.set, sources);
  }

  /** The name, type and help text of every metric. */
  get definitions(): readonly MetricDefinition[] {
    return this.set.registry.getMetricsAsArray() as unknown as readonly MetricDefinition[];
  }
}

export interface MetricDefinition {
  readonly name: string;
  readonly help: string;
  readonly type: string;
  readonly labelNames?: readonly string[];
}

/** Wraps an authenticator so that every authentication is counted. */
function authenticationMetrics(set: MetricSet): (authenticator: Authenticator) => Authenticator {
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
