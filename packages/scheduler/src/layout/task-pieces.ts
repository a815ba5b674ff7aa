import type { PiecesSource, Task } from '@tessera/distexec';
import type { Stage } from '@tessera/planner';
import { rowsInBuckets } from './bucket-counts.ts';
import type { ExchangePart, TaskOutput } from './task-spec.ts';

type Piece = PiecesSource['pieces'][number];

/** All of an output, as a piece. */
export interface WholeOutput {
  readonly piece: Piece & { readonly rows: number };
  readonly outcome: TaskOutput['outcome'];
}

export const wholeOutput = (
  task: Omit<Task['key'], 'attempt'>,
  { node, attempt, outcome }: TaskOutput,
): WholeOutput => ({
  outcome,
  piece: {
    producer: { ...task, attempt },
    address: node.shuffleAddress,
    incarnation: node.incarnation,
    buckets: undefined,
    slice: undefined,
    rows: outcome.rows,
  },
});

/** The blocks of a part of a stage output, from the attempts that count. Outputs without rows in it are left out. */
export function piecesOf(
  { tasks, buckets, slice }: ExchangePart,
  { output }: Pick<Stage, 'output'>,
  outputs: { readonly tasks: number; readonly of: (task: number) => WholeOutput },
): PiecesSource {
  const pieces: Piece[] = [];
  const count = tasks?.length ?? outputs.tasks;
  for (let i = 0; i < count; i++) {
    const { piece, outcome } = outputs.of(tasks?.[i] ?? i);
    const rows = buckets === undefined ? piece.rows : rowsInBuckets(outcome, buckets);
    if (rows === 0) continue;
    if (buckets === undefined && slice === undefined) pieces.push(piece);
    else {
      const { producer, address, incarnation } = piece;
      pieces.push({ producer, address, incarnation, buckets, slice, rows: slice ? undefined : rows });
    }
  }
  return { kind: 'pieces', pieces, shape: { columns: output.columns, hashKeys: output.hashKeys } };
}
