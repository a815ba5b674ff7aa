import type { SeededRandom } from '@tessera/common';
import { attempt, isRetryable, type Place, read } from './client.ts';

const ACCOUNTS = 40;
const OPENING = 100;

export const BANK_TABLES = [
  'CREATE TABLE accounts (id INT NOT NULL, balance BIGINT NOT NULL) PRIMARY INDEX id',
  'CREATE TABLE ledger (transfer TEXT NOT NULL, source INT NOT NULL, target INT NOT NULL, amount BIGINT NOT NULL) PRIMARY INDEX transfer',
  `INSERT INTO accounts SELECT i, ${OPENING} FROM generate_series(1, ${ACCOUNTS}) AS g(i)`,
];

/**
 * The known outcomes of transfers: acknowledged ones must be in the ledger, refused ones must not, and for
 * the others both is allowed.
 */
export class Bank {
  readonly acknowledged = new Set<string>();
  readonly refused = new Set<string>();
  #next = 0;

  /** Executes one transfer in a transaction: two updates and an entry in the ledger. */
  async transfer(place: Place, client: string, random: SeededRandom): Promise<void> {
    const name = `${client}-${this.#next++}`;
    const source = random.between(1, ACCOUNTS);
    const target = (source % ACCOUNTS) + 1;
    const amount = random.between(1, 9);
    const begun = await attempt(place, 'BEGIN');
    if (begun.kind !== 'done') return;
    const id = /transaction_id=([^,;\s]+)/.exec(begun.answer.headers.get('firebolt-update-parameters') ?? '');
    if (id === null) throw new Error('BEGIN gave no transaction_id');
    const inIt = { transaction_id: id[1]! };
    const statements = [
      `UPDATE accounts SET balance = balance - ${amount} WHERE id = ${source}`,
      `UPDATE accounts SET balance = balance + ${amount} WHERE id = ${target}`,
      `INSERT INTO ledger VALUES ('${name}', ${source}, ${target}, ${amount})`,
    ];
    for (const sql of statements) {
      const outcome = await attempt(place, sql, inIt);
      if (outcome.kind === 'done') continue;
      this.refused.add(name);
      if (outcome.kind === 'refused') {
        checkRefusal(outcome.answer, sql);
        await attempt(place, 'ROLLBACK', inIt);
      }
      return;
    }
    const committed = await attempt(place, 'COMMIT', inIt);
    if (committed.kind === 'done') this.acknowledged.add(name);
    if (committed.kind === 'refused') {
      checkRefusal(committed.answer, 'COMMIT');
      this.refused.add(name);
    }
  }

  /**
   * Checks balances and ledger in one snapshot: the total is unchanged, and the ledger explains every
   * balance.
   */
  async audit(place: Place): Promise<string[]> {
    const found = await read(
      place,
      `SELECT a.id, a.balance, coalesce(i.amount, 0) - coalesce(o.amount, 0) AS moved
       FROM accounts a
       LEFT JOIN (SELECT target, sum(amount) AS amount FROM ledger GROUP BY target) i ON i.target = a.id
       LEFT JOIN (SELECT source, sum(amount) AS amount FROM ledger GROUP BY source) o ON o.source = a.id
       ORDER BY a.id`,
    );
    if (found === undefined) return [];
    const problems: string[] = [];
    if (found.length !== ACCOUNTS) problems.push(`${found.length} accounts in place of ${ACCOUNTS}`);
    for (const [id, balance, moved] of found) {
      if (Number(balance) !== OPENING + Number(moved)) {
        problems.push(`account ${id} has ${balance}, its transfers come to ${OPENING + Number(moved)}`);
      }
    }
    return problems;
  }

  /** Checks that the ledger contains every acknowledged transfer once, and no refused one. */
  async auditLedger(place: Place): Promise<string[]> {
    // What is known now must hold for everything that is read afterwards.
    const acknowledged = [...this.acknowledged];
    const found = await read(place, 'SELECT transfer, count(*) FROM ledger GROUP BY transfer');
    if (found === undefined) return [];
    const times = new Map(found.map(([name, count]) => [String(name), Number(count)]));
    return [
      ...acknowledged
        .filter((name) => !times.has(name))
        .map((name) => `transfer ${name} was committed and is lost`),
      ...[...times]
        .filter(([, count]) => count !== 1)
        .map(([name, count]) => `transfer ${name} is there ${count} times`),
      ...[...this.refused]
        .filter((name) => times.has(name))
        .map((name) => `transfer ${name} was refused and is there`),
    ];
  }
}

function checkRefusal(answer: Parameters<typeof isRetryable>[0], sql: string): void {
  // A restarted server does not know transactions from before.
  const code = answer.json().errors?.[0]?.code;
  if (isRetryable(answer) || code === '25P01' || code === '25P02') return;
  throw new Error(`${sql}: HTTP ${answer.status}: ${answer.text}`);
}
