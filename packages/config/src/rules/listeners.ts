import { repeats } from './repeats.ts';
import { type Breach, breachIf, type Path, type Rule } from './rule.ts';

const HTTP = ['endpoints', 'http', 'listeners'];
const POSTGRES = ['endpoints', 'postgres', 'listeners'];

export const oneHttpListenerOfAType: Rule = ({ config: { endpoints } }) =>
  repeats(endpoints.http.listeners, (l) => l.type).map(({ index, first }) => ({
    path: [...HTTP, index],
    message: `at most one ${endpoints.http.listeners[index]!.type} listener, and listeners[${first}] is one`,
    because: [
      [...HTTP, index, 'type'],
      [...HTTP, first, 'type'],
    ],
  }));

export const httpListenersHaveTheirAddress: Rule = ({ config: { endpoints } }) =>
  endpoints.http.listeners.flatMap((listener, index) => {
    const at: Path = [...HTTP, index];
    const [needed, foreign] =
      listener.type === 'tcp' ? (['port', 'path'] as const) : (['path', 'port'] as const);
    return [
      ...breachIf(listener[needed] === null, [...at, needed], `is required for type ${listener.type}`, [
        [...at, 'type'],
      ]),
      ...breachIf(listener.path === '', [...at, 'path'], 'expected a path, got ""', [[...at, 'type']]),
      ...breachIf(listener[foreign] !== null, [...at, foreign], `must be omitted for type ${listener.type}`, [
        [...at, 'type'],
      ]),
    ];
  });

export const postgresListenersHaveAPort: Rule = ({ config: { endpoints } }) =>
  endpoints.postgres.listeners.flatMap((listener, index) =>
    breachIf(listener.port === null, [...POSTGRES, index, 'port'], 'is required for every listener'),
  );

/** Port 0 means any free port, so it may occur twice. */
export const listenersDoNotShareAPort: Rule = ({ config: { endpoints } }): Breach[] => {
  const all = [
    ...endpoints.http.listeners.map((l, i) => ({ port: l.port, path: [...HTTP, i, 'port'] })),
    ...endpoints.postgres.listeners.map((l, i) => ({ port: l.port, path: [...POSTGRES, i, 'port'] })),
  ];
  return repeats(all, (l) => (l.port === 0 ? null : l.port)).map(({ index, first }) => ({
    path: all[index]!.path,
    message: `port ${all[index]!.port} is already that of ${all[first]!.path.slice(0, 2).join('.')}`,
    because: [all[first]!.path],
  }));
};
