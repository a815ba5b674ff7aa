import type { KernelSession } from '@tessera/kernel';

/** Milliseconds by phase. */
export class PhaseTimes {
  readonly ms = new Map<string, number>();

  add(phase: string, ms: number): void {
    this.ms.set(phase, (this.ms.get(phase) ?? 0) + ms);
  }

  async during<T>(phase: string, run: () => Promise<T> | T): Promise<T> {
    const start = performance.now();
    try {
      return await run();
    } finally {
      this.add(phase, performance.now() - start);
    }
  }

  get total(): number {
    return [...this.ms.values()].reduce((sum, ms) => sum + ms, 0);
  }
}

const PHASE_OF_SQL: readonly (readonly [RegExp, string])[] = [
  [/json_serialize_sql/, 'kernel: parse'],
  [/json_deserialize_sql/, 'kernel: deparse'],
  [/json_serialize_plan/, 'kernel: plan'],
];

/** The session, with the time of its calls recorded by their purpose. */
export function timed(session: KernelSession, times: PhaseTimes): KernelSession {
  const phaseOf = (method: string, sql: unknown): string =>
    PHASE_OF_SQL.find(([pattern]) => pattern.test(String(sql)))?.[1] ?? `kernel: ${method}`;
  return new Proxy(session, {
    get(target, name) {
      const value = Reflect.get(target, name, target) as unknown;
      if (typeof value !== 'function') return value;
      return (...args: unknown[]) => {
        const answer = (value as (...a: unknown[]) => unknown).apply(target, args);
        if (!(answer instanceof Promise)) return answer;
        return times.during(phaseOf(String(name), args[0]), () => answer);
      };
    },
  });
}
