import type { Lag } from './client-lag.ts';
import { type Load, runLoad } from './load.ts';
import type { SentResult } from './loop-result.ts';
import type { Traffic } from './session.ts';

/** A request to the load process. */
export interface LoadRequest {
  readonly parameters: unknown;
  readonly load: Load;
}

export type LoadAnswer =
  | { readonly results: readonly (readonly [string, SentResult])[]; readonly lag: Lag }
  | { readonly error: string };

/**
 * The body of a program that `LoadProcess` starts: runs each requested load, one after the other, and ends
 * when its parent does.
 */
export function serveLoad<Parameters>(traffics: (parameters: Parameters) => readonly Traffic[]): void {
  process.on('message', async ({ parameters, load }: LoadRequest) => {
    process.send!(await answer(traffics, parameters as Parameters, load));
  });
  process.once('disconnect', () => process.exit());
}

async function answer<Parameters>(
  traffics: (parameters: Parameters) => readonly Traffic[],
  parameters: Parameters,
  load: Load,
): Promise<LoadAnswer> {
  try {
    const { results, lag } = await runLoad(traffics(parameters), load);
    return { results: [...results].map(([name, result]) => [name, result.sent()] as const), lag };
  } catch (error) {
    return { error: (error as Error).message };
  }
}
