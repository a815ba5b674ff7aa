import { existsSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Plugin, rolldown } from 'rolldown';

/** The programs that tests start most. */
const PROGRAMS = {
  main: 'packages/engine/src/main.ts',
  's3-dev-process': 'packages/object-store/src/testing/s3-dev-process.ts',
};

/** Packages that load native libraries, WebAssembly or threads by their own paths. */
const LEFT_OUTSIDE =
  /^(@duckdb\/|@napi-rs\/|@node-rs\/|koffi$|lz4-napi$|pino|roaring-wasm$|snappy$|thread-stream$|.*\.node$)/;

/**
 * The form in which sources name the program of a process or a thread that they start, after `import.meta.url`
 * has been replaced by a text.
 */
const STARTED = /new URL\('([\w./-]+)\.ts', "file:[^"]*"\)/g;

/** The same form in a source. */
const STARTS = /new URL\('([\w./-]+)\.ts', import\.meta\.url\)/g;

/**
 * Builds the programs as a few files each, because loading more than a thousand files takes most of the CPU time in which a node starts.
 * @param folder gets `main.js`, `s3-dev-process.js` and the files that they load
 */
export async function buildPrograms(root: string, folder: string): Promise<void> {
  const input = Object.fromEntries(
    Object.entries(PROGRAMS).map(([name, source]) => [name, join(root, source)]),
  );
  const plugins = [leaveOutside, keepPaths(root)];
  await using build = await rolldown({ input, cwd: root, platform: 'node', plugins, logLevel: 'warn' });
  await build.write({
    dir: folder,
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: '[name]-[hash].js',
  });
}

const leaveOutside: Plugin = {
  name: 'leave-outside',
  async resolveId(id, importer, options) {
    if (importer === undefined || !LEFT_OUTSIDE.test(id)) return null;
    const found = await this.resolve(id, importer, { ...options, skipSelf: true });
    return found === null ? null : { id: found.id, external: 'absolute' };
  },
};

/** Files that a source finds in its own folder keep their place; programs that it starts are built too. */
const keepPaths = (root: string): Plugin => ({
  name: 'keep-paths',
  transform: {
    filter: { code: /import\.meta|__dirname|__filename/ },
    handler(code, file) {
      if (!code.includes('import.meta')) return withCommonJsPaths(code, file);
      return withPaths(code, file).replace(STARTED, (_, path: string) => {
        const id = resolve(dirname(file), `${path}.ts`);
        const fileName = builtName(root, id);
        this.emitFile({ type: 'chunk', id, fileName });
        return `new URL('./${fileName}', import.meta.url)`;
      });
    },
  },
});

/** The name of the file into which a program is built. */
function builtName(root: string, source: string): string {
  const path = relative(root, source);
  const [name = path.replaceAll('/', '-').replace(/\.ts$/, '')] = Object.entries(PROGRAMS)
    .filter(([, program]) => program === path)
    .map(([given]) => given);
  return `${name}.js`;
}

/** A plugin of vitest: sources that tests load start the built programs in `folder` instead of their sources. */
export const startBuilt = (root: string, folder: string) => ({
  name: 'start-built',
  enforce: 'pre' as const,
  transform: {
    filter: { code: 'import.meta.url' },
    handler: (code: string, file: string): string =>
      code.replaceAll(STARTS, (text, path: string) => {
        const built = join(folder, builtName(root, resolve(dirname(file), `${path}.ts`)));
        return existsSync(built) ? `new URL(${JSON.stringify(pathToFileURL(built).href)})` : text;
      }),
  },
});

const withPaths = (code: string, file: string): string =>
  code
    .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(file).href))
    .replaceAll('import.meta.dirname', JSON.stringify(dirname(file)));

const withCommonJsPaths = (code: string, file: string): string =>
  `var __dirname = ${JSON.stringify(dirname(file))}, __filename = ${JSON.stringify(file)};${code}`;
