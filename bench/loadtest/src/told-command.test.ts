import { expect, test } from 'vitest';
import { shownCommand } from './shown-command.ts';

test.for([
  ['--token', 'secret', '--token', '…'],
  ['--token=secret', '--token=…'],
  ['--peer-url', 'a=postgres://u:secret@h/d', '--peer-url', 'a=postgres://…@h/d'],
  ['--url=https://u:secret@h:1', '--url=https://…@h:1'],
  ['--json', '/data/me/run.json', '--json', 'run.json'],
  ['tpch', '--queries=q01', 'tpch', '--queries=q01'],
])('%j', (words) => {
  const middle = words.length / 2;
  expect(shownCommand(words.slice(0, middle))).toEqual(words.slice(middle));
});
