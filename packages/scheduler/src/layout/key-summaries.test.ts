import type { KeySummary, TaskOutcome } from '@tessera/distexec';
import { expect, test } from 'vitest';
import { mergeSummaries } from './key-summaries.ts';

const merged = (type: string, ...parts: readonly (Omit<KeySummary, 'column'> & { rows?: number })[]) =>
  mergeSummaries(
    { output: { columns: [{ name: 'k', type }], hashKeys: [], summarised: [0] } },
    parts.map(
      ({ rows = 1, ...part }) => ({ rows, summaries: [{ column: 0, ...part }] }) as unknown as TaskOutcome,
    ),
  );

test('values of all tasks are merged without duplicates', () => {
  const parts = [
    { min: '1', max: '3', values: ['1', '3'] },
    { min: '3', max: '10', values: ['3', '10'] },
  ];
  expect(merged('BIGINT', ...parts)).toEqual([{ column: 0, min: '1', max: '10', values: ['1', '3', '10'] }]);
});

test('bounds are compared by the rules of the type', () => {
  expect(merged('INTEGER', { min: '9', max: '9' }, { min: '10', max: '10' })).toMatchObject([
    { min: '9', max: '10' },
  ]);
  expect(
    merged('DECIMAL(9,2)', { min: '-9.50', max: '2.00' }, { min: '-10.00', max: '10.00' }),
  ).toMatchObject([{ min: '-10.00', max: '10.00' }]);
  expect(merged('DOUBLE', { min: '-inf', max: '1e3' }, { min: '2', max: 'nan' })).toMatchObject([
    { min: '-inf', max: 'nan' },
  ]);
  expect(merged('VARCHAR', { min: 'B', max: 'a' }, { min: 'A', max: 'ä' })).toMatchObject([
    { min: 'A', max: 'ä' },
  ]);
  expect(merged('DATE', { min: '2001-01-01', max: '2002-01-01' })).toMatchObject([{ min: '2001-01-01' }]);
});

test('there are no bounds for texts that cannot be compared', () => {
  const far = { min: '2001-01-01', max: '10000-01-01' };
  expect(merged('DATE', far, { min: '0044-03-15 (BC)', max: '2000-01-01' })).toEqual([
    { column: 0, values: undefined },
  ]);
  expect(merged('INTERVAL', { min: '1 day', max: '2 days' })).toEqual([{ column: 0, values: undefined }]);
});

test('if a task with rows reports no summary, no filter is built', () => {
  expect(merged('BIGINT', { min: '1', max: '3' }, {})).toEqual([]);
});

test('tasks without rows need no summary', () => {
  expect(merged('BIGINT', { min: '1', max: '3' }, { rows: 0 })).toMatchObject([{ min: '1', max: '3' }]);
  expect(merged('BIGINT', { rows: 0 })).toEqual([{ column: 0, values: [] }]);
});

test('Bloom filters are merged if there are too many values', () => {
  const few = { min: '1', max: '1', values: ['1'], bloom: new Uint8Array(1024).fill(1, 0, 1) };
  const many = { min: '3', max: '9', bloom: new Uint8Array(1024).fill(2, 0, 1) };
  const none = { values: [] };
  expect(merged('BIGINT', few, many, none)).toEqual([
    { column: 0, values: undefined, min: '1', max: '9', bloom: new Uint8Array(1024).fill(3, 0, 1) },
  ]);
  expect(merged('BIGINT', few, none)).toEqual([{ column: 0, min: '1', max: '1', values: ['1'] }]);
});

test('no filter is built if that of one task is missing', () => {
  const many = { min: '3', max: '9', bloom: new Uint8Array(1024) };
  expect(merged('BIGINT', many, { min: '4', max: '5' })).toEqual([
    { column: 0, values: undefined, min: '3', max: '9' },
  ]);
});
