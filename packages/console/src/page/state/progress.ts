import { ask, type QueryId } from '../engine/request.ts';

/** How far a running query is. */
export interface Progress {
  /** 0 to 100; null if the engine cannot tell. */
  readonly percent: number | null;
  readonly rows_read: string | null;
  readonly bytes_read: string | null;
  readonly stages: number;
  readonly stages_finished: number;
  readonly nodes: number;
  readonly status: string;
}

const FIRST_MS = 200;
const EVERY_MS = 400;

/** Reports how far a query is, from 200 ms after its start until it is told to stop. */
export function watchProgress(queryId: QueryId, report: (progress: Progress) => void): () => void {
  let stopped = false;
  let timer = setTimeout(look, FIRST_MS);
  async function look(): Promise<void> {
    const [progress] = await ask<Progress>(
      `SELECT status, percent, rows_read, bytes_read, stages, stages_finished, nodes
       FROM information_schema.engine_running_queries WHERE query_id = '${queryId}'`,
    ).catch(() => []);
    if (stopped) return;
    if (progress !== undefined) report(progress);
    timer = setTimeout(look, EVERY_MS);
  }
  return () => {
    stopped = true;
    clearTimeout(timer);
  };
}
