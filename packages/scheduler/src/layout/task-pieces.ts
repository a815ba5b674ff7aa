import type { PiecesSource } from '@tessera/distexec';
import type { Stage } from '@tessera/planner';
import { rowsInBuckets } from './bucket-counts.ts';
import type { ExchangePart, TaskOutput } from './task-spec.ts';

type Piece = PiecesSource['pieces'][number];

/** A part of what a stage left, by the attempts that count. Outputs without rows in it are not asked for. */
export function piecesOf(
  part: ExchangePart,
  { id, output }: Pick<Stage, 'id' | 'output'>,
  outputs: { readonly tasks: number; readonly of: (task: number) => TaskOutput },
  { queryId, run }: { readonly queryId: string; readonly run: number },
): PiecesSource {
  const pieces: Piece[] = [];
  const { tasks } = part;
  const count = tasks?.length ?? outputs.tasks;
  for (let i = 0; i < count; i++) {
    const task = tasks?.[i] ?? i;
    const { node, attempt, outcome } = outputs.of(task);
    const rows = part.buckets === undefined ? outcome.rows : rowsInBuckets(outcome, part.buckets);
    if (rows === 0) continue;
    pieces.push({
      producer: { queryId, run, stage: id, task, attempt },
      address: node.shuffleAddress,
      incarnation: node.incarnation,
      buckets: part.buckets,
      slice: part.slice,
      rows: part.slice === undefined ? rows : undefined,
    });
  }
  return { kind: 'pieces', pieces, shape: { columns: output.columns, hashKeys: output.hashKeys } };
}
