import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { build, type Rolldown } from 'vite';

/**
 * Builds the web console into the files that the package ships (docs/decisions/console-assets.md). With `--check` it only
 * reports whether the committed files are stale.
 */
const root = dirname(import.meta.dirname);
const page = join(root, 'packages/console/src/page');
const target = join(root, 'packages/console/src/generated');

const built = (await build({
  configFile: false,
  root: page,
  base: './',
  logLevel: 'error',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    write: false,
    target: 'es2023',
    assetsDir: 'console',
    // The browser needs no polyfill, and the content security policy allows no inline script.
    modulePreload: false,
    cssCodeSplit: false,
    assetsInlineLimit: 0,
    license: { fileName: 'licenses.txt' },
    rolldownOptions: {
      output: {
        entryFileNames: 'console/console.js',
        chunkFileNames: 'console/[name].js',
        assetFileNames: 'console/[name][extname]',
      },
    },
  },
})) as Rolldown.RolldownOutput;

/** The page shows itself before it has the editor, so the browser may fetch that at once. */
const PRELOADED = '<link rel="modulepreload" crossorigin href="./console/editor.js">';
const files = new Map(
  built.output.map((file) => [
    file.fileName,
    Buffer.from(file.type === 'chunk' ? file.code : file.source).toString('utf8'),
  ]),
);
files.set('index.html', files.get('index.html')!.replace('</head>', `  ${PRELOADED}\n</head>`));
const committed = globSync('**/*.*', { cwd: target });
const stale = [
  ...committed.filter((name) => !files.has(name)),
  ...[...files]
    .filter(([name, text]) => !committed.includes(name) || read(name) !== text)
    .map(([name]) => name),
];

if (process.argv.includes('--check')) {
  if (stale.length > 0) {
    process.stdout.write(
      `stale files of the console: ${stale.join(', ')}. Run node scripts/generate-console-assets.ts\n`,
    );
    process.exitCode = 1;
  }
} else {
  rmSync(target, { recursive: true, force: true });
  for (const [name, text] of files) {
    mkdirSync(dirname(join(target, name)), { recursive: true });
    writeFileSync(join(target, name), text);
  }
}

function read(name: string): string {
  return readFileSync(join(target, name), 'utf8');
}
