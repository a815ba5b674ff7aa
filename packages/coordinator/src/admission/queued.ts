/** The part of a query's activity that records how long it waited. */
export interface QueueActivity {
  isQueued: boolean;
  queuedMicroseconds: number;
}

/** Waits for the turn of a query and records the time. */
export async function queued<T>(activity: QueueActivity, wait: () => Promise<T>): Promise<T> {
  const since = performance.now();
  activity.isQueued = true;
  try {
    return await wait();
  } finally {
    activity.isQueued = false;
    activity.queuedMicroseconds += Math.round(1000 * (performance.now() - since));
  }
}
