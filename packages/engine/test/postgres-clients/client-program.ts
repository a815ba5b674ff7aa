import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SharedNode, takeSharedNode } from '../shared-node.ts';

/** A test program in another language that tests its client library. */
export interface ClientProgram {
  readonly title: string;
  /** The reason why the client cannot run here; undefined if it can. */
  readonly missing: string | undefined;
  readonly source: string;
  /** Matches the names of its tests in the source. */
  readonly tests: RegExp;
  /** The command that runs it; the host and port of the node are appended as arguments. */
  readonly command: readonly [program: string, ...args: readonly string[]];
}

/**
 * Runs the program once against a new node. For every test it must print one line, `ok name`, or `failed
 * name: why` (with `\n` for line ends).
 */
export function describeClientProgram({ title, missing, source, tests, command }: ClientProgram): void {
  const names = [...readFileSync(source, 'utf8').matchAll(tests)].map(([, name]) => name!);
  describe.skipIf(missing !== undefined)(
    missing === undefined ? title : `${title}: skipped, ${missing}`,
    () => {
      let node: SharedNode;
      let results: ReadonlyMap<string, string>;
      let output = '';
      beforeAll(async () => {
        node = await takeSharedNode();
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
