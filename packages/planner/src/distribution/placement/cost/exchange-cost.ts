import { COST_CONSTANTS as COST } from './cost-constants.ts';

export interface Moved {
  readonly rows: number;
  readonly bytes: number;
}

/** The CPU time in µs for writing rows to the output of a stage. */
export const writeCost = ({ rows, bytes }: Moved): number => rows * COST.writeRow + bytes * COST.writeByte;

/** The CPU time in µs, on both ends together, of an exchange of rows that are already written. */
export function exchangeCost(
  { rows, bytes }: Moved,
  mode: 'hash' | 'broadcast' | 'gather' | 'forward',
  consumers: number,
): number {
  const moved = rows * COST.moveRow + bytes * COST.moveByte;
  switch (mode) {
    case 'hash':
      return moved + rows * COST.scatterRow * consumers;
    case 'broadcast':
      return moved * consumers;
    case 'gather':
      return moved;
    case 'forward':
      return 0;
  }
}
