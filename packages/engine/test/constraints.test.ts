import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, query, rows } from './http.ts';
import { type SharedNode, takeSharedNode } from './shared-node.ts';

let server: SharedNode;

beforeAll(async () => {
  server = await takeSharedNode();
});
afterAll(() => server?.[Symbol.asyncDispose]());

const run = async (sql: string): Promise<Answer> => {
  const answer = await query(server, sql);
  expect(answer.text, sql).not.toContain('"errors"');
  return answer;
};

const fails = async (sql: string, code: string, message: RegExp): Promise<void> => {
  const answer = await query(server, sql);
  expect(answer.json(), sql).toMatchObject({
    errors: [{ code, description: expect.stringMatching(message) }],
  });
};

const warnings = ({ headers }: Answer): readonly string[] =>
  (JSON.parse(headers.get('x-tessera-warnings') ?? '[]') as { description: string }[]).map(
    (w) => w.description,
  );

describe('CHECK', () => {
  beforeAll(() =>
    run(`CREATE TABLE checked (a INT CHECK (a > 0), b INT, "C" TEXT DEFAULT 'x',
      CONSTRAINT ordered CHECK (a < b), CHECK ("C" IN ('x', 'y')))`),
  );

  it('refuses violating rows of every statement that writes, and stores the others', async () => {
    await run("INSERT INTO checked VALUES (1, 2, 'x'), (2, NULL, NULL)");
    await fails('INSERT INTO checked VALUES (0, 2)', '23514', /"checked".*"checked_a_check"/);
    await fails('INSERT INTO checked SELECT i, 5 FROM generate_series(1, 10) g(i)', '23514', /"ordered"/);
    await fails("INSERT INTO checked VALUES (1, 2, 'z')", '23514', /"checked_C_check"/);
    await fails('UPDATE checked SET a = 3 WHERE a = 1', '23514', /"ordered"/);
    await fails(
      `MERGE INTO checked USING (SELECT 1 AS a) s ON checked.a = s.a WHEN MATCHED THEN UPDATE SET b = -1`,
      '23514',
      /"ordered"/,
    );
    expect(await rows(server, 'SELECT * FROM checked ORDER BY a')).toEqual([
      [1, 2, 'x'],
      [2, null, null],
    ]);
  });

  it('takes the operators of jsonb', async () => {
    await run(
      `CREATE TABLE documents (doc JSONB CHECK (doc @> '{"a": 1}'), CONSTRAINT has_b CHECK (doc ? 'b'))`,
    );
    await run(`INSERT INTO documents VALUES ('{"b": 2, "a": 1}')`);
    await fails(`INSERT INTO documents VALUES ('{"a": 2, "b": 2}')`, '23514', /"documents_doc_check"/);
    await fails(`INSERT INTO documents VALUES ('{"a": 1}')`, '23514', /"has_b"/);
    expect(await rows(server, "SELECT doc->>'b' FROM documents")).toEqual([['2']]);
  });

  it('checks only the rows that are written', async () => {
    await run('INSERT INTO checked SELECT i, 100 FROM generate_series(-50, 50) g(i) WHERE i > 0');
    await run('UPDATE checked SET b = b + 1 WHERE a > 10');
    await run('DELETE FROM checked WHERE a > 2');
    expect(await rows(server, 'SELECT count(*)::INT FROM checked')).toEqual([[4]]);
  });

  it('can be added if all rows satisfy it, and can be dropped', async () => {
    await fails('ALTER TABLE checked ADD CONSTRAINT small CHECK (a < 2)', '23514', /"small"/);
    await run('ALTER TABLE checked ADD CONSTRAINT small CHECK (a < 2) NOT VALID');
    await fails('INSERT INTO checked VALUES (2, 3)', '23514', /"small"/);
    await run('VACUUM checked');
    await run('ALTER TABLE checked RENAME CONSTRAINT small TO tiny');
    await fails('ALTER TABLE checked DROP CONSTRAINT small', '42704', /"small" does not exist/);
    await run('ALTER TABLE checked DROP CONSTRAINT tiny');
    await run('INSERT INTO checked VALUES (2, 3)');
  });

  it('is dropped with its column, and prevents the column from being renamed', async () => {
    await run('CREATE TABLE dropped (a INT, b INT CHECK (b > a), c INT CHECK (c > 0))');
    await fails('ALTER TABLE dropped RENAME COLUMN a TO z', '2BP01', /dropped_check/);
    await run('ALTER TABLE dropped DROP COLUMN b');
    await run('ALTER TABLE dropped RENAME COLUMN a TO z');
    expect(
      await rows(
        server,
        "SELECT constraint_name, check_clause FROM information_schema.check_constraints WHERE constraint_name LIKE 'dropped%'",
      ),
    ).toEqual([['dropped_c_check', 'c > 0']]);
  });

  it('must be a condition over columns of the table', async () => {
    await fails('CREATE TABLE bad (a INT CHECK (a + 1))', '42804', /CHECK is of type integer, not boolean/);
    await fails('CREATE TABLE bad (a INT CHECK (nope > 1))', '42703', /nope/);
    await fails('CREATE TABLE bad (a INT CHECK ((SELECT true)))', '0A000', /subquery/i);
  });
});

