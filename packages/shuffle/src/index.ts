export { HASH_BUCKETS } from '@tessera/common';
export { reportLockedMemory } from './locked-memory.ts';
export { shuffleBootstrap } from './outputs/output-table.ts';
export { shuffleService } from './service/shuffle-service.ts';
export type {
  FetchedPieces,
  OutputColumn,
  OutputShape,
  Piece,
  Shuffle,
  StoredOutput,
  TaskKey,
} from './shuffle.ts';
export { openShuffle, type ShuffleOptions } from './shuffle-node.ts';
