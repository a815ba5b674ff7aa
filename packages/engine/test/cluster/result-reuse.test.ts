import { once } from 'node:events';
import { SeededRandom } from '@tessera/common';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Answer, query } from '../http.ts';
import { EngineCluster } from './engine-cluster.ts';
import { metric } from './metrics.ts';

const TIMEOUT_MS = 120_000;
const WRITERS = 3;
const READERS = 6;
const WRITES = 8;
const LEADS = 'tessera_metadata_role{role="leader"}';

/** Enough rows for results to be kept. */
const DEFINITIONS = [
  'CREATE TABLE events (writer INT, seq INT, filler BIGINT) PRIMARY INDEX filler',
  'INSERT INTO events SELECT n % 3, 0, n FROM generate_series(1, 12000) AS g(n)',
  'CREATE TABLE levels (writer INT, seq INT, id INT) PRIMARY INDEX id',
  'INSERT INTO levels SELECT CASE WHEN n <= 3 THEN n - 1 ELSE 99 END, 0, n FROM generate_series(1, 12000) AS g(n)',
  'CREATE VIEW newest AS SELECT writer, max(seq) AS seq FROM events GROUP BY writer',
];

/** Each returns the last number of every writer that it sees, in the order of the writers. */
const QUESTIONS = [
  'SELECT max(seq) FROM events GROUP BY writer ORDER BY writer',
  'SELECT seq FROM newest ORDER BY writer',
  'SELECT max(seq) FROM levels WHERE writer < 99 GROUP BY writer ORDER BY writer',
  `SELECT greatest(n.seq, max(l.seq)) FROM newest n JOIN levels l USING (writer) GROUP BY n.writer, n.seq ORDER BY n.writer`,
  // Parts, whose rows are kept on their own.
  'WITH n AS (SELECT writer, max(seq) AS seq FROM events GROUP BY writer) SELECT seq FROM n ORDER BY writer',
  `SELECT greatest(n.seq, l.seq)
   FROM (SELECT writer, max(seq) AS seq FROM events GROUP BY writer) n
     JOIN (SELECT writer, max(seq) AS seq FROM levels WHERE writer < 99 GROUP BY writer) l USING (writer)
   ORDER BY n.writer`,
];

let cluster: EngineCluster;
beforeAll(async () => {
  cluster = await EngineCluster.start({ nodes: 3, reusesResults: true });
  for (const sql of DEFINITIONS) await must(0, sql);
}, TIMEOUT_MS);
afterAll(() => cluster?.[Symbol.asyncDispose]());

async function must(
  node: number,
  sql: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const answer = await query(cluster.node(node), sql, { output_format: 'JSON_Compact', ...settings });
  expect(answer.status, `${sql}\n${answer.text}`).toBe(200);
  return answer;
}

/** The last number of each writer whose commit was acknowledged, and that it has sent. */
class Writes {
  readonly acknowledged = Array<number>(WRITERS).fill(0);
  readonly sent = Array<number>(WRITERS).fill(0);
  /** Resolves after the next acknowledgement, or the next answer of a reader. */
  readonly events = new EventTarget();

  async write(writer: number, node: number): Promise<void> {
    const seq = ++this.sent[writer]!;
    await must(
      node,
      seq % 2 === 0
        ? `UPDATE levels SET seq = ${seq} WHERE id = ${writer + 1}`
        : `INSERT INTO events VALUES (${writer}, ${seq}, ${-seq})`,
    );
    this.acknowledged[writer] = seq;
  }
}

/** Whether the answer contains everything that was acknowledged before, of the kind that its tables hold. */
function staleness(question: string, before: readonly number[], answer: Answer): string | undefined {
  const seen = answer.json().data.map(([value]: [number]) => value) as number[];
  const isStale = before.some((last, writer) => seen[writer]! < lastIn(question, last));
  return isStale ? `${question}: ${seen} although ${before} was acknowledged` : undefined;
}

/** Odd numbers are in `events`, even ones in `levels`. */
const lastIn = (question: string, last: number): number => {
  if (question.includes('JOIN')) return last;
  const isOdd = !question.includes('levels');
  return last > 0 && (last % 2 === 1) !== isOdd ? last - 1 : last;
};

