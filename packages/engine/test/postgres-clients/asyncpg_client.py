"""asyncpg against a running node: `asyncpg_client.py host port`. Writes a line for each test."""

import asyncio
import io
import json
import sys
import traceback
from datetime import date, datetime, timezone
from decimal import Decimal

import asyncpg

PLACE = {"host": sys.argv[1], "port": int(sys.argv[2]), "user": "tessera", "database": "tessera"}


def same(actual, expected):
    assert actual == expected, f"{actual!r} instead of {expected!r}"


def rows(records):
    return [tuple(record) for record in records]


async def test_values_both_ways(connection):
    values = [
        ("int", 7),
        ("bigint", -(2**62)),
        ("double precision", 1.5),
        ("numeric(10, 2)", Decimal("12345.67")),
        ("text", "it's ü😀 \\"),
        ("boolean", True),
        ("date", date(2024, 2, 29)),
        ("timestamp", datetime(2024, 2, 29, 12, 34, 56, 789000)),
        ("timestamptz", datetime(2024, 2, 29, 12, 34, 56, tzinfo=timezone.utc)),
        ("bytea", bytes(range(256))),
        ("json", '{"a": 1}'),
        ("int[]", [1, None, 3]),
        ("text[]", ["a", 'b"c', None]),
    ]
    columns = ", ".join(f"c{i} {kind}" for i, (kind, _) in enumerate(values))
    await connection.execute(f"CREATE TABLE every_type ({columns})")
    places = ", ".join(f"${i + 1}" for i in range(len(values)))
    given = [value for _, value in values]
    same(await connection.execute(f"INSERT INTO every_type VALUES ({places})", *given), "INSERT 0 1")
    await connection.execute(f"INSERT INTO every_type VALUES ({places})", *[None] * len(values))
    found = rows(await connection.fetch("SELECT * FROM every_type ORDER BY c0"))
    same(found, [tuple(given), (None,) * len(values)])


async def test_copies_in_binary_format(connection):
    kinds = ["int", "bigint", "smallint", "real", "double precision", "numeric(10, 2)", "varchar(20)", "text", "boolean",
             "date", "timestamp", "timestamptz", "bytea", "json", "int[]", "text[]"]
    await connection.execute(f"CREATE TABLE copied ({', '.join(f'c{i} {kind}' for i, kind in enumerate(kinds))})")
    at = datetime(2024, 2, 29, 12, 34, 56, 789001)
    records = [
        (1, -(2**62), -32768, 0.5, -1.5e300, Decimal("-12345.67"), "tab\t", 'it\\s\nü😀\r"', True, date(2024, 2, 29), at,
         at.replace(tzinfo=timezone.utc), bytes(range(256)), '{"a": [1, "\\n"]}', [1, None, 3], ["a", 'b"c\\', None, "NULL", ""]),
        (2, 0, 0, float("inf"), float("-inf"), Decimal("0.00"), "", "\\N", False, date(1, 1, 1), datetime(1900, 1, 1),
         datetime(1900, 1, 1, tzinfo=timezone.utc), b"", "null", [], []),
        (3, *[None] * 15),
    ]
    same(await connection.copy_records_to_table("copied", records=records), "COPY 3")
    same(rows(await connection.fetch("SELECT * FROM copied ORDER BY c0")), records)
    same(await connection.copy_records_to_table("copied", records=[("x", 4)], columns=["c7", "c0"]), "COPY 1")
    same(rows(await connection.fetch("SELECT c7, c1 FROM copied WHERE c0 = 4")), [("x", None)])
    out = io.BytesIO()
    same(await connection.copy_from_query("SELECT * FROM copied WHERE c0 <= $1", 2, output=out, format="binary"), "COPY 2")
    same(out.getvalue()[:19], b"PGCOPY\n\xff\r\n\0" + bytes(8))
    same(out.getvalue()[-2:], b"\xff\xff")
    out.seek(0)
    await connection.execute("CREATE TABLE again AS SELECT * FROM copied LIMIT 0")
    same(await connection.copy_to_table("again", source=out, format="binary"), "COPY 2")
    same(rows(await connection.fetch("SELECT * FROM again ORDER BY c0")), records[:2])
    many = ((i, "x" * (i % 100)) for i in range(20_000))
    same(await connection.copy_records_to_table("again", records=many, columns=["c0", "c7"]), "COPY 20000")
    same(await connection.fetchval("SELECT sum(length(c7)) FROM again WHERE c0 >= 0 AND c1 IS NULL"), 990_000)


