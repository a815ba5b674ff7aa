import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTessera, type TesseraProcess } from '../tessera-process.ts';

/** A client in a language of its own, which tests itself. */
export interface ClientProgram {
  readonly title: string;
  /** Says why the client cannot run here; undefined where it can. */
  readonly missing: string | undefined;
  readonly source: string;
  /** Finds the names of its tests in the source. */
  readonly tests: RegExp;
  /** The command that runs it; the host and the port of the node are given as its last arguments. */
  readonly command: readonly [program: string, ...args: readonly string[]];
}

/**
 * Runs the program once against a node of its own. For every test it has to write a line, `ok name`, or `failed name: why`
 * (with `\n` for line ends).
 */
export function describeClientProgram({ title, missing, source, tests, command }: ClientProgram): void {
  const names = [...readFileSync(source, 'utf8').matchAll(tests)].map(([, name]) => name!);
  describe.skipIf(missing !== undefined)(
    missing === undefined ? title : `${title}: skipped, ${missing}`,
    () => {
      let node: TesseraProcess;
      let results: ReadonlyMap<string, string>;
      let output = '';
      beforeAll(async () => {
        node = await startTessera({ args: ['--postgres-port', '0'] });
        const [host = '', port = ''] = node.postgres.split(':');
        output = await ran(command, [host, port]);
        results = new Map(
          [...output.matchAll(/^(?:(ok) (\w+)|failed (\w+): (.*))$/gm)].map(([, ok, passed, failed, why]) =>
            ok === undefined ? [failed!, why!.replaceAll('\\n', '\n')] : [passed!, ok],
          ),
        );
      }, 120_000);
      afterAll(async () => {
        await node?.[Symbol.asyncDispose]();
      });

      it.each(names)('%s', (name) => {
        expect(results.get(name) ?? output).toBe('ok');
      });
    },
  );
}

function ran([program, ...args]: ClientProgram['command'], place: readonly string[]): Promise<string> {
  return new Promise((resolve) => {
    execFile(program, [...args, ...place], { timeout: 110_000 }, (_error, stdout, stderr) =>
      resolve(`${stdout}\n${stderr}`),
    );
  });
}
