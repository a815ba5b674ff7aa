import { expect, it } from 'vitest';
import { pageSteps, type Step } from './page-steps.ts';

const page = (...lines: readonly string[]) => lines.join('\n');
const summary = (steps: readonly Step[]) =>
  steps.map((step) =>
    step.kind === 'run' ? [step.language, step.text, step.output?.text] : [step.kind, step.text],
  );

it('a block that runs takes the block after it as its answer, whatever is written between them', () => {
  const { steps, untried } = pageSteps(page('```sh', 'ls', '```', 'which answers', '', '```', 'a', '```'));
  expect(summary(steps)).toEqual([['sh', 'ls\n', 'a\n']]);
  expect(untried).toEqual([]);
});

it('a transcript is a run for each command', () => {
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

it('a mark with a reason is enough', () => {
  const { steps, untried } = pageSteps(page('<!-- not run: needs a cluster -->', '```sh', 'kubectl', '```'));
  expect([steps, untried]).toEqual([[], []]);
});

it('blocks that another test runs are skipped from there on, in their language', () => {
  const other = '<!-- every sql block is tried by: a.test.ts -->';
  const { steps } = pageSteps(page(other, '', 'text', '```sql', 'SELECT 1', '```', '```sh', 'ls', '```'));
  expect(summary(steps)).toEqual([['sh', 'ls\n', undefined]]);
});

it('comments say what readers do not see', () => {
  const { steps } = pageSteps(
    page('<!-- run: tessera serve -->', '', '<!-- file: a.yaml -->', '```yaml', 'a: 1', '```'),
  );
  expect(summary(steps)).toEqual([
    ['sh', 'tessera serve\n', undefined],
    ['file', 'a: 1\n'],
    ['configuration', 'a: 1\n'],
  ]);
});

it('a block that does not end is an error', () => {
  expect(() => pageSteps('```sh\nls')).toThrow('line 1');
});
