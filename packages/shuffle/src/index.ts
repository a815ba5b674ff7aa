export { HASH_BUCKETS } from '@tessera/common';
export { registerExchangeBuffers } from './exchange-buffers.ts';
export { emptyRelation } from './fetch/relation-sql.ts';
export { shuffleService } from './service/shuffle-service.ts';
export type {
  BlockRange,
  FetchedBlocks,
  InlineRows,
  OutputColumn,
  OutputShape,
  ResultOutput,
  ResultPart,
  Shuffle,
  ShuffleBlock,
  StoredOutput,
  TaskKey,
} from './shuffle.ts';
export { openShuffle, type ShuffleOptions } from './shuffle-node.ts';
