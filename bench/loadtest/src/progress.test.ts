import { expect, test } from 'vitest';
import { progressTo, timesOf } from './progress.ts';

function output(isTTY: boolean, columns = 40) {
  const written: string[] = [];
  return { isTTY, columns, written, write: (text: string) => written.push(text) };
}

test('on a terminal, one line is rewritten, truncated to the width, and cleared at the end', () => {
  const terminal = output(true);
  const progress = progressTo(terminal);
  progress.benchmark('tpch');
  progress.doing('a step with a name that is far too long for it', 0.5);
  progress.stop();
  expect(terminal.written.every((text) => text.startsWith('\r\u001b[2K') && !text.includes('\n'))).toBe(true);
  expect(terminal.written[1]!.replace('\r\u001b[2K', '')).toHaveLength(39);
  expect(terminal.written.at(-1)).toBe('\r\u001b[2K');
});

test('elsewhere each step is printed as a line', () => {
  const file = output(false);
  const progress = progressTo(file);
  progress.benchmark('tpch');
  progress.doing('loading', undefined);
  progress.doing('tpch: run 1', 0.5);
  progress.stop();
  expect(file.written).toEqual(['… tpch: loading\n', '… tpch: run 1\n']);
});

test('the remaining time is estimated from the pace so far', () => {
  expect(timesOf(65, undefined)).toBe('1:05');
  expect(timesOf(30, 0.25)).toBe('25 % · 0:30, 1:30 left');
});