async def test_refuses_damaged_binary_copies(connection):
    await connection.execute("CREATE TABLE damaged (a INT, b TEXT)")
    head = b"PGCOPY\n\xff\r\n\0" + bytes(8)
    row = b"\0\2" + b"\0\0\0\4" + b"\0\0\0\7" + b"\0\0\0\1x"
    for data, error in [
        (b"PGCOPX" + head[6:] + row, "signature not recognized"),
        (head[:5], "unexpected EOF"),
        (head[:11] + b"\0\1\0\0" + bytes(4), "unrecognized critical flags"),
        (head + row[:-1], "unexpected EOF"),
        (head + row + b"\xff\xff" + row, "received copy data after EOF marker"),
        (head + row + b"\0\1" + b"\0\0\0\4" + b"\0\0\0\7", "line 2: row field count is 1, expected 2"),
        (head + b"\0\2" + b"\0\0\0\2" + b"\0\7" + b"\xff\xff\xff\xff", "line 1, column a: incorrect binary data format"),
        (head + b"\0\2" + b"\xff\xff\xff\xfe", "invalid field size"),
        (head + row[:-1] + b"\0", "0x00"),
    ]:
        try:
            await connection.copy_to_table("damaged", source=io.BytesIO(data), format="binary")
            raise AssertionError(f"no error: {error}")
        except asyncpg.PostgresError as found:
            assert error in str(found), f"{found} instead of {error}"
    same(await connection.copy_to_table("damaged", source=io.BytesIO(head + row), format="binary"), "COPY 1")
    same(rows(await connection.fetch("SELECT * FROM damaged")), [(7, "x")])
    for option in ["DELIMITER ','", "NULL 'x'", "HEADER"]:
        try:
            await connection.execute(f"COPY damaged TO STDOUT (FORMAT binary, {option})")
            raise AssertionError(f"no error: {option}")
        except asyncpg.PostgresSyntaxError as found:
            assert "in BINARY mode" in str(found), found


async def test_json_documents(connection):
    await connection.execute("CREATE TABLE documents (id INT, doc JSONB, plain JSON)")
    text = '{"b": [1, "two"], "a": null}'
    insert = "INSERT INTO documents VALUES ($1, $2, $3)"
    await connection.execute(insert, 1, text, text)
    await connection.executemany(insert, [(2, "[1]", None), (3, None, "[1]")])
    same(rows(await connection.fetch("SELECT doc, plain FROM documents WHERE id = 1")), [('{"a": null, "b": [1, "two"]}', text)])
    where = [("doc @> $1", '{"b": ["two"]}', [1]), ("doc ? $1", "a", [1]), ("doc ?| $1", ["x", "b"], [1]),
             ("doc ?& $1", ["a", "x"], []), ("doc = $1", "[1.0]", [2]), ("doc -> $1 = '[1, \"two\"]'", "b", [1])]
    for condition, value, ids in where:
        found = await connection.fetch(f"SELECT id FROM documents WHERE {condition} ORDER BY id", value)
        same([row["id"] for row in found], ids)
    copied = [(4, '{"x": 1}', "{}"), (5, None, None)]
    same(await connection.copy_records_to_table("documents", records=copied), "COPY 2")
    same(rows(await connection.fetch("SELECT * FROM documents WHERE id > 3 ORDER BY id")), copied)
    for kind in ["json", "jsonb"]:
        await connection.set_type_codec(kind, encoder=json.dumps, decoder=json.loads, schema="pg_catalog")
    same(await connection.fetchval("UPDATE documents SET doc = $1 WHERE id = 2 RETURNING doc", {"n": [1]}), {"n": [1]})
    same(await connection.fetchval("SELECT $1::jsonb", {"z": 1}), {"z": 1})
    same(await connection.fetchval("SELECT $1::json", [None]), [None])


async def test_arrays_as_parameters(connection):
    same(await connection.fetchval("SELECT $1::int[]", [1, 2]), [1, 2])
    names = await connection.fetch("SELECT oid, typname FROM pg_type WHERE oid = any($1::oid[]) ORDER BY oid", [23, 25])
    same(rows(names), [(23, "int4"), (25, "text")])
    same(await connection.fetchval("SELECT array_agg(oid) FROM pg_type WHERE oid IN (20, 21)"), [20, 21])


