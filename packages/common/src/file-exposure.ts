import type { Stats } from 'node:fs';

/**
 * Finds out who else on this machine can read or change a file that contains a secret: nobody (undefined), the
 * group of the file, or everybody. A file of root that its group may only read counts as not exposed, because
 * services receive secrets that way.
 */
export function exposure({ mode, uid }: Pick<Stats, 'mode' | 'uid'>): 'group' | 'everybody' | undefined {
  if (process.platform === 'win32') return undefined;
  if ((mode & 0o006) !== 0) return 'everybody';
  const group = mode & 0o060;
  return group === 0 || (group === 0o040 && uid === 0) ? undefined : 'group';
}
