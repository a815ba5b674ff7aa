import type { OperatorProfile, StatementProfile } from '@tessera/kernel';
import type { TaskOperator, TaskProfile } from '../dist-exec.ts';
import type { SourceRelation } from './open-sources.ts';

/** The kernel's operator that reads the rows of an exchange from memory. */
const RECEIVED = 'TESSERA_RECEIVED';

/** The profile of a task, in which scans name the sources of the task instead of relations and files of the node. */
export const taskProfile = (
  { peakMemoryBytes, operators }: StatementProfile,
  relations: readonly SourceRelation[],
): TaskProfile => ({ peakMemoryBytes, operators: taskOperator(operators, relations) });

function taskOperator(operator: OperatorProfile, relations: readonly SourceRelation[]): TaskOperator {
  const { description, inputs, ...figures } = operator;
  const source = inputs.length > 0 ? undefined : sourceOf(operator, relations);
  return {
    ...figures,
    ...(source !== undefined && { source }),
    inputs: inputs.map((input) => taskOperator(input, relations)),
  };
}

/**
 * The source that an operator reads, by the relation, file or number of rows that its description names. Of several sources that
 * scan the same table, it is the first one.
 */
function sourceOf(
  { name, description }: OperatorProfile,
  relations: readonly SourceRelation[],
): number | undefined {
  const scanned = /(?:Table|'Filename\(s\)')=([^,}\n]+)/.exec(description)?.[1]?.split('.main.').at(-1);
  const rows = /__estimated_cardinality__=(\d+)/.exec(description)?.[1];
  const isRead = ({ sql, fetchedRows }: SourceRelation) =>
    name === RECEIVED
      ? fetchedRows !== undefined && (rows === undefined || fetchedRows === Number(rows))
      : scanned !== undefined && hasName(sql, scanned);
  const found = relations.flatMap((relation, position) => (isRead(relation) ? [position] : []));
  return found.length === 1 || name !== RECEIVED ? found[0] : undefined;
}

/** Whether a text contains a name that does not go on: `r1` is not in `FROM r12`. */
const hasName = (sql: string, name: string): boolean =>
  sql
    .split(name)
    .slice(1)
    .some((rest) => !/^\w/.test(rest));
