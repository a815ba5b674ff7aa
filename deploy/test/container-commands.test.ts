import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';

const ROOT = join(import.meta.dirname, '../..');
const CHART = 'deploy/kubernetes/tessera';
const PAGES = ['README.md', 'docs/*.md', 'docs/guides/*.md', 'deploy/**/*.md'].flatMap((pattern) =>
  globSync(pattern, { cwd: ROOT }),
);

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const compose = parse(read('docker-compose.yml'), { merge: true }) as {
  readonly services: Readonly<Record<string, { readonly profiles?: readonly string[] }>>;
};
const values = parse(read(`${CHART}/values.yaml`)) as Readonly<Record<string, unknown>>;

/** The commands of pages that require a container engine or a Kubernetes cluster, each split into words. */
const commands = PAGES.filter((page) => !page.includes('node_modules')).flatMap((page) =>
  [...read(page).matchAll(/^ *```sh\n([\s\S]*?)^ *```/gm)].flatMap(([, block = '']) =>
    block
      .replaceAll('\\\n', ' ')
      .split('\n')
      .map((line) => line.trim().split(/\s+/))
      .filter(([program]) => program === 'docker' || program === 'helm' || program === 'kubectl')
      .map((words) => ({ page, line: words.join(' '), words })),
  ),
);

it('some pages have such commands', () => {
  expect(new Set(commands.map(({ words }) => words[0]))).toEqual(new Set(['docker', 'helm', 'kubectl']));
});

describe.each(commands)('$page: $line', ({ words }) => {
  it('names what there is', () => {
    if (words[0] === 'docker') checkDocker(words);
    else if (words[0] === 'helm') checkHelm(words);
    else checkKubectl(words);
  });
});

function checkDocker(words: readonly string[]): void {
  for (const file of optionValues(words, '-f', '--file'))
    expect(existsSync(join(ROOT, file)), file).toBe(true);
  if (words[1] !== 'compose') return;
  const profiles = Object.values(compose.services).flatMap((service) => service.profiles ?? []);
  expect(profiles).toEqual(expect.arrayContaining(optionValues(words, '--profile')));
  const named = words.filter((word) => /^(?:node-|minio|prometheus|grafana)/.test(word));
  expect(Object.keys(compose.services)).toEqual(expect.arrayContaining(named));
}

function checkHelm(words: readonly string[]): void {
  if (words[1] !== 'install' && words[1] !== 'upgrade' && words[1] !== 'template') return;
  expect(words).toContain(CHART);
  for (const file of optionValues(words, '-f', '--values'))
    if (file.includes('/')) expect(existsSync(join(ROOT, file)), file).toBe(true);
  for (const assignment of optionValues(words, '--set', '--set-string'))
    expect(hasValue(assignment.split('=')[0]!.split('.')), assignment).toBe(true);
}

/** Objects of a release have the name of the release. */
function checkKubectl(words: readonly string[]): void {
  const kinds = words.flatMap((word) => /^(statefulset|service|pod)\/[a-z0-9-]+$/.exec(word)?.[1] ?? []);
  const templates = globSync(`${CHART}/templates/*.yaml`, { cwd: ROOT }).map(read).join('\n');
  for (const kind of kinds)
    if (kind !== 'pod') expect(templates.toLowerCase()).toMatch(new RegExp(`^kind: ${kind}$`, 'm'));
}

const optionValues = (words: readonly string[], ...names: readonly string[]): string[] =>
  words.flatMap((word, i) => {
    if (names.includes(word)) return [words[i + 1] ?? ''];
    const name = names.find((candidate) => word.startsWith(`${candidate}=`));
    return name === undefined ? [] : [word.slice(name.length + 1)];
  });

/** Whether the chart knows the value; below `config` stands the engine's configuration, which is checked elsewhere. */
function hasValue(path: readonly string[], from: unknown = values): boolean {
  const [name, ...rest] = path;
  if (name === undefined || path[0] === 'config') return true;
  if (typeof from !== 'object' || from === null || !Object.hasOwn(from, name)) return false;
  return hasValue(rest, (from as Record<string, unknown>)[name]);
}
