import { execFile, execFileSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** Returns the reasons why the checked out commit cannot be released; none if it can. */
export function releaseProblems(workspace: string, version: string): string[] {
  if (!existsSync(join(workspace, '.git'))) return ['this is not a git checkout'];
  const git = (...args: string[]) => execFileSync('git', args, { cwd: workspace, encoding: 'utf8' }).trim();
  const problems: string[] = [];
  if (git('status', '--porcelain') !== '') problems.push('there are changes that are not committed');
  if (!git('tag', '--points-at', 'HEAD').split('\n').includes(`v${version}`))
    problems.push(`the commit does not have the tag v${version}`);
  for (const file of globSync('{packages,bench}/*/package.json', { cwd: workspace })) {
    const other = (JSON.parse(readFileSync(join(workspace, file), 'utf8')) as { version: string }).version;
    if (other !== version) problems.push(`${file} has version ${other}, and package.json ${version}`);
  }
  const section = changelogSection(readFileSync(join(workspace, 'CHANGELOG.md'), 'utf8'), version);
  if (section === undefined) problems.push(`CHANGELOG.md has no section "## ${version}, <date>"`);
  else if (section.date === undefined)
    problems.push(`the section of ${version} in CHANGELOG.md has no date: "## ${version}, 2026-01-31"`);
  return problems;
}

export interface ChangelogSection {
  /** Undefined: the heading has something else in its place, such as "not released yet". */
  readonly date: string | undefined;
  /** Returns the lines below the heading. */
  readonly text: string;
}

export function changelogSection(changelog: string, version: string): ChangelogSection | undefined {
  const section = changelog.split(/^## /m).find((text) => /^[\w.+-]+/.exec(text)?.[0] === version);
  if (section === undefined) return undefined;
  const [heading = '', ...lines] = section.split('\n');
  return { date: /, (\d{4}-\d{2}-\d{2})$/.exec(heading)?.[1], text: lines.join('\n').trim() };
}

/**
 * Asks the registry whether it would accept the package from us, since a name may belong to another package.
 * @returns the problem, if any
 */
export async function registryProblems(name: string, version: string, repository: string): Promise<string[]> {
  const args = ['view', name, 'repository.url', 'versions', '--json'];
  const { stdout, stderr, failed } = await promisify(execFile)('npm', args).then(
    (output) => ({ ...output, failed: false }),
    (error: { stdout: string; stderr: string }) => ({ ...error, failed: true }),
  );
  if (failed && /\bE404\b/.test(stdout + stderr)) return [];
  if (failed) return [`the registry did not answer the question about ${name}: ${stderr.trim()}`];
  const known = JSON.parse(stdout) as { 'repository.url'?: string; versions?: string | readonly string[] };
  const url = known['repository.url'] ?? 'an unknown repository';
  if (!url.includes(repository.replace('https:', '')))
    return [`the name ${name} belongs to another package in the registry, that of ${url}`];
  return [known.versions ?? []].flat().includes(version) ? [`${name} ${version} is published already`] : [];
}
