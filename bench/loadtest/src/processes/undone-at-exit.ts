const undone = new Set<() => void>();

process.once('exit', () => {
  for (const undo of [...undone].reverse()) undo();
});

/**
 * Calls `undo` when this process ends, unless the returned function was called before: an interrupted
 * benchmark has no time for a graceful stop. The most recent actions are undone first.
 */
export function undoneAtExit(undo: () => void): () => void {
  undone.add(undo);
  return () => void undone.delete(undo);
}
