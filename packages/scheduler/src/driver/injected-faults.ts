import { asQueryId, type NodeName, TesseraError } from '@tessera/common';
import type { ResultOutput, Task } from '@tessera/distexec';
import type { ExecutingNodes } from '../stage-execution.ts';

/**
 * The fault of one attempt. `TASK_FAILURE`: it fails on its node. `TASK_MANAGEMENT_REQUEST_FAILURE`: the
 * request to run it does not arrive; `…_TIMEOUT`: the request arrives and the task runs, but the answer is
 * lost. `TASK_GET_RESULTS_REQUEST_FAILURE`: consumers cannot fetch its output; `…_TIMEOUT`: they notice only
 * after their own work has begun.
 */
export type FaultType =
  | 'TASK_FAILURE'
  | 'TASK_MANAGEMENT_REQUEST_FAILURE'
  | 'TASK_MANAGEMENT_REQUEST_TIMEOUT'
  | 'TASK_GET_RESULTS_REQUEST_FAILURE'
  | 'TASK_GET_RESULTS_REQUEST_TIMEOUT';

export interface InjectedFault {
  readonly type: FaultType;
  readonly stage: number;
  readonly task: number;
  readonly attempt: number;
  /** The error of a TASK_FAILURE; a transient one by default. */
  readonly error?: TesseraError | undefined;
}

/** The same nodes with injected faults in some attempts, for tests of how a query handles them. */
export function withFaults(faults: readonly InjectedFault[], nodes: ExecutingNodes): ExecutingNodes {
  if (faults.length === 0) return nodes;
  const { membership, remote, local } = nodes;
  const { name } = membership.self;
  const of = (key: Pick<Task['key'], 'stage' | 'task' | 'attempt'>, type: FaultType) =>
    faults.find(
      (one) =>
        one.type === type && one.stage === key.stage && one.task === key.task && one.attempt === key.attempt,
    );
  const run = async <T>(task: Task, node: NodeName, work: () => Promise<T>): Promise<T> => {
    const lost = (reason: string) => TesseraError.of('NODE_LOST', { node, reason });
    if (of(task.key, 'TASK_MANAGEMENT_REQUEST_FAILURE')) throw lost('injected: the request did not arrive');
    const failure = of(task.key, 'TASK_FAILURE');
    if (failure) throw failure.error ?? TesseraError.of('NOT_LEADER', { hint: 'injected' });
    const unreadable = (type: FaultType) =>
      task.sources
        .flatMap((source) => (source.kind === 'exchange' ? source.blocks : []))
        .find(({ producer }) => of(producer, type));
    const refused = unreadable('TASK_GET_RESULTS_REQUEST_FAILURE');
    if (refused) throw fetchFailed(refused.producer, refused.address);
    const result = await work();
    const late = unreadable('TASK_GET_RESULTS_REQUEST_TIMEOUT');
    if (late) throw fetchFailed(late.producer, late.address);
    if (of(task.key, 'TASK_MANAGEMENT_REQUEST_TIMEOUT')) throw lost('injected: the answer did not arrive');
    return result;
  };
  const faultyOutput = (output: ResultOutput): ResultOutput => ({
    ...output,
    attempt: async () => {
      for (;;) {
        const block = await output.attempt();
        const { producer, address } = block;
        if (!of(producer, 'TASK_GET_RESULTS_REQUEST_FAILURE')) return block;
        output.failed(block, fetchFailed(producer, address));
      }
    },
  });
  return {
    membership,
    remote: {
      runTask: (node, task, options) => run(task, node.name, () => remote.runTask(node, task, options)),
      release: (node, queryId, which) => remote.release(node, queryId, which),
    },
    local: {
      runTask: (task, options) => run(task, name, () => local.runTask(task, options)),
      results: ({ outputs, ...task }, session, signal) =>
        local.results({ ...task, outputs: outputs.map(faultyOutput) }, session, signal),
      open: (task, session, signal) =>
        run({ ...task, key: ROOT, output: NOTHING, timeZone: '' }, name, () =>
          local.open(task, session, signal),
        ),
    },
  };
}

/** The root has no attempts of its own that could fail; only its inputs can. */
const ROOT: Task['key'] = { queryId: asQueryId(''), run: 0, stage: -1, task: 0, attempt: 0 };
const NOTHING: Task['output'] = { columns: [], hashKeys: [], summarised: [] };

const fetchFailed = ({ stage, task, attempt }: Task['key'], node: string): TesseraError =>
  TesseraError.of('FETCH_FAILED', { node, stage, task, attempt, reason: 'injected' });
