import { existsSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Vite } from 'vitest/node';
import { builtName, STARTS, writeBundle } from '../../deploy/npm/bundle.ts';

/** The programs that tests start most. */
const PROGRAMS = {
  main: 'packages/engine/src/main.ts',
  's3-dev-process': 'packages/object-store/src/testing/s3-dev-process.ts',
  loadtest: 'bench/loadtest/src/main.ts',
};

/** Builds these programs into `folder`, because they then start in half the CPU time. */
export async function buildPrograms(root: string, folder: string): Promise<void> {
  await writeBundle({ workspace: root, programs: PROGRAMS, folder, staysHere: true });
  // Otherwise Node tries to read each file as CommonJS first.
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
}

/** A plugin of vitest: sources that tests load start the built programs in `folder` instead of their sources. */
export const startBuilt = (root: string, folder: string): Vite.Plugin => ({
  name: 'start-built',
  enforce: 'pre',
  // Vitest keeps transformed modules for later runs, which have other folders.
  configureVitest: ({ defineCacheKeyGenerator }) =>
    defineCacheKeyGenerator(({ sourceCode }) => (sourceCode.search(STARTS) < 0 ? undefined : false)),
  transform: {
    filter: { code: 'import.meta.url' },
    handler: (code: string, file: string): string =>
      code.replaceAll(STARTS, (text, path: string) => {
        const source = relative(root, resolve(dirname(file), `${path}.ts`));
        const built = join(folder, builtName(PROGRAMS, source));
        return existsSync(built) ? `new URL(${JSON.stringify(pathToFileURL(built).href)})` : text;
      }),
  },
});
