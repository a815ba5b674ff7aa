import { appendEpoch, appendRecord, appendTransactions } from './append.ts';
import { nextGarbageRecord, startGarbage } from './garbage.ts';
import { startMaintenanceIfDue } from './log-maintenance.ts';
import { startProof } from './proof.ts';
import { startReading } from './reading.ts';
import type { Turn } from './turn.ts';

/** Runs after every event and starts the operations that the state requires and that are not running yet. */
export function settle(turn: Turn) {
  switch (turn.state.role.kind) {
    case 'leader':
      lead(turn);
      return startMaintenanceIfDue(turn);
    case 'candidate':
      if (turn.state.reading !== undefined || turn.state.append !== undefined) return;
      return turn.state.caughtUp ? appendEpoch(turn) : startReading(turn);
    case 'follower':
    case 'resigned': {
      const { reading, reads, catalog } = turn.state;
      if (reading === undefined && (reads.length > 0 || catalog === undefined)) startReading(turn);
      return;
    }
    case 'broken':
      return;
  }
}

/** Runs one append at a time. Without one, it runs the proof that waiting reads need. */
function lead(turn: Turn) {
  startGarbage(turn);
  if (turn.state.append !== undefined) return;
  const record = nextGarbageRecord(turn);
  if (record !== undefined) return appendRecord(turn, record);
  while (turn.state.queue.length > 0 && turn.state.append === undefined) appendTransactions(turn);
  if (turn.state.append !== undefined) return;
  const { reads, refusals, proof, doubted } = turn.state;
  if ((reads.length + refusals.length > 0 || doubted) && proof === undefined) startProof(turn);
}
