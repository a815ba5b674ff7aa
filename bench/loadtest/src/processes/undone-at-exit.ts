const undone = new Set<() => void>();

process.once('exit', () => {
  for (const undo of [...undone].reverse()) undo();
});

/**
 * Has `undo` done when this process ends before it was called off: when a benchmark is broken off there is no time for a
 * graceful stop. What was begun last is undone first. The answer calls it off.
 */
export function undoneAtExit(undo: () => void): () => void {
  undone.add(undo);
  return () => void undone.delete(undo);
}
