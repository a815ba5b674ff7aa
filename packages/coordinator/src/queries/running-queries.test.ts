import { asQueryId, newRequestId, TesseraError } from '@tessera/common';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { RunningQueries } from './running-queries.ts';

const identity = (id: string, user = 'ada') => ({
  queryId: asQueryId(id),
  requestId: newRequestId(),
  label: '',
  user,
});
const cancelled = TesseraError.of('QUERY_CANCELLED', { reason: 'test' });

describe('RunningQueries', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('cancels by id, with the reason that is given', () => {
    const queries = new RunningQueries();
    const query = queries.add(identity('a'));
    expect(queries.cancel(asQueryId('b'), cancelled)).toBe(false);
    expect(query.signal.aborted).toBe(false);
    expect(queries.cancel(asQueryId('a'), cancelled)).toBe(true);
    expect(query.signal.reason).toBe(cancelled);
  });

  it('cancels queries of one user, if it is to', () => {
    const queries = new RunningQueries();
    const query = queries.add(identity('a', 'ada'));
    expect(queries.cancel(asQueryId('a'), cancelled, 'bob')).toBe(false);
    expect(query.signal.aborted).toBe(false);
    expect(queries.cancel(asQueryId('a'), cancelled, 'ada')).toBe(true);
    expect(query.signal.aborted).toBe(true);
  });

  it('refuses the id of a running query, and accepts it again afterwards', () => {
    const queries = new RunningQueries();
    queries.add(identity('a'));
    expect(() => queries.add(identity('a'))).toThrow(expect.objectContaining({ name: 'QUERY_ID_IN_USE' }));
    queries.remove(asQueryId('a'));
    expect(() => queries.add(identity('a'))).not.toThrow();
  });

  it('a deadline cancels a query as a timeout, unless the query has ended', () => {
    const queries = new RunningQueries();
    const [late, ended] = [queries.add(identity('late')), queries.add(identity('ended'))];
    late.setDeadline(100);
    ended.setDeadline(100);
    queries.remove(asQueryId('ended'));
    vi.advanceTimersByTime(99);
    expect(late.signal.aborted).toBe(false);
    vi.advanceTimersByTime(1);
    expect(late.signal.reason).toMatchObject({ name: 'STATEMENT_TIMEOUT' });
    expect(ended.signal.aborted).toBe(false);
  });

  it('a deadline beyond 2^31 milliseconds is not passed at once', () => {
    const query = new RunningQueries().add(identity('patient'));
    query.setDeadline(3_000_000_000);
    vi.advanceTimersByTime(2_999_999_999);
    expect(query.signal.aborted).toBe(false);
    vi.advanceTimersByTime(1);
    expect(query.signal.reason).toMatchObject({ name: 'STATEMENT_TIMEOUT' });
  });

  it('is idle once the last query has ended', async () => {
    const queries = new RunningQueries();
    await queries.idle();
    queries.add(identity('a'));
    queries.add(identity('b'));
    let idle = false;
    const waited = queries.idle().then(() => {
      idle = true;
    });
    queries.remove(asQueryId('a'));
    await Promise.resolve();
    expect(idle).toBe(false);
    queries.remove(asQueryId('b'));
    await waited;
    expect(idle).toBe(true);
  });
});
