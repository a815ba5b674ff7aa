import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmdirSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Whether this process may mount file systems. */
export const canMount: boolean = (() => {
  const directory = mkdtempSync(join(tmpdir(), 'tessera-mount-'));
  const mounted = spawnSync('mount', ['-t', 'tmpfs', 'tmpfs', directory]).status === 0;
  if (mounted) spawnSync('umount', [directory]);
  rmdirSync(directory);
  return mounted;
})();

/** A disk mounted over a directory, whose former content reappears when the disk is disposed of. */
export class Disk implements Disposable {
  readonly #directory: string;

  private constructor(directory: string) {
    this.#directory = directory;
  }

  static async over(directory: string, size: string): Promise<Disk> {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size},mode=0700`, 'tmpfs', directory]);
    return new Disk(directory);
  }

  /** Makes every write fail from now on, as on a disk that was remounted read-only. */
  refuseWrites(): void {
    execFileSync('mount', ['-o', 'remount,ro', this.#directory]);
  }

  [Symbol.dispose](): void {
    // The unmount is lazy, because files may be open.
    execFileSync('umount', ['-l', this.#directory]);
  }
}
