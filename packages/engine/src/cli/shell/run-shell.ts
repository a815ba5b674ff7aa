import { text } from 'node:stream/consumers';
import manifest from '../../../package.json' with { type: 'json' };
import { CommandFailure, EXIT } from '../exit-code.ts';
import type { Server } from '../query/server.ts';
import { Display } from './display.ts';
import type { EmbeddedEngine } from './embedded-engine.ts';
import { namedFiles } from './local-files.ts';
import type { ShellFormat } from './result-text.ts';
import { Shell } from './shell.ts';
import { ShellSession } from './shell-session.ts';

export interface ShellFlags {
  readonly dataDir?: string;
  readonly command?: string;
  readonly format?: ShellFormat;
  readonly database?: string;
  readonly onError: 'stop' | 'continue';
}

/** Results on a terminal are truncated after this many rows; users can change the limit. */
const MAX_ROWS = 1_000;
/** Results in a pipe, in a format for people. */
const MAX_ROWS_IN_PIPE = 100_000;

/**
 * Runs a shell against a server, or against an engine that ends with the shell.
 * @throws CommandFailure if a script failed, or if there is no engine
 */
export async function runShell(
  engine: Server | EmbeddedEngine,
  files: readonly string[],
  flags: ShellFlags,
): Promise<void> {
  await using resources = new AsyncDisposableStack();
  const isOwn = Symbol.asyncDispose in engine;
  if (isOwn) resources.use(engine);
  const named = namedFiles(files);
  const isInteractive = flags.command === undefined && process.stdin.isTTY === true;
  const server = isOwn ? engine.url.then((url) => ({ url, localFileKey: engine.localFileKey })) : engine;
  const session = new ShellSession(server, flags.database === undefined ? {} : { database: flags.database });
  resources.defer(() => session.close());
  const options = {
    format: flags.format ?? ('box' as const),
    expanded: false,
    timing: isInteractive,
    maxRows: process.stdout.isTTY === true ? MAX_ROWS : MAX_ROWS_IN_PIPE,
  };
  const display = new Display(process, options, isInteractive && process.stdout.isTTY === true);
  const shell = new Shell({ session, display, io: process, files: named, onError: flags.onError });
  process.on('SIGINT', () => {
    if (!shell.interrupt() && !isInteractive) process.exitCode = EXIT.interrupted;
  });
  // A closed terminal ends the shell, which must not leave its engine and directory behind.
  for (const signal of ['SIGHUP', 'SIGTERM'] as const)
    process.on(signal, () => void resources.disposeAsync().then(() => process.exit(EXIT.interrupted)));
  if (!isInteractive) {
    const isDone = await shell.runScript(flags.command ?? (await text(process.stdin)));
    await display.sendTo(undefined);
    if (isDone && shell.failures === 0) return;
    throw new CommandFailure(
      EXIT.queryError,
      isDone ? `${shell.failures} ${shell.failures === 1 ? 'statement' : 'statements'} failed` : '',
    );
  }
  display.say(greeting(isOwn ? undefined : engine, named, flags.dataDir));
  // The user can type while the engine starts. The shell ends if it does not start.
  const failed = isOwn ? engine.url.then(() => new Promise<never>(() => {})) : new Promise<never>(() => {});
  try {
    await Promise.race([shell.interact(), failed]);
  } finally {
    shell.close();
  }
}

function greeting(
  server: Server | undefined,
  named: ReadonlyMap<string, string>,
  directory: string | undefined,
): string {
  const where =
    server !== undefined
      ? `connected to ${server.url}`
      : directory === undefined
        ? 'an engine for this session; its tables are gone when it ends'
        : `an engine with the tables of ${directory}`;
  return [
    `Tessera ${manifest.version}: ${where}. \\? shows help.`,
    ...[...named].map(([name, path]) => `  ${name} is ${path}`),
  ].join('\n');
}
