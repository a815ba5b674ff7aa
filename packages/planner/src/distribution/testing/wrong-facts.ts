import type { DistributedPlan, TableFacts } from '../../distributed-plan.ts';

/**
 * Statistics that claim other sizes of the tables, and other numbers and shares of column values, than they have. The
 * planner then makes other choices, which must return the same rows.
 */
export function wrongFacts(
  tables: ReadonlyMap<string, TableFacts>,
  seed: number,
): ReadonlyMap<string, TableFacts> {
  let state = seed;
  const share = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  return new Map(
    [...tables].map(([name, facts]) => {
      const rows = Math.round(10 ** (2 + 7 * share()));
      const values = () => (share() < 0.7 ? rows : rows ** share());
      const distinct = new Map([...facts.distinct.keys()].map((column) => [column, values()]));
      const [nulls, common] = [share() / 2, new Map([['1', share() / 2]])];
      const shares = { version: 1, of: () => ({ nulls, common }) };
      return [name, { ...facts, rows, bytes: rows * 40, distinct, values: shares }];
    }),
  );
}

/** Whether a scan of the plan tests its rows against keys of another stage. */
export const filtersRows = ({ stages }: DistributedPlan): boolean =>
  stages.some(({ sources }) =>
    sources.some((source) => source.kind === 'scan' && source.dynamicFilters.some((f) => f.filtersRows)),
  );
