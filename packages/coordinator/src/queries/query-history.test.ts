import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { asNodeName, asQueryId, type RequestId, TesseraError } from '@tessera/common';
import { openLocalStore } from '@tessera/object-store';
import { expect, onTestFinished, test } from 'vitest';
import { QueryActivity, QueryHistory } from './query-history.ts';

function ended(text: string, end: { error?: Error; abort?: TesseraError } = {}) {
  const activity = new QueryActivity();
  if (text !== '') activity.start({ user: 'ada' }, text);
  if (end.error !== undefined) activity.fail(end.error);
  const abort = new AbortController();
  if (end.abort !== undefined) abort.abort(end.abort);
  return {
    queryId: asQueryId(`q-${text.slice(0, 20) || 'none'}`),
    requestId: 'r' as RequestId,
    label: '',
    submittedAt: new Date(),
    signal: abort.signal,
    activity,
  };
}

const NODE = () => asNodeName('node-0');
const everything = (history: QueryHistory) => history.readBy(() => true);
const texts = async (history: QueryHistory) => (await everything(history)).map((query) => query.text);

test('a long text is truncated', async () => {
  const history = new QueryHistory(NODE);
  history.add(ended('x'.repeat(100_000)));
  expect((await texts(history))[0]).toHaveLength(65_536);
});

test('a request without a statement is not recorded as a query', async () => {
  const history = new QueryHistory(NODE);
  history.add(ended(''));
  expect(await texts(history)).toEqual([]);
});

test('how queries ended', async () => {
  const history = new QueryHistory(NODE);
  const cancelled = TesseraError.of('QUERY_CANCELLED', { reason: 'a user' });
  history.add(ended('fine'));
  history.add(ended('wrong', { error: new Error('no') }));
  history.add(ended('stopped', { abort: cancelled }));
  history.add(ended('late', { abort: TesseraError.of('STATEMENT_TIMEOUT', { timeoutMs: 5 }) }));
  expect((await everything(history)).map(({ status, errorMessage }) => [status, errorMessage])).toEqual([
    ['ENDED_SUCCESSFULLY', undefined],
    ['FAILED', 'no'],
    ['CANCELED', 'Query cancelled: a user'],
    ['FAILED', 'Statement timed out after 5 ms'],
  ]);
});

test.for([
  ['SHOW TABLES', true],
  [' set a = 1', true],
  ['SELECT * FROM information_schema.tables', true],
  ['SELECT 1', false],
  ['INSERT INTO shows VALUES (1)', false],
] as const)('%s: of the system %s', async ([text, isSystemQuery]) => {
  const history = new QueryHistory(NODE);
  history.add(ended(text));
  expect((await everything(history))[0]).toMatchObject({ isSystemQuery });
});

test('a process that follows reads the queries of the one before, with their node, times and normalized text', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'query-history-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  const store = await openLocalStore(directory, { fsync: false });
  const place = (node: number) => ({ store, prefix: 'history/e/c/', node, log: {} as never });
  const first = new QueryHistory(NODE, place(0));
  first.add(ended('SELECT 1'));
  await first.close();
  const second = new QueryHistory(() => asNodeName('node-1'), place(1));
  second.add(ended('SELECT 2'));
  const [before, own, ...rest] = await everything(second);
  await second.close();
  expect(rest).toEqual([]);
  expect(before).toMatchObject({ text: 'SELECT 1', node: 'node-0', normalizedText: own!.normalizedText });
  expect(before!.endedAt).toBeInstanceOf(Date);
  expect(before!.submittedAt).toBeInstanceOf(Date);
  expect(own).toMatchObject({ text: 'SELECT 2', node: 'node-1' });
});