describe('keys', () => {
  it('are recorded with a notice; the primary key is the primary index and NOT NULL', async () => {
    const made = await run(`CREATE TABLE parent (id BIGINT PRIMARY KEY, code TEXT UNIQUE, at DATE)`);
    expect(warnings(made)).toEqual([
      'PRIMARY KEY "parent_pkey" of table "parent" is recorded and not enforced',
      'UNIQUE "parent_code_key" of table "parent" is recorded and not enforced',
    ]);
    await run(`CREATE TABLE child (a INT, b BIGINT REFERENCES parent ON DELETE CASCADE, up INT,
      CONSTRAINT key_of_child PRIMARY KEY (a, b), FOREIGN KEY (up, b) REFERENCES child (a, b)) PRIMARY INDEX b`);
    expect(
      await rows(
        server,
        `SELECT table_name, primary_index FROM information_schema.tables WHERE table_name IN ('parent', 'child') ORDER BY 1`,
      ),
    ).toEqual([
      ['child', 'b'],
      ['parent', 'id'],
    ]);
    await fails('INSERT INTO parent (code) VALUES (NULL)', '23502', /"id"/);
    await run("INSERT INTO parent VALUES (1, 'a', NULL), (1, 'a', NULL)");
  });

  it('are listed in information_schema and pg_catalog', async () => {
    expect(
      await rows(
        server,
        `SELECT constraint_name, constraint_type, enforced FROM information_schema.table_constraints
         WHERE table_name IN ('parent', 'child') ORDER BY 1`,
      ),
    ).toEqual([
      ['child_b_fkey', 'FOREIGN KEY', 'NO'],
      ['child_up_b_fkey', 'FOREIGN KEY', 'NO'],
      ['key_of_child', 'PRIMARY KEY', 'NO'],
      ['parent_code_key', 'UNIQUE', 'NO'],
      ['parent_pkey', 'PRIMARY KEY', 'NO'],
    ]);
    expect(
      await rows(
        server,
        `SELECT conname, contype, conkey, confkey, confdeltype, pg_get_constraintdef(oid), i.indisprimary
         FROM pg_constraint c LEFT JOIN pg_index i ON i.indexrelid = c.conindid AND i.indrelid = c.conrelid
         WHERE conrelid = 'child'::regclass OR conrelid = 'parent'::regclass ORDER BY 1`,
      ),
    ).toEqual(
      [
        ['child_b_fkey', 'f', [2], [1], 'c', 'FOREIGN KEY (b) REFERENCES parent(id) ON DELETE CASCADE', null],
        ['child_up_b_fkey', 'f', [3, 2], [1, 2], 'a', 'FOREIGN KEY (up, b) REFERENCES child(a, b)', false],
        ['key_of_child', 'p', [1, 2], null, ' ', 'PRIMARY KEY (a, b)', true],
        ['parent_code_key', 'u', [2], null, ' ', 'UNIQUE (code)', false],
        ['parent_pkey', 'p', [1], null, ' ', 'PRIMARY KEY (id)', true],
      ].map((row) => (row[0] === 'child_up_b_fkey' ? [...row.slice(0, 6), true] : row)),
    );
    const [[ddl]] = (await rows(
      server,
      "SELECT ddl FROM information_schema.tables WHERE table_name = 'child'",
    )) as [[string]];
    expect(ddl).toContain('CONSTRAINT key_of_child PRIMARY KEY (a, b)');
    await run('DROP TABLE child');
    await run(ddl);
  });

  it('prevent referenced objects from being dropped', async () => {
    await fails('DROP TABLE parent', '2BP01', /foreign key of table "child"/);
    await fails('ALTER TABLE parent DROP CONSTRAINT parent_pkey', '2BP01', /"child"/);
    await run('DROP TABLE parent CASCADE');
    expect(
      await rows(
        server,
        "SELECT constraint_name FROM information_schema.table_constraints WHERE table_name = 'child' ORDER BY 1",
      ),
    ).toEqual([['child_up_b_fkey'], ['key_of_child']]);
  });

  it('are refused if a setting requires it', async () => {
    const refuse = { unenforced_constraints: 'refuse' };
    for (const column of ['a INT PRIMARY KEY', 'a INT UNIQUE', 'a INT REFERENCES child (a)']) {
      const answer = await query(server, `CREATE TABLE refused (${column})`, refuse);
      expect(answer.json()).toMatchObject({ errors: [{ code: '0A000' }] });
    }
    expect((await query(server, 'CREATE TABLE allowed (a INT CHECK (a > 0))', refuse)).status).toBe(200);
  });

  it('have errors that name the mistake', async () => {
    await fails(
      'CREATE TABLE bad (a INT PRIMARY KEY, b INT PRIMARY KEY)',
      '42P16',
      /already has a primary key/,
    );
    await fails('CREATE TABLE bad (a INT, PRIMARY KEY (z))', '42703', /"z"/);
    await fails('CREATE TABLE bad (a INT REFERENCES nowhere)', '42P01', /"nowhere"/);
    await fails('CREATE TABLE bad (a INT REFERENCES allowed)', '22023', /no primary key/);
    await fails(
      'CREATE TABLE bad (a INT REFERENCES allowed (a))',
      '22023',
      /no PRIMARY KEY or UNIQUE constraint/,
    );
    await fails(
      'CREATE TABLE bad (a INT UNIQUE, UNIQUE (a), CONSTRAINT bad_a_key UNIQUE (a))',
      '42P07',
      /bad_a_key/,
    );
    await fails('CREATE INDEX ON allowed (a)', '0A000', /secondary index.*PRIMARY INDEX/i);
    await fails('CREATE UNIQUE INDEX i ON allowed (a)', '0A000', /secondary index/i);
  });
});

