import type { ExchangeBlocks, Task } from '@tessera/distexec';
import type { Stage } from '@tessera/planner';
import { rowsInBuckets } from './bucket-counts.ts';
import type { ExchangePart, TaskOutput } from './task-spec.ts';

type ShuffleBlock = ExchangeBlocks['blocks'][number];

/** All of an output, as a block. */
export interface WholeOutput {
  readonly block: ShuffleBlock & { readonly rows: number };
  readonly outcome: TaskOutput['outcome'];
}

export const wholeOutput = (
  task: Omit<Task['key'], 'attempt'>,
  { node, attempt, outcome }: TaskOutput,
): WholeOutput => ({
  outcome,
  block: {
    producer: { ...task, attempt },
    address: node.shuffleAddress,
    incarnation: node.incarnation,
    buckets: undefined,
    slice: undefined,
    rows: outcome.rows,
  },
});

/** Gives the rows of small outputs for one message, until the message holds enough of them. */
export type InlineBudget = (outcome: TaskOutput['outcome']) => ShuffleBlock['inline'];

/** Tasks fetch what is beyond this. */
const MAX_INLINE_BYTES = 1 << 20;

export function inlineBudget(): InlineBudget {
  let left = MAX_INLINE_BYTES;
  return ({ inline }) => {
    if (inline === undefined || inline.batch.length > left) return undefined;
    left -= inline.batch.length;
    return inline;
  };
}

/** The blocks of a part of a stage output, from the attempts that count. Outputs without rows in it are left out. */
export function blocksOf(
  { tasks, buckets, slice }: ExchangePart,
  { output }: Pick<Stage, 'output'>,
  outputs: { readonly tasks: number; readonly of: (task: number) => WholeOutput },
  inlineRows: InlineBudget,
): ExchangeBlocks {
  const blocks: ShuffleBlock[] = [];
  const count = tasks?.length ?? outputs.tasks;
  for (let i = 0; i < count; i++) {
    const { block, outcome } = outputs.of(tasks?.[i] ?? i);
    const rows = buckets === undefined ? block.rows : rowsInBuckets(outcome, buckets);
    if (rows === 0) continue;
    const inline = inlineRows(outcome);
    if (buckets === undefined && slice === undefined) blocks.push(inline ? { ...block, inline } : block);
    else {
      const { producer, address, incarnation } = block;
      const count = slice ? undefined : rows;
      blocks.push({ producer, address, incarnation, buckets, slice, rows: count, ...(inline && { inline }) });
    }
  }
  return { kind: 'exchange', blocks, shape: { columns: output.columns, hashKeys: output.hashKeys } };
}