const hits = async (name = 'tessera_result_cache_hits_total'): Promise<number> =>
  (await Promise.all([0, 1, 2].map((n) => metric(cluster.node(n), name)))).reduce(
    (sum, count) => sum + count,
  );

/**
 * How many answers of two equal questions were reused. It can be none, because a merge of small tablets, which follows
 * commits in its own time, makes the kept results outdated.
 */
async function reuses(ask: () => Promise<unknown>): Promise<number> {
  const before = await hits();
  await ask();
  await ask();
  return (await hits()) - before;
}

it(
  'no reader on any node gets a result older than a commit that was acknowledged before',
  async () => {
    const writes = new Writes();
    const stale: string[] = [];
    let answers = 0;
    let isOver = false;
    const reader = async (n: number) => {
      const random = new SeededRandom(n);
      while (!isOver) {
        const question = random.pick(QUESTIONS);
        const before = [...writes.acknowledged];
        const settings = { enable_result_cache: random.pick(['true', 'false']), subresult_min_rows: '1' };
        const answer = await must(n % 3, question, settings);
        stale.push(...[staleness(question, before, answer)].filter((one) => one !== undefined));
        answers += 1;
        writes.events.dispatchEvent(new Event('answer'));
      }
    };
    const writer = async (n: number) => {
      for (let i = 0; i < WRITES; i++) {
        await writes.write(n, (n + i) % 3);
        // Every reader may repeat its questions before the next change.
        for (const until = answers + 2 * READERS; answers < until; ) await once(writes.events, 'answer');
      }
    };
    const readers = Array.from({ length: READERS }, (_, n) => reader(n));
    await Promise.all(Array.from({ length: WRITERS }, (_, n) => writer(n)));
    isOver = true;
    await Promise.all(readers);
    expect(stale).toEqual([]);
    expect(answers).toBeGreaterThan(2 * READERS * WRITES);
    expect(await hits()).toBeGreaterThan(0);
    expect(await hits('tessera_subresult_cache_hits_total')).toBeGreaterThan(0);
  },
  TIMEOUT_MS,
);

it(
  'a node that was paused while others committed answers with their commits',
  async () => {
    const writes = new Writes();
    const [question] = QUESTIONS as [string];
    const roles = await Promise.all([0, 1, 2].map((n) => metric(cluster.node(n), LEADS)));
    const [paused, other] = [0, 1, 2].filter((n) => roles[n] !== 1) as [number, number];
    await expect.poll(() => reuses(() => must(paused, question))).toBeGreaterThan(0);
    cluster.pause(paused);
    let late: Promise<Answer>;
    try {
      writes.sent.fill(1_000);
      for (const writer of [0, 1, 2]) await writes.write(writer, other);
      // The node receives it before it notices anything else.
      late = must(paused, question);
    } finally {
      cluster.resume(paused);
    }
    expect(staleness(question, writes.acknowledged, await late)).toBeUndefined();
    expect(staleness(question, writes.acknowledged, await must(paused, question))).toBeUndefined();
  },
  TIMEOUT_MS,
);

it(
  'a cached result is not shared between formats, protocols or nodes',
  async () => {
    const sql = 'SELECT writer, count(*) FROM events GROUP BY writer ORDER BY writer';
    const formats = ['JSON_Compact', 'TabSeparatedWithNames', 'CSVWithNames', 'JSON', 'PSQL', 'ArrowStream'];
    for (const output_format of formats) {
      for (const node of [0, 1]) {
        const answers: Answer[] = [];
        const ask = async () =>
          answers.push(
            await query(cluster.node(node), sql, { output_format, query_label: `${answers.length}` }),
          );
        await expect.poll(() => reuses(ask), { message: output_format }).toBeGreaterThan(0);
        const [first, second] = answers.slice(-2) as [Answer, Answer];
        if (output_format.startsWith('JSON')) expect(second.json().data).toEqual(first.json().data);
        else expect(second.text).toBe(first.text);
      }
    }
  },
  TIMEOUT_MS,
);
