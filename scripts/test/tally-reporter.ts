import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { Reporter, SerializedError, TestCase, TestModule } from 'vitest/node';
import type { Tally } from './tally.ts';

/** Writes the {@link Tally} of a run as JSON to the file that `TESSERA_TEST_TALLY` names. */
export default class TallyReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], uncaught: readonly SerializedError[]): void {
    const file = process.env.TESSERA_TEST_TALLY;
    if (file !== undefined) writeFileSync(file, JSON.stringify(tallyOf(modules, uncaught)));
  }
}

function tallyOf(modules: readonly TestModule[], uncaught: readonly SerializedError[]): Tally {
  const tests = modules.flatMap((module) => [...module.children.allTests()]);
  const inState = (state: string) => tests.filter((test) => test.result().state === state);
  const skipped = inState('skipped');
  const unfinished = inState('pending');
  const broken = modules.filter(isBroken);
  return {
    passed: inState('passed').length,
    failed: inState('failed').length + unfinished.length + broken.length,
    skipped: skipped.length,
    skips: skipped.map((test) => ({
      test: `${place(test.module)} > ${test.fullName}`,
      reason: reasonOf(test),
    })),
    other: [
      ...broken.map(
        (module) => `${place(module)}: ${module.errors()[0]?.message ?? 'did not run to its end'}`,
      ),
      ...unfinished.map((test) => `${place(test.module)} > ${test.fullName}: did not end`),
      ...uncaught.map((error) => `uncaught: ${error.message}`),
    ],
  };
}

/**
 * Whether it failed outside of its tests: the file did not load, a hook of a suite failed, or the worker died
 * between tests.
 */
function isBroken(module: TestModule): boolean {
  const suites = [...module.children.allSuites()];
  const tests = [...module.children.allTests()];
  const ended = ['passed', 'failed', 'skipped'].includes(module.state());
  const cutShort = !ended && !tests.some((test) => test.result().state === 'pending');
  return cutShort || module.errors().length > 0 || suites.some((suite) => suite.errors().length > 0);
}

/** The reason given to `t.skip`, or in the name of the test or a suite: `(skipped where …)` or `: skipped, …`. */
function reasonOf(test: TestCase): string {
  const result = test.result();
  const note = result.state === 'skipped' ? result.note : undefined;
  return note ?? /(?:\(|: )skipped,? (.*?)(?:\)| > |$)/.exec(test.fullName)?.[1] ?? 'no reason given';
}

const place = (module: TestModule): string => relative(process.cwd(), module.moduleId);
