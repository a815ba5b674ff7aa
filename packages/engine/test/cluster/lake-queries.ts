import { expect } from 'vitest';
import { type Answer, query } from '../http.ts';
import type { Lake } from './lake.ts';

export type Settings = Readonly<Record<string, string>>;
export const ON_ALL: Settings = { min_distributed_bytes: '0', tablet_min_size_bytes: '1000' };
export const ON_ONE: Settings = { enable_distributed_execution: 'false' };

/** Sends a statement to a node of the lake's cluster. */
export type Send = (sql: string, settings: Settings, node?: number) => Promise<Answer>;

/** Statements at a lake, and comparisons of what all nodes and one node make of them. */
export class LakeQueries {
  readonly #lake: () => Lake;

  constructor(lake: () => Lake) {
    this.#lake = lake;
  }

  answer: Send = (sql, settings = {}, node = 0) =>
    query(this.#lake().cluster.node(node), sql, { ...settings, output_format: 'JSON_Compact' });

  async run(sql: string, settings: Settings = {}): Promise<void> {
    const { status, text } = await this.answer(sql, settings);
    expect(status, text).toBe(200);
  }

  /** The rows of a query and what it read. */
  async result(sql: string, settings: Settings = {}, node = 0, send: Send = this.answer) {
    const found = await send(sql, settings, node);
    expect(found.status, `${sql}\n${found.text}`).toBe(200);
    const { data, statistics } = found.json();
    const { rows_read, bytes_read } = statistics;
    return { data: data as unknown[][], rows_read, bytes_read };
  }

  /** Fails unless several tasks read the files. */
  async isSpread(sql: string, send: Send = this.answer): Promise<void> {
    const found = await send(`EXPLAIN (ANALYZE) ${sql}`, ON_ALL);
    expect(found.status, found.text).toBe(200);
    expect(found.json().data[0][0], sql).toMatch(/stage \d+: [23] tasks/);
  }

  /** The same rows and the same statistics on three nodes as on one, and really by several tasks. */
  async isTheSame(sql: string, send: Send = this.answer): Promise<void> {
    const alone = await this.result(sql, ON_ONE, 0, send);
    await this.isSpread(sql, send);
    for (const node of [0, 1]) expect(await this.result(sql, ON_ALL, node, send), sql).toEqual(alone);
  }

  /** The same rows, or the same errors, on all nodes as on one, however many nodes read the files in the end. */
  async isToldTheSame(sql: string, send: Send = this.answer): Promise<void> {
    const outcome = ({ status, json }: Answer) => [status, status === 200 ? json().data : json().errors];
    const [all, one] = [await send(sql, ON_ALL), await send(sql, ON_ONE)];
    expect(outcome(all), sql).toEqual(outcome(one));
  }
}
