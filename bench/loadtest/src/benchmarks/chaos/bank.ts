import type { SeededRandom } from '@tessera/common';
import type { HttpSession } from '../../load/http-session.ts';
import { WrongAnswer } from '../../load/session.ts';
import type { Client } from './client.ts';

const ACCOUNTS = 50;
const OPENING = 1_000;

/**
 * Accounts between which money moves in transactions, and a ledger of the transfers; no money may be lost or
 * created.
 */
export class Bank {
  /** Transfers whose COMMIT succeeded. */
  readonly #committed = new Set<string>();
  /** Transfers whose COMMIT was refused or never sent. */
  readonly #refused = new Set<string>();
  #next = 0;

  /** The number of transfers whose COMMIT succeeded. */
  get transfers(): number {
    return this.#committed.size;
  }

  async prepare(run: (sql: string) => Promise<unknown>): Promise<void> {
    await run('CREATE TABLE accounts (id INT NOT NULL, balance BIGINT NOT NULL) PRIMARY INDEX id');
    await run(
      'CREATE TABLE ledger (transfer TEXT NOT NULL, source INT NOT NULL, target INT NOT NULL, amount BIGINT NOT NULL) PRIMARY INDEX transfer',
    );
    await run(`INSERT INTO accounts SELECT i, ${OPENING} FROM generate_series(1, ${ACCOUNTS}) AS g(i)`);
  }

  /**
   * Attempts one transfer up to once per node. Each attempt is a new transfer, since the outcome of an
   * interrupted COMMIT is unknown.
   */
  async transfer(client: Client, random: SeededRandom): Promise<void> {
    const source = random.between(1, ACCOUNTS);
    const target = (source % ACCOUNTS) + 1;
    const amount = random.between(1, 9);
    await client.at((session) => this.#attempt(session, source, target, amount));
  }

  async #attempt(session: HttpSession, source: number, target: number, amount: number): Promise<void> {
    const name = `t${this.#next++}`;
    this.#refused.add(name);
    const transaction_id = await begin(session);
    const statements = [
      `UPDATE accounts SET balance = balance - ${amount} WHERE id = ${source}`,
      `UPDATE accounts SET balance = balance + ${amount} WHERE id = ${target}`,
      `INSERT INTO ledger VALUES ('${name}', ${source}, ${target}, ${amount})`,
    ];
    for (const sql of statements) {
      try {
        await session.query(sql, { transaction_id });
      } catch (error) {
        if (isAnswered(error)) await session.query('ROLLBACK', { transaction_id }).catch(() => undefined);
        throw error;
      }
    }
    this.#refused.delete(name);
    try {
      await session.query('COMMIT', { transaction_id });
    } catch (error) {
      if (isWithoutEffect(error)) this.#refused.add(name);
      throw error;
    }
    this.#committed.add(name);
  }

  /** Checks the sum in one snapshot. @throws WrongAnswer */
  async audit(client: Client): Promise<void> {
    await client.at(async (session) => {
      const [row] = await session.query('SELECT count(*), sum(balance) FROM accounts');
      if (Number(row![0]) !== ACCOUNTS || Number(row![1]) !== ACCOUNTS * OPENING)
        throw new WrongAnswer(`${row![0]} accounts hold ${row![1]} in place of ${ACCOUNTS * OPENING}`);
    });
  }

  /**
   * Compares balances with the ledger, and the ledger with what clients were told; returns the differences.
   */
  async problems(session: HttpSession): Promise<string[]> {
    const unexplained = await session.query(
      `SELECT a.id, a.balance, ${OPENING} + coalesce(i.amount, 0) - coalesce(o.amount, 0) AS explained FROM accounts a
       LEFT JOIN (SELECT target, sum(amount) AS amount FROM ledger GROUP BY target) i ON i.target = a.id
       LEFT JOIN (SELECT source, sum(amount) AS amount FROM ledger GROUP BY source) o ON o.source = a.id
       WHERE a.balance <> ${OPENING} + coalesce(i.amount, 0) - coalesce(o.amount, 0)`,
    );
    const entries = await session.query('SELECT transfer, count(*) FROM ledger GROUP BY transfer');
    const times = new Map(entries.map(([name, count]) => [String(name), Number(count)]));
    return [
      ...unexplained.map(
        ([id, balance, explained]) => `account ${id} has ${balance} in place of ${explained}`,
      ),
      ...[...this.#committed]
        .filter((name) => !times.has(name))
        .map((name) => `${name} was committed and is lost`),
      ...[...this.#refused]
        .filter((name) => times.has(name))
        .map((name) => `${name} was refused and is there`),
      ...[...times]
        .filter(([, count]) => count !== 1)
        .map(([name, count]) => `${name} is there ${count} times`),
    ];
  }
}

async function begin(session: HttpSession): Promise<string> {
  const { headers } = await session.statement('BEGIN', {});
  const id = /transaction_id=([^,;\s]+)/.exec(String(headers['firebolt-update-parameters'] ?? ''))?.[1];
  if (id === undefined) throw new Error('BEGIN answered without a transaction');
  return id;
}

const isAnswered = (error: unknown): boolean => (error as { status?: number }).status !== undefined;

/**
 * SQLSTATEs of a COMMIT that guarantee that nothing happened: a conflict, no such transaction, an aborted
 * transaction.
 */
const WITHOUT_EFFECT = new Set(['40001', '25P01', '25P02']);

const isWithoutEffect = (error: unknown): boolean =>
  WITHOUT_EFFECT.has((error as { sqlState?: string }).sqlState ?? '');
