import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { writeBundle } from './bundle.ts';

/** The folder of the program in the package; `bin/tessera.js` starts `main.js` in it. */
const FOLDER = 'program';
const MAIN = 'packages/engine/src/main.ts';
/** The build of the console writes its files into this folder. The node looks for them beside its own code. */
const ASSETS = 'packages/console/src/generated';

/** Writes the program, and the processes and threads that it starts, as JavaScript. Tests and benchmarks are not reached. */
export async function writeProgram(workspace: string, target: string): Promise<void> {
  const folder = join(target, FOLDER);
  await writeBundle({ workspace, programs: { main: MAIN }, folder, staysHere: false });
  cpSync(join(workspace, ASSETS), join(folder, 'generated'), { recursive: true });
}
