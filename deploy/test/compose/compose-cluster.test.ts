import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parse, stringify } from 'yaml';
import { startS3DevServer } from '../../../packages/object-store/src/index.ts';
import { type RunningNode, startNode } from '../running-node.ts';
import { commandOf, nodeServices, readComposeFile, WORKSPACE } from './compose-file.ts';

const MAIN = fileURLToPath(new URL('../../../packages/engine/src/main.ts', import.meta.url));

describe.skipIf(process.env.TESSERA_COMPOSE !== 'all')(
  'the nodes of docker-compose.yml as processes, each at an address of its own (skipped without TESSERA_COMPOSE=all)',
  () => {
    it('share tables, continue when one is killed, and drain', async () => {
      const directory = mkdtempSync(join(tmpdir(), 'tessera-compose-'));
      onTestFinished(() => rmSync(directory, { recursive: true }));
      const nodes = nodeServices(readComposeFile());
      const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } =
        nodes[0]![1].environment!;
      const credentials = { accessKeyId: accessKeyId!, secretAccessKey: secretAccessKey! };
      const store = await startS3DevServer({ directory: join(directory, 'store'), port: 0, credentials });
      onTestFinished(() => store.close());

      const hosts = nodes.map((_, i) => `127.83.${1 + (process.pid % 250)}.${1 + i}`);
      const config = parse(readFileSync(join(WORKSPACE, 'deploy/compose/tessera.yaml'), 'utf8'));
      config.storage.minio.endpoint = store.endpoint;
      for (const [i, host] of hosts.entries()) config.engine.nodes[i].host = host;
      const configPath = join(directory, 'tessera.yaml');
      writeFileSync(configPath, stringify(config));

      const [first, second, third] = (await Promise.all(
        nodes.map(async ([name, { command, environment }], i) => {
          const here = new Map([
            ['/etc/tessera/tessera.yaml', configPath],
            ['/var/lib/tessera', join(directory, name)],
            ['0.0.0.0', hosts[i]!],
          ]);
          const words = commandOf(command).map((word) => here.get(word) ?? word);
          const node = await startNode([process.execPath, MAIN, ...words], { ...environment });
          onTestFinished(() => node[Symbol.asyncDispose]());
          return node;
        }),
      )) as [RunningNode, RunningNode, RunningNode];

      expect(await answer(first, 'CREATE TABLE t (n int)')).toMatch(/^200/);
      expect(await answer(second, 'INSERT INTO t SELECT n FROM generate_series(1, 1000) AS g(n)')).toMatch(
        /^200/,
      );
      const everywhere = 'SELECT sum(n) FROM t WITH (min_distributed_bytes = 0)';
      for (const node of [first, second, third])
        expect(await answer(node, everywhere)).toBe('200 sum 500500');
      expect(await answer(first, RUNNING)).toBe('200 count 3');

      third.child.kill('SIGKILL');
      expect(await answer(first, everywhere)).toBe('200 sum 500500');
      await expect.poll(() => answer(first, RUNNING)).toBe('200 count 2');

      second.child.kill('SIGTERM');
      expect(await second.exited).toBe(0);
      expect(await answer(first, everywhere)).toBe('200 sum 500500');
    }, 240_000);
  },
);

const RUNNING = "SELECT count(*) FROM information_schema.nodes WHERE status = 'RUNNING'";

/** Returns the status, the name of the column and its single value. */
async function answer(node: RunningNode, sql: string): Promise<string> {
  const url = `${node.addresses.get('query')}?output_format=TabSeparatedWithNames`;
  const response = await fetch(url, { method: 'POST', body: sql });
  return `${response.status} ${(await response.text()).trim().replaceAll('\n', ' ')}`;
}