it('CREATE INDEX of an index that changes nothing says so', async () => {
  await run('CREATE TABLE skipped (a INT)');
  expect(warnings(await run('CREATE INDEX useless ON skipped USING SKIP_INDEX (a)'))).toEqual([
    expect.stringMatching(
      /^Skip index "useless" changes nothing: .* TYPE = bloom_filter or TYPE = set adds filters$/,
    ),
  ]);
  expect(warnings(await run('CREATE INDEX useful ON skipped USING SET (a)'))).toEqual([]);
});

describe('ALTER COLUMN', () => {
  it('changes defaults and NOT NULL', async () => {
    await run('CREATE TABLE altered (a INT, b INT)');
    await run('INSERT INTO altered VALUES (1, 1)');
    await run('ALTER TABLE altered ALTER COLUMN b SET DEFAULT 7, ALTER a SET NOT NULL');
    await run('INSERT INTO altered (a) VALUES (2)');
    await fails('INSERT INTO altered VALUES (NULL, 1)', '23502', /"a"/);
    await run('ALTER TABLE altered ALTER COLUMN b DROP DEFAULT, ALTER COLUMN a DROP NOT NULL');
    await run('INSERT INTO altered VALUES (NULL), (3)');
    await fails('ALTER TABLE altered ALTER COLUMN b SET NOT NULL', '23502', /"b"/);
    expect(await rows(server, 'SELECT a, b FROM altered ORDER BY a')).toEqual([
      [1, 1],
      [2, 7],
      [3, null],
      [null, null],
    ]);
  });

  it('rewrites rows when the type changes', async () => {
    await run(`CREATE TABLE retyped (id INT PRIMARY KEY, n INT DEFAULT 5 CHECK (n > 0), s TEXT)
      PARTITION BY id % 2`);
    await run("INSERT INTO retyped SELECT i, i, i || 'x' FROM generate_series(1, 1000) g(i)");
    await run('DELETE FROM retyped WHERE id > 900');
    await run(
      "ALTER TABLE retyped ALTER COLUMN n TYPE BIGINT, ALTER COLUMN s TYPE INT USING replace(s, 'x', '')::INT + 1",
    );
    expect(
      await rows(server, 'SELECT count(*)::INT, sum(n)::BIGINT::TEXT, sum(s)::INT FROM retyped'),
    ).toEqual([[900, '405450', 406350]]);
    await run('INSERT INTO retyped VALUES (5000, 5000000000, 1)');
    await run('ALTER TABLE retyped ALTER COLUMN id TYPE BIGINT');
    expect(await rows(server, 'SELECT n::TEXT FROM retyped WHERE id = 5000')).toEqual([['5000000000']]);
    await fails('ALTER TABLE retyped ALTER COLUMN n TYPE INT', '22003', /5000000000/);
    await fails('INSERT INTO retyped VALUES (1, -1, 1)', '23514', /retyped_n_check/);
    expect(
      await rows(server, "SELECT data_type FROM information_schema.columns WHERE table_name = 'retyped'"),
    ).toEqual([['bigint'], ['bigint'], ['integer']]);
  });

  it('is part of a transaction', async () => {
    await run('CREATE TABLE moved (a INT)');
    await run('INSERT INTO moved VALUES (1)');
    const begun = await query(server, 'BEGIN');
    const [, id] = begun.headers.get('firebolt-update-parameters')!.split('=');
    const inside = { transaction_id: id! };
    await query(server, 'INSERT INTO moved VALUES (2)', inside);
    await query(server, "ALTER TABLE moved ALTER COLUMN a TYPE TEXT USING a || '!'", inside);
    await query(server, "INSERT INTO moved VALUES ('three')", inside);
    expect(
      (
        await query(server, 'SELECT a FROM moved ORDER BY 1', { ...inside, output_format: 'JSON_Compact' })
      ).json(),
    ).toMatchObject({
      data: [['1!'], ['2!'], ['three']],
    });
    expect(await rows(server, 'SELECT a FROM moved')).toEqual([[1]]);
    await query(server, 'COMMIT', inside);
    expect(await rows(server, 'SELECT a FROM moved ORDER BY 1')).toEqual([['1!'], ['2!'], ['three']]);
  });

  it('loses no row that another connection inserts meanwhile', async () => {
    await run('CREATE TABLE raced (n INT, v INT)');
    await run('INSERT INTO raced SELECT i, i FROM generate_series(1, 1000) g(i)');
    const types = ['BIGINT', 'TEXT', 'INT', 'BIGINT', 'TEXT', 'INT'];
    let inserted = 0;
    const insert = async () => {
      for (let i = 0; i < 20; i += 1) {
        const answer = await query(server, 'INSERT INTO raced (n) VALUES (1)');
        if (answer.status === 200) inserted += 1;
      }
    };
    const alter = async () => {
      for (const type of types) await query(server, `ALTER TABLE raced ALTER COLUMN v TYPE ${type}`);
    };
    await Promise.all([insert(), insert(), alter()]);
    expect(await rows(server, 'SELECT count(*)::INT, count(v)::INT FROM raced')).toEqual([
      [1000 + inserted, 1000],
    ]);
  });
});
