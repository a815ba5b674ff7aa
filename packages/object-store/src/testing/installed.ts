import { spawnSync } from 'node:child_process';
import { getContainerRuntimeClient } from 'testcontainers';

/** Whether all the programs are there; tests that need others than ours are skipped, and say so, without them. */
export function areInstalled(...programs: readonly string[]): boolean {
  return programs.every((program) => spawnSync('which', [program]).status === 0);
}

export const RADOSGW_PROGRAMS = ['radosgw', 'radosgw-admin', 'ceph', 'ceph-mon', 'ceph-osd', 'ceph-authtool'];

/** Whether containers can be run. */
export function dockerRuns(): Promise<boolean> {
  return getContainerRuntimeClient().then(
    () => true,
    () => false,
  );
}
