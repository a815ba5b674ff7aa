import { spawnSync } from 'node:child_process';
import { getContainerRuntimeClient } from 'testcontainers';

/**
 * Whether all the programs are installed. Tests that need third-party programs are skipped without them, and
 * say so.
 */
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
