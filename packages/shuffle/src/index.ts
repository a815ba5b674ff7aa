export type {
  FetchedPieces,
  OutputColumn,
  OutputShape,
  Piece,
  Shuffle,
  StoredOutput,
  TaskKey,
} from './shuffle.ts';
