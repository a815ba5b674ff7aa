import type { Workload, WorkloadQuery } from '@tessera/workloads';

/** The queries of `--queries`, or all. @throws Error that names a query which the workload does not have */
export function chosenQueries(
  { title, queries }: Workload,
  names: readonly string[] | undefined,
): readonly WorkloadQuery[] {
  const unknown = names?.find((name) => !queries.some((query) => query.name === name));
  if (unknown !== undefined)
    throw new Error(
      `--queries: ${title} has no ${unknown}; it has ${queries[0]!.name} to ${queries.at(-1)!.name}`,
    );
  return queries.filter(({ name }) => names?.includes(name) ?? true);
}

/** `The 22 queries`, for the reader of a report. */
export const queriesText = ({ length }: readonly WorkloadQuery[]): string =>
  length === 1 ? 'One query' : `The ${length} queries`;
