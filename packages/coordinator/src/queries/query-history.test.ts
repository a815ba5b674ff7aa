import { asQueryId, type RequestId, TesseraError } from '@tessera/common';
import { expect, test } from 'vitest';
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

const texts = (history: QueryHistory) => [...history].map((query) => query.text);

test('the oldest queries leave when there are too many', () => {
  const history = new QueryHistory(2, 1000);
  for (const text of ['a', 'b', 'c']) history.add(ended(text));
  expect(texts(history)).toEqual(['b', 'c']);
});

test('and when their texts are too long together', () => {
  const history = new QueryHistory(100, 10);
  for (const text of ['aaaa', 'bbbb', 'cccc']) history.add(ended(text));
  expect(texts(history)).toEqual(['bbbb', 'cccc']);
  history.add(ended('d'.repeat(11)));
  expect(texts(history)).toEqual([]);
});

test('a long text is cut', () => {
  const history = new QueryHistory();
  history.add(ended('x'.repeat(100_000)));
  expect(texts(history)[0]).toHaveLength(65_536);
});

test('a request that never became a statement is no query', () => {
  const history = new QueryHistory();
  history.add(ended(''));
  expect(texts(history)).toEqual([]);
});

test('how queries ended', () => {
  const history = new QueryHistory();
  const cancelled = TesseraError.of('QUERY_CANCELLED', { reason: 'a user' });
  history.add(ended('fine'));
  history.add(ended('wrong', { error: new Error('no') }));
  history.add(ended('stopped', { abort: cancelled }));
  history.add(ended('late', { abort: TesseraError.of('STATEMENT_TIMEOUT', { timeoutMs: 5 }) }));
  expect([...history].map(({ status, errorMessage }) => [status, errorMessage])).toEqual([
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
] as const)('%s: of the system %s', ([text, isSystemQuery]) => {
  const history = new QueryHistory();
  history.add(ended(text));
  expect([...history][0]).toMatchObject({ isSystemQuery });
});
