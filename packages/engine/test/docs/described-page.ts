import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseConfig } from '@tessera/config';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { missingFor } from './missing-programs.ts';
import { PageSession } from './page-session.ts';
import { pageSteps, type RunStep, type Step } from './page-steps.ts';
import { compareOutput } from './shown-output.ts';

const ROOT = join(import.meta.dirname, '../../../..');
const TIMEOUT_MS = 120_000;
/** The time within which a step marked as `soon` must give its output. */
const SOON_MS = 30_000;

/**
 * Executes pages from top to bottom, each block as one test. The pages share a directory and running servers:
 * a page that starts a server that already runs finds it, with the tables of earlier pages.
 */
export function describePages(paths: readonly string[]): void {
  let session: PageSession;
  beforeAll(async () => {
    session = await PageSession.open();
  });
  afterAll(() => session?.[Symbol.asyncDispose]());

  describe.each(paths)('%s', (path) => {
    beforeAll(() => session.turnPage());
    let failed: Step | undefined;
    const { steps } = pageSteps(readFileSync(join(ROOT, path), 'utf8'));
    it.for(steps.map((step) => [titleOf(step), step] as const))(
      '%s',
      { timeout: TIMEOUT_MS },
      async ([, step], { skip }) => {
        const missing = missingFor(step);
        if (missing !== undefined) skip(`${missing} is not installed here`);
        // A step may need the names that an earlier one found: `kill -9 32411` would end a process that is not ours.
        if (failed !== undefined) skip(`it follows line ${failed.line}, which failed`);
        failed = step;
        await tried(session, step);
        failed = undefined;
      },
    );
  });
}

const titleOf = (step: Step): string =>
  `line ${step.line}: ${step.kind === 'run' ? step.text.trim().split('\n')[0] : step.kind}`;

async function tried(session: PageSession, step: Step): Promise<void> {
  if (step.kind === 'file') return session.writeFile(step.name, step.text);
  if (step.kind === 'configuration') return checkConfiguration(step.text);
  if (step.output?.isSoon) await vi.waitFor(() => runStep(session, step), { timeout: SOON_MS });
  else await runStep(session, step);
}

async function runStep(session: PageSession, step: RunStep): Promise<void> {
  const { code, stdout, stderr } = await session.run(step.language, step.text);
  if (step.fails ? code === 0 : code !== 0) expect.fail(`ended with ${code}:\n${stdout}\n${stderr}`);
  if (step.output === undefined) return;
  const output = session.asShown(step.fails ? stdout + stderr : stdout);
  const { shown, given, renamed } = compareOutput(step.output, output);
  expect(given).toBe(shown);
  session.rename(renamed);
}

/** The environment that pages expect. */
const ENVIRONMENT = { ADMIN_PASSWORD: 'a password', TESSERA_MEMORY: '8GiB', TESSERA_THREADS: '4' };

/** Checks a complete configuration, or single blocks of one. */
function checkConfiguration(text: string): void {
  const whole = /^schema_version:/m.test(text) ? text : `schema_version: "1.0"\n${text}`;
  parseConfig(whole, 'page', ENVIRONMENT);
}
