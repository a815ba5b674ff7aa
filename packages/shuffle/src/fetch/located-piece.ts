import type { KeptOutput } from '../outputs/kept-outputs.ts';
import type { Piece } from '../shuffle.ts';

/** A piece whose rows have to be brought into the session. */
export interface DistantPiece {
  readonly piece: Piece;
  /** Undefined: at another node. */
  readonly output: KeptOutput | undefined;
}

/** A piece of this node that the session can read where it is. */
export interface NearPiece {
  readonly piece: Piece;
  readonly output: KeptOutput;
}
