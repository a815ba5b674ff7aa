import { asIncarnation, asQueryId, TesseraError } from '@tessera/common';
import { type FetchRequest, type ServedService, ShuffleService, serviceOf } from '@tessera/rpc';
import type { Shuffle, TaskKey } from '../shuffle.ts';
import { ShuffleNode } from '../shuffle-node.ts';
import { encodeBatches } from './encode-batches.ts';

/** Serves the outputs of this node to other nodes. */
export const shuffleService = (shuffle: Shuffle): ServedService => {
  if (!(shuffle instanceof ShuffleNode)) throw new Error('Not made by openShuffle');
  return serviceOf(ShuffleService, {
    fetch: (request, { signal }) => {
      const key = keyOf(request);
      const range = rangeOf(request);
      const rows = shuffle.read(key, asIncarnation(request.incarnation), range, signal);
      return encodeBatches(rows, request.compress);
    },
  });
};

function keyOf({ producer }: FetchRequest): TaskKey {
  if (producer === undefined) throw TesseraError.of('BAD_REQUEST', { message: 'A fetch names no task' });
  const { queryId, run, stage, task, attempt } = producer;
  return { queryId: asQueryId(queryId), run, stage, task, attempt };
}

const rangeOf = ({ bucketFrom, bucketTo, slice, slices, follow, firstBatch }: FetchRequest) => ({
  buckets: bucketFrom === 0 && bucketTo === 0 ? undefined : ([bucketFrom, bucketTo] as const),
  slice: slices > 1 ? ([slice, slices] as const) : undefined,
  follow: follow ? { firstBatch } : undefined,
});
