import type { Arrivals } from './arrivals.ts';
import { ClientLag, type Lag } from './client-lag.ts';
import { realClock } from './clock.ts';
import { closedLoop } from './closed-loop.ts';
import type { LoopResult } from './loop-result.ts';
import { openLoop } from './open-loop.ts';
import type { Session, Traffic } from './session.ts';

/**
 * The schedule of requests of one kind. Without arrivals, each request is sent after the answer to the last
 * one.
 */
export interface Pace {
  readonly connections: number;
  readonly arrivals?: Arrivals;
}

export interface Load {
  /** The paces by the name of the traffic; all run concurrently. */
  readonly paces: Readonly<Record<string, Pace>>;
  readonly warmUpMs: number;
  readonly measuredMs: number;
}

export interface LoadResult {
  readonly results: ReadonlyMap<string, LoopResult>;
  readonly lag: Lag;
}

/** How long an open loop continues after its end with requests that are still unsent. */
const DRAIN_MS = 10_000;

/** Runs the load and resolves when all of it is answered or given up. */
export async function runLoad(
  traffics: readonly Traffic[],
  { paces, warmUpMs, measuredMs }: Load,
): Promise<LoadResult> {
  const clock = realClock;
  const sessions: Session[] = [];
  try {
    const driven: (readonly [Traffic, Pace, Session[]])[] = [];
    for (const [name, pace] of Object.entries(paces)) {
      const traffic = traffics.find((one) => one.name === name);
      if (traffic === undefined) throw new Error(`There is no traffic ${name}`);
      const own = await Promise.all(Array.from({ length: pace.connections }, () => traffic.open()));
      sessions.push(...own);
      driven.push([traffic, pace, own]);
    }
    const lag = new ClientLag();
    const results = await Promise.all(
      driven.map(async ([{ name }, { arrivals }, own]) => {
        const times = { clock, warmUpMs, measuredMs };
        const result = await (arrivals === undefined
          ? closedLoop(own, times)
          : openLoop(own, { ...times, arrivals, drainMs: DRAIN_MS }));
        return [name, result] as const;
      }),
    );
    return { results: new Map(results), lag: lag.stop() };
  } finally {
    await Promise.all(sessions.map((session) => session.close()));
  }
}
