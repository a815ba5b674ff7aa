import { type ReadonlySignal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { token } from '../engine/access.ts';
import { ask } from '../engine/request.ts';

export interface PolledRows<Row> {
  /** Undefined until the engine has answered for the first time. */
  readonly rows: ReadonlySignal<readonly Row[] | undefined>;
  readonly problem: ReadonlySignal<string | undefined>;
}

const REFRESH_MS = 2_000;

/** The rows of a query, asked for again every two seconds while the page is shown. */
export function usePolledRows<Row>(
  sql: string,
  parameters: Readonly<Record<string, string>> = {},
): PolledRows<Row> {
  const rows = useSignal<readonly Row[] | undefined>(undefined);
  const problem = useSignal<string | undefined>(undefined);
  const credentials = token.value;
  const key = JSON.stringify(parameters);
  useEffect(() => {
    let stopped = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    async function look(): Promise<void> {
      if (!document.hidden) {
        try {
          const found = await ask<Row>(sql, JSON.parse(key));
          if (stopped) return;
          rows.value = found;
          problem.value = undefined;
        } catch (error) {
          if (stopped) return;
          problem.value = (error as Error).message;
        }
      }
      timer = setTimeout(look, REFRESH_MS);
    }
    void look();
    return () => {
      stopped = true;
      clearTimeout(timer);
    };
  }, [sql, key, credentials, rows, problem]);
  return { rows, problem };
}