async def test_changes(connection):
    await connection.execute("CREATE TABLE people (id INT, name TEXT)")
    await connection.executemany("INSERT INTO people VALUES ($1, $2)", [(i, f"n{i}") for i in range(20)])
    same(await connection.execute("UPDATE people SET name = $1 WHERE id < $2", "x", 5), "UPDATE 5")
    same(await connection.fetchval("INSERT INTO people VALUES (100, 'y') RETURNING id"), 100)
    same(await connection.execute("DELETE FROM people WHERE id >= 10"), "DELETE 11")
    same(await connection.fetchval("SELECT count(*) FROM people"), 10)
    same(dict(await connection.fetchrow("SELECT * FROM people WHERE id = $1", 3)), {"id": 3, "name": "x"})


async def test_inserts_or_updates(connection):
    await connection.execute("CREATE TABLE hits (page text PRIMARY KEY, n int, seen timestamptz)")
    at = datetime(2024, 2, 29, 12, tzinfo=timezone.utc)
    hit = await connection.prepare(
        "INSERT INTO hits VALUES ($1, $2, $3) ON CONFLICT (page) DO UPDATE "
        "SET n = hits.n + $2, seen = greatest(hits.seen, excluded.seen) WHERE hits.n < $4 RETURNING n"
    )
    same([parameter.name for parameter in hit.get_parameters()], ["text", "int4", "timestamptz", "int4"])
    same([(a.name, a.type.name) for a in hit.get_attributes()], [("n", "int4")])
    same([await hit.fetchval("/", 2, at, 5) for _ in range(4)], [2, 4, 6, None])
    ignore = "INSERT INTO hits VALUES ($1, $2) ON CONFLICT DO NOTHING"
    await connection.executemany(ignore, [("/", 1), ("/new", 1), ("/new", 2)])
    same(await connection.execute(ignore, "/", 1), "INSERT 0 0")
    same(rows(await connection.fetch("SELECT * FROM hits ORDER BY n")), [("/new", 1, None), ("/", 6, at)])


async def test_transactions_inside_one_another(connection):
    await connection.execute("CREATE TABLE nested (a INT)")
    async with connection.transaction():
        await connection.execute("INSERT INTO nested VALUES (1)")
        try:
            async with connection.transaction():
                await connection.execute("INSERT INTO nested VALUES (2)")
                await connection.fetchval("SELECT 1 / 0")
        except asyncpg.DivisionByZeroError:
            pass
        async with connection.transaction():
            await connection.execute("INSERT INTO nested VALUES (3)")
    same(rows(await connection.fetch("SELECT a FROM nested ORDER BY a")), [(1,), (3,)])
    try:
        async with connection.transaction(readonly=True):
            await connection.execute("INSERT INTO nested VALUES (4)")
        raise AssertionError("no error")
    except asyncpg.ReadOnlySQLTransactionError:
        pass


async def test_null_parameters_keep_the_types_of_columns(connection):
    for sql in ["SELECT upper($1) || 'x'", "SELECT quote_literal($1)", "SELECT 'x' || $1::int", "SELECT 'x' || ($1 || 'y')"]:
        same(await connection.fetchval(sql, None), None)
    same(await connection.fetchval("SELECT 'x' || $1::int", 3), "x3")


async def test_cursors(connection):
    async with connection.transaction():
        cursor = connection.cursor("SELECT i FROM generate_series(1, 1000) AS g(i) ORDER BY i", prefetch=100)
        same([row[0] async for row in cursor], list(range(1, 1001)))


async def test_prepared_statements(connection):
    statement = await connection.prepare("SELECT $1::int + 1 AS next")
    same([(a.name, a.type.name) for a in statement.get_attributes()], [("next", "int4")])
    same([p.name for p in statement.get_parameters()], ["int4"])
    same([await statement.fetchval(i) for i in range(3)], [1, 2, 3])


async def test_errors(connection):
    for sql, error in [
        ("SELEC 1", asyncpg.PostgresSyntaxError),
        ("SELECT * FROM nowhere", asyncpg.UndefinedTableError),
        ("SELECT 'x'::int", asyncpg.InvalidTextRepresentationError),
    ]:
        try:
            await connection.fetch(sql)
            raise AssertionError("no error")
        except error:
            pass


async def test_pools(_):
    async with asyncpg.create_pool(**PLACE, min_size=2, max_size=4) as pool:
        same(await asyncio.gather(*[pool.fetchval("SELECT $1::int", i) for i in range(20)]), list(range(20)))


async def main():
    for name, test in list(globals().items()):
        if not name.startswith("test_"):
            continue
        connection = await asyncpg.connect(**PLACE)
        try:
            await test(connection)
            print("ok", name[5:], flush=True)
        except BaseException:
            print(f"failed {name[5:]}:", traceback.format_exc().replace("\n", "\\n"), flush=True)
        finally:
            await connection.close()


asyncio.run(main())
