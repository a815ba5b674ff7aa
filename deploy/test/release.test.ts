import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { isAllowed, licenseProblems } from '../npm/licenses.ts';
import { changelogSection, registryProblems, releaseProblems } from '../npm/release-problems.ts';

describe('a commit that is to be released', () => {
  let root: string;
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], { cwd: root });
  const write = (file: string, text: string) => writeFileSync(join(root, file), text);
  const commit = () => {
    git('add', '.');
    git('commit', '-qm', 'a commit');
  };
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'tessera-release-'));
    git('init', '-q');
    mkdirSync(join(root, 'packages/a'), { recursive: true });
    write('packages/a/package.json', '{ "version": "1.2.0" }');
    write('CHANGELOG.md', '# Changelog\n\n## 1.2.0, 2026-03-01\n\nGood.\n\n## 1.1.0, 2026-01-01\n');
    commit();
    git('tag', 'v1.2.0');
  });
  afterEach(() => rmSync(root, { recursive: true }));

  it('has a tag, one version and a dated section of the changelog', () => {
    expect(releaseProblems(root, '1.2.0')).toEqual([]);
  });

  it('is refused if any of these is missing', () => {
    write('packages/a/package.json', '{ "version": "1.3.0" }');
    write('CHANGELOG.md', '## 1.2.0, not released yet\n');
    expect(releaseProblems(root, '1.2.0')).toEqual([
      'there are changes that are not committed',
      'packages/a/package.json has version 1.3.0, and package.json 1.2.0',
      'the section of 1.2.0 in CHANGELOG.md has no date: "## 1.2.0, 2026-01-31"',
    ]);
    commit();
    expect(releaseProblems(root, '1.3.0')).toEqual([
      'the commit does not have the tag v1.3.0',
      'CHANGELOG.md has no section "## 1.3.0, <date>"',
    ]);
  });

  it('has its section of the changelog as release notes', () => {
    const changelog = '# Changelog\n\n## 1.2.0, 2026-03-01\n\n### Added\n\n- More.\n\n## 1.1.0, 2026-01-01\n';
    expect(changelogSection(changelog, '1.2.0')).toEqual({
      date: '2026-03-01',
      text: '### Added\n\n- More.',
    });
  });
});

interface Known {
  readonly repository?: { readonly url: string };
  readonly version?: string;
}

it.each<[string, Known | undefined, RegExp | undefined]>([
  [
    'of somebody else',
    { repository: { url: 'git+https://github.com/other/tessera.git' } },
    /belongs to another package/,
  ],
  ['without a repository', {}, /belongs to another package/],
  ['of ours', { repository: { url: 'git+https://github.com/tessera-sql/tessera.git' } }, undefined],
  [
    'of ours, with this version',
    { repository: { url: 'git+https://github.com/tessera-sql/tessera.git' }, version: '1.2.0' },
    /published already/,
  ],
  ['that nobody has', undefined, undefined],
])('asks the registry about a name %s', async (_, known, problem) => {
  const version = known?.version ?? '1.0.0';
  const published = { ...known, name: 'tessera', version, dist: {} };
  const body = {
    name: 'tessera',
    'dist-tags': { latest: version },
    versions: { [version]: published },
    ...known,
  };
  const server = createServer((_, response) => {
    response.writeHead(known === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(known === undefined ? { error: 'Not found' } : body));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const cache = mkdtempSync(join(tmpdir(), 'tessera-npm-cache-'));
  vi.stubEnv('npm_config_registry', `http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  vi.stubEnv('npm_config_cache', cache);
  try {
    const problems = await registryProblems('tessera', '1.2.0', 'https://github.com/tessera-sql/tessera');
    expect(problems).toEqual(problem === undefined ? [] : [expect.stringMatching(problem)]);
  } finally {
    vi.unstubAllEnvs();
    server.close();
    rmSync(cache, { recursive: true });
  }
});

it.each([
  ['MIT', true],
  ['(MIT OR GPL-3.0-only)', true],
  ['Apache-2.0 AND (BSD-3-Clause OR LGPL-2.1-only)', true],
  ['Apache-2.0 AND GPL-3.0-only', false],
  ['GPL-2.0-only WITH Classpath-exception-2.0', false],
  ['SEE LICENSE IN LICENSE', false],
  ['MIT GPL-3.0-only', false],
  ['', false],
])('a package with the licence "%s" is allowed: %s', (license, allowed) => {
  expect(isAllowed(license)).toBe(allowed);
  const party = {
    name: 'a',
    version: '1.0.0',
    source: 'https://a.example',
    needs: [],
    binaries: [],
    isDirect: true,
  };
  expect(licenseProblems([{ ...party, license }])).toHaveLength(allowed ? 0 : 1);
});
