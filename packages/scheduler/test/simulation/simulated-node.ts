import { asIncarnation, asNodeName, TesseraError } from '@tessera/common';
import type { ExchangeBlocks, Task } from '@tessera/distexec';
import type { ClusterNode } from '../../src/cluster.ts';
import type { Row } from './stage-rows.ts';

type ShuffleBlock = ExchangeBlocks['blocks'][number];

/** A process on a machine. A crash ends the process and deletes its outputs. */
export class SimulatedNode {
  readonly index: number;
  incarnation = 0;
  status: 'running' | 'draining' = 'running';
  isUp = true;
  /** Whether the node runs but cannot communicate. */
  isCutOff = false;
  readonly outputs = new Map<string, readonly Row[]>();
  readonly running = new Set<string>();

  constructor(index: number) {
    this.index = index;
  }

  get isReachable(): boolean {
    return this.isUp && !this.isCutOff;
  }

  describe(): ClusterNode {
    return {
      index: this.index,
      name: asNodeName(`node${this.index}:1`),
      shuffleAddress: `node${this.index}:2`,
      incarnation: asIncarnation(`${this.index}/${this.incarnation}`),
      version: '1',
      status: this.status,
      startedAtMs: 0,
      threads: 2,
      memoryLimitBytes: 1,
    };
  }

  crash(): void {
    this.isUp = false;
    this.isCutOff = false;
    this.outputs.clear();
    this.running.clear();
  }

  restart(): void {
    this.incarnation++;
    this.isUp = true;
    this.status = 'running';
  }
}

export const outputName = ({
  stage,
  task,
  attempt,
}: Pick<Task['key'], 'stage' | 'task' | 'attempt'>): string => `${stage}/${task}/${attempt}`;

/** The rows of a block, as its producer's node sends them to `reader`. */
export function fetchPiece(
  block: ShuffleBlock,
  nodes: readonly SimulatedNode[],
  reader: SimulatedNode,
): readonly Row[] {
  const owner = nodes.find((node) => node.describe().shuffleAddress === block.address)!;
  const fail = (reason: string): never => {
    const { stage, task, attempt } = block.producer;
    throw TesseraError.of('FETCH_FAILED', { node: owner.describe().name, stage, task, attempt, reason });
  };
  if (block.inline !== undefined) return blockRows(block, inlineRowsOf(block.inline.batch), fail);
  if (owner !== reader && (!owner.isReachable || !reader.isReachable)) fail('it does not answer');
  if (owner.describe().incarnation !== block.incarnation) fail('it was restarted');
  const output = owner.outputs.get(outputName(block.producer));
  if (output === undefined) return fail('it has no such output');
  return blockRows(block, output, fail);
}

function blockRows(
  { buckets, slice: part, rows: count }: ShuffleBlock,
  output: readonly Row[],
  fail: (reason: string) => never,
): readonly Row[] {
  const [from, to] = buckets ?? [0, 1024];
  const rows = output.filter(({ bucket }) => bucket >= from && bucket < to);
  if (count !== undefined && count !== rows.length) fail(`${rows.length} rows instead of ${count}`);
  const [slice, slices] = part ?? [0, 1];
  return rows.slice(
    Math.floor((rows.length * slice) / slices),
    Math.floor((rows.length * (slice + 1)) / slices),
  );
}

/** A small output as it travels in the reply of its task, and from there in the tasks that read it. */
export const inlineRows = (rows: readonly Row[]): NonNullable<ShuffleBlock['inline']> => ({
  schema: Buffer.alloc(0),
  batch: Buffer.from(JSON.stringify(rows)),
  crc32c: 0,
});

const inlineRowsOf = (batch: Uint8Array): readonly Row[] =>
  JSON.parse(Buffer.from(batch).toString()) as Row[];
