import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import type { Step } from './page-steps.ts';

const PROGRAMS = ['psql', 'isql', 'jq', 'openssl', 'curl'];

const isThere = (program: string, ...args: readonly string[]): boolean =>
  spawnSync(program, args, { stdio: 'ignore' }).status === 0;

/** A description of what a step needs and this machine lacks; undefined if nothing is missing. */
export function missingFor(step: Step): string | undefined {
  if (step.kind !== 'run') return undefined;
  const { language, text } = step;
  const programs = language === 'sh' ? PROGRAMS.filter((name) => new RegExp(`\\b${name} `).test(text)) : [];
  const missing = programs.find((name) => !isThere('which', name));
  if (missing !== undefined) return missing;
  if (language === 'python') {
    const [module = 'json'] = /\bpsycopg2\b/.exec(text) ?? [];
    return isThere('/usr/bin/python3', '-c', `import ${module}`) ? undefined : `python3 with ${module}`;
  }
  if (language !== 'java') return undefined;
  if (!isThere('javac', '-version')) return 'a JDK';
  const driver = '/usr/share/java/postgresql.jar';
  return text.includes('jdbc:') && !existsSync(driver) ? driver : undefined;
}
