import { dirname, join, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Plugin, rolldown } from 'rolldown';

/**
 * Packages that load native libraries, WebAssembly, threads or files by their own paths. They are loaded from the folders into
 * which a package manager installed them. `@grpc/proto-loader` is neither installed nor loaded.
 */
const OUTSIDE =
  /^(@grpc\/proto-loader$|@duckdb\/|@google-cloud\/|@napi-rs\/|@node-rs\/|hdr-histogram-js$|koffi$|lz4-napi$|open$|pino|playwright-core$|roaring-wasm$|snappy$|thread-stream$|.*\.node$)/;

/** How sources name the program of a process or a thread that they start. */
export const STARTS = /new URL\('([\w./-]+)\.ts', import\.meta\.url\)/g;

export interface Bundle {
  readonly workspace: string;
  /** The sources of the programs, relative to the workspace, by the names of their files without the extension. */
  readonly programs: Readonly<Record<string, string>>;
  /** Gets a file for each program and for each one that they start, and the files that these load. */
  readonly folder: string;
  /** Whether the programs run only beside this workspace: they then find packages and other files by absolute paths. */
  readonly staysHere: boolean;
}

/**
 * Builds programs, with the third-party packages that they import, as a few files each: most of the CPU time in which a node
 * starts goes to loading more than a thousand files otherwise. Names of functions and the order of lines remain those of the sources.
 */
export async function writeBundle({ workspace, programs, folder, staysHere }: Bundle): Promise<void> {
  const input = Object.fromEntries(
    Object.entries(programs).map(([name, source]) => [name, join(workspace, source)]),
  );
  const plugins = [
    builtinsAsTheyAre,
    leftOutside(staysHere),
    startedPrograms(workspace, programs),
    inAscii,
    ...(staysHere ? [keptPaths] : []),
  ];
  await using build = await rolldown({ input, cwd: workspace, platform: 'node', plugins, logLevel: 'warn' });
  await build.write({
    dir: folder,
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: '[name]-[hash].js',
    comments: { jsdoc: false },
  });
}

/**
 * Modules of Node that have properties which load others. An import of such a module reads all of its properties: that of `node:http`
 * takes 40 ms, because it loads a client for WebSockets, and that of `node:process` opens the standard streams.
 */
const WITH_GETTERS = ['node:http', 'node:process'] as const;

/** Takes these modules without an import. The properties that load others are only in the default export. */
const builtinsAsTheyAre: Plugin = {
  name: 'builtins-as-they-are',
  resolveId(id, _importer, { kind }) {
    const module = WITH_GETTERS.find((name) => id === name || `node:${id}` === name);
    return module === undefined || kind === 'require-call' ? null : `\0${module}`;
  },
  load(id) {
    const module = WITH_GETTERS.find((name) => id === `\0${name}`);
    if (module === undefined) return null;
    const properties = Object.getOwnPropertyDescriptors(process.getBuiltinModule(module));
    const names = Object.entries(properties)
      .filter(([name, { get }]) => get === undefined && /^[a-z]\w*$/i.test(name))
      .map(([name]) => name);
    return `const whole = process.getBuiltinModule('${module}'); export default whole; export const { ${names.join()} } = whole;`;
  },
};

const leftOutside = (staysHere: boolean): Plugin => ({
  name: 'left-outside',
  async resolveId(id, importer, options) {
    if (importer === undefined || !OUTSIDE.test(id)) return null;
    if (!staysHere) return { id, external: true };
    const found = await this.resolve(id, importer, { ...options, skipSelf: true });
    return found === null ? { id, external: true } : { id: found.id, external: 'absolute' };
  },
});

/** Builds the programs that a source starts, too, and names them by their new places. */
const startedPrograms = (workspace: string, programs: Bundle['programs']): Plugin => ({
  name: 'started-programs',
  transform: {
    filter: { code: STARTS },
    handler(code, file) {
      return code.replace(STARTS, (_, path: string) => {
        const id = resolve(dirname(file), `${path}.ts`);
        const fileName = builtName(programs, relative(workspace, id));
        this.emitFile({ type: 'chunk', id, fileName });
        return `new URL('./${fileName}', import.meta.url)`;
      });
    },
  },
});

/** Escapes all characters beyond ASCII. One such character would make V8 keep the whole file with two bytes per character. */
const inAscii: Plugin = {
  name: 'in-ascii',
  generateBundle(_, files) {
    for (const file of Object.values(files)) if (file.type === 'chunk') file.code = escapeNonAscii(file.code);
  },
};

const escapeNonAscii = (code: string): string =>
  code.replaceAll(/(\\*)([\u0080-\uffff])/g, (_, backslashes: string, character: string) => {
    if (backslashes.length % 2 === 1) throw new Error(`an escaped ${character} cannot be written in ASCII`);
    return `${backslashes}\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });

/** The name of the file into which the program at `source`, relative to the workspace, is built. */
export function builtName(programs: Bundle['programs'], source: string): string {
  const given = Object.entries(programs).find(([, program]) => program === source)?.[0];
  return `${given ?? source.replaceAll('/', '-').replace(/\.ts$/, '')}.js`;
}

/** Other files that a source finds in its own folder keep their place. */
const keptPaths: Plugin = {
  name: 'kept-paths',
  transform: {
    filter: { code: /import\.meta|__dirname|__filename/ },
    handler(code, file) {
      const [folder, name] = [JSON.stringify(dirname(file)), JSON.stringify(file)];
      if (!code.includes('import.meta')) return `var __dirname = ${folder}, __filename = ${name};${code}`;
      const url = JSON.stringify(pathToFileURL(file).href);
      return code
        .replaceAll('import.meta.dirname', folder)
        .replaceAll(/(new URL\('[\w./-]+', )?import\.meta\.url/g, (text, ofStarted) =>
          ofStarted ? text : url,
        );
    },
  },
};
