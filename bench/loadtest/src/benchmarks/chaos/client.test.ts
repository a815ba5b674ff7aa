import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { WrongAnswer } from '../../load/session.ts';
import { Client } from './client.ts';
import { Journal } from './journal.ts';

let status: number;
let answer: string;
const server = createServer((_, response) => response.writeHead(status).end(answer));
const urls: string[] = [];

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const gone = createServer();
  await new Promise<void>((resolve) => gone.listen(0, '127.0.0.1', resolve));
  for (const one of [gone, server]) urls.push(`http://127.0.0.1:${(one.address() as AddressInfo).port}`);
  await new Promise((resolve) => gone.close(resolve));
});
afterAll(() => void server.close());

async function ask(work: (rows: unknown[][]) => void) {
  const journal = new Journal();
  const client = new Client(urls, journal, 0);
  const failure = await client
    .at(async (session) => work(await session.query('SELECT 1')))
    .then(
      () => undefined,
      (error: unknown) => error,
    );
  await client.close();
  return { journal, failure };
}

test('a request that a dead node does not answer is sent to another node', async () => {
  [status, answer] = [200, '{"data":[[1]]}'];
  const { journal } = await ask((rows) => expect(rows).toEqual([[1]]));
  expect([journal.answered, journal.elsewhere, journal.refused]).toEqual([1, 1, 0]);
  expect([...journal.failures]).toEqual([['ECONNREFUSED', 1]]);
});

test('a request that no node answers counts as refused', async () => {
  [status, answer] = [503, '{"errors":[{"code":"57P03"}]}'];
  const { journal } = await ask(() => undefined);
  expect([journal.answered, journal.refused, journal.availability]).toEqual([0, 1, 0]);
  expect(journal.failures.get('HTTP 503 57P03')).toBe(1);
});

test('after a wrong answer, the request is not sent to another node', async () => {
  [status, answer] = [200, '{"data":[[2]]}'];
  const { failure } = await ask(() => {
    throw new WrongAnswer('2 in place of 1');
  });
  expect(failure).toBeInstanceOf(WrongAnswer);
});
