import { expect, it } from 'vitest';
import { pageSteps, type Step } from './page-steps.ts';

const page = (...lines: readonly string[]) => lines.join('\n');
const summary = (steps: readonly Step[]) =>
  steps.map((step) =>
    step.kind === 'run' ? [step.language, step.text, step.output?.text] : [step.kind, step.text],
  );

it('a block of data after a block that runs is its expected output, whatever is written between them', () => {
  const { steps, untried } = pageSteps(page('```sh', 'ls', '```', 'which answers', '', '```', 'a', '```'));
  expect(summary(steps)).toEqual([['sh', 'ls\n', 'a\n']]);
  expect(untried).toEqual([]);
});

it('a transcript becomes one step for each command', () => {
  const { steps } = pageSteps(page('```console', '$ echo "1', '> 2"', '1', '2', '$ true', '```'));
  expect(summary(steps)).toEqual([
    ['sh', 'echo "1\n2"\n', '1\n2\n'],
    ['sh', 'true\n', undefined],
  ]);
});

it.each([
  ['an answer to nothing', page('```', 'a', '```')],
  ['a language that nobody runs', page('```ruby', 'puts 1', '```')],
  ['a mark without a reason', page('<!-- not run: -->', '```ruby', 'puts 1', '```')],
  ['a second answer', page('```sh', 'ls', '```', '```', 'a', '```', '```', 'b', '```')],
])('%s is reported', (_what, text) => {
  expect(pageSteps(text).untried).toHaveLength(1);
});

it('a block that is marked with a reason is not executed', () => {
  const { steps, untried } = pageSteps(page('<!-- not run: needs a cluster -->', '```sh', 'kubectl', '```'));
  expect([steps, untried]).toEqual([[], []]);
});

it('blocks that another test executes are skipped, in their language, from the mark on', () => {
  const other = '<!-- every sql block is tried by: a.test.ts -->';
  const { steps } = pageSteps(page(other, '', 'text', '```sql', 'SELECT 1', '```', '```sh', 'ls', '```'));
  expect(summary(steps)).toEqual([['sh', 'ls\n', undefined]]);
});

it('comments give commands that readers do not see', () => {
  const { steps } = pageSteps(
    page('<!-- run: tessera serve -->', '', '<!-- file: a.yaml -->', '```yaml', 'a: 1', '```'),
  );
  expect(summary(steps)).toEqual([
    ['sh', 'tessera serve\n', undefined],
    ['file', 'a: 1\n'],
    ['configuration', 'a: 1\n'],
  ]);
});

it('an output may be expected only after some time', () => {
  const soon = ({ steps }: { readonly steps: readonly Step[] }) =>
    steps.map((step) => step.kind === 'run' && step.output?.isSoon);
  expect(soon(pageSteps(page('<!-- soon -->', '```console', '$ ls', 'a', '```')))).toEqual([true]);
  expect(soon(pageSteps(page('<!-- soon -->', '```sh', 'ls', '```', '```', 'a', '```')))).toEqual([true]);
  expect(soon(pageSteps(page('```console', '$ ls', 'a', '```')))).toEqual([false]);
});

it('a block that does not end is an error', () => {
  expect(() => pageSteps('```sh\nls')).toThrow('line 1');
});
