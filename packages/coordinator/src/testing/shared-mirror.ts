import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Kernel, startKernel } from '@tessera/kernel';
import { mirrorBootstrap } from '@tessera/planner';
import { kernelBootstrap } from '@tessera/sql';

const silent = () => undefined;
let mirror: Promise<Kernel> | undefined;

/**
 * The kernel that plans for all nodes that tests open in this process, because its start takes longer than most tests. The names of
 * the tables that they define there contain unique ids. It ends with the process.
 */
export function sharedMirror(): Promise<Kernel> {
  mirror ??= startKernel({
    directory: join(mkdtempSync(join(tmpdir(), 'mirror-test-')), 'mirror'),
    readableDirectories: [],
    memoryLimitBytes: 1e9,
    threads: 2,
    bootstrap: [...kernelBootstrap, ...mirrorBootstrap],
    definesRelations: true,
    log: { info: silent, warn: silent, error: silent },
  });
  return mirror;
}
