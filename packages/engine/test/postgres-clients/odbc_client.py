"""The ODBC driver of PostgreSQL against a running node: `odbc_client.py host port`. Writes a line for each test."""

import subprocess
import sys
import traceback
from datetime import date, datetime
from decimal import Decimal

import pyodbc

HOST, PORT = sys.argv[1], sys.argv[2]
pyodbc.pooling = False


def place(**options):
    settings = {"Driver": "{PostgreSQL Unicode}", "Server": HOST, "Port": PORT, "Database": "tessera", "Uid": "tessera"}
    return ";".join(f"{name}={value}" for name, value in {**settings, **options}.items())


def connect(**options):
    return pyodbc.connect(place(**options), autocommit=True)


def same(actual, expected):
    assert actual == expected, f"{actual!r} instead of {expected!r}"


def code(run):
    try:
        run()
    except pyodbc.Error as error:
        return error.args[0]
    raise AssertionError("no error")


def rows(cursor):
    return [tuple(row) for row in cursor.fetchall()]


def test_isql():
    queries = "SELECT 6 * 7 AS answer\nSELECT 'x' AS a, NULL AS b\nhelp\n"
    ran = subprocess.run(
        ["isql", "-b", "-d|", "-k", place()], input=queries, capture_output=True, text=True, timeout=30
    )
    assert "42" in ran.stdout.split("\n") and "x|" in ran.stdout, ran


def test_values_both_ways():
    values = [
        (7, "int"),
        (-(2**62), "bigint"),
        (1.5, "double precision"),
        (Decimal("12345.67"), "numeric(10, 2)"),
        ("it's ü😀 \\", "text"),
        (date(2024, 2, 29), "date"),
        (datetime(2024, 2, 29, 12, 34, 56, 789000), "timestamp"),
        (bytes(range(256)), "bytea"),
    ]
    for server_side in (0, 1):
        with connect(UseServerSidePrepare=server_side, ByteaAsLongVarBinary=1) as connection:
            cursor = connection.cursor()
            cursor.execute("DROP TABLE IF EXISTS every_type")
            columns = ", ".join(f"c{i} {kind}" for i, (_, kind) in enumerate(values))
            cursor.execute(f"CREATE TABLE every_type ({columns})")
            insert = f"INSERT INTO every_type VALUES ({', '.join('?' * len(values))})"
            cursor.execute(insert, [value for value, _ in values])
            same(cursor.rowcount, 1)
            cursor.execute(insert, [None] * len(values))
            cursor.execute("SELECT * FROM every_type ORDER BY c0")
            same(rows(cursor), [tuple(value for value, _ in values), (None,) * len(values)])


def test_booleans_and_columns_of_results():
    with connect(BoolsAsChar=0) as connection:
        cursor = connection.cursor()
        cursor.execute("SELECT true AS a, 1.50::numeric(10, 2) AS b, 'x' AS c")
        same([(name, kind) for name, kind, *_ in cursor.description], [("a", bool), ("b", Decimal), ("c", str)])
        same(rows(cursor), [(True, Decimal("1.50"), "x")])


def test_prepared_parameters():
    for server_side in (0, 1):
        with connect(UseServerSidePrepare=server_side) as connection:
            cursor = connection.cursor()
            for i in range(10):
                cursor.execute("SELECT ? + 1, ?", i, f"n{i}")
                same(rows(cursor), [(i + 1, f"n{i}")])
            cursor.execute("SELECT i FROM generate_series(1, 10) AS r(i) WHERE i > ? ORDER BY i", 7)
            same(rows(cursor), [(8,), (9,), (10,)])


def test_batches():
    with connect() as connection:
        cursor = connection.cursor()
        cursor.execute("CREATE TABLE batched (a INT, b TEXT)")
        cursor.executemany("INSERT INTO batched VALUES (?, ?)", [(i, f"n{i}") for i in range(20)])
        cursor.execute("SELECT count(*), max(a) FROM batched")
        same(rows(cursor), [(20, 19)])


def test_rows_by_declare_and_fetch():
    with connect(UseDeclareFetch=1, Fetch=100) as connection:
        cursor = connection.cursor()
        cursor.execute("SELECT i, 'n' || i FROM generate_series(1, 1050) AS r(i) ORDER BY i")
        same(rows(cursor), [(i, f"n{i}") for i in range(1, 1051)])
        cursor.execute("SELECT i FROM generate_series(1, 1000) AS r(i) WHERE i > ? ORDER BY i", 500)
        same(cursor.fetchone()[0], 501)
        cursor.execute("SELECT 1")
        same(rows(cursor), [(1,)])


def test_tables_and_columns_of_the_database():
    with connect() as connection:
        cursor = connection.cursor()
        cursor.execute("CREATE TABLE meta_table (a INT NOT NULL, b NUMERIC(10, 2), c TEXT, d TIMESTAMP)")
        cursor.execute("CREATE VIEW meta_view AS SELECT a FROM meta_table")
        tables = cursor.tables(schema="public", table="meta%").fetchall()
        same([(row.table_schem, row.table_name, row.table_type) for row in tables],
             [("public", "meta_table", "TABLE"), ("public", "meta_view", "VIEW")])
        same([row.table_name for row in cursor.tables(table="meta%", tableType="VIEW")], ["meta_view"])
        columns = cursor.columns(schema="public", table="meta_table").fetchall()
        same([(row.column_name, row.type_name, row.nullable, row.ordinal_position) for row in columns],
             [("a", "int4", 0, 1), ("b", "numeric", 1, 2), ("c", "text", 1, 3), ("d", "timestamp", 1, 4)])
        same((columns[1].column_size, columns[1].decimal_digits), (10, 2))
        same([row.column_name for row in cursor.columns(table="meta\\_table", column="b")], ["b"])
        same(cursor.primaryKeys(table="meta_table").fetchall(), [])
        cursor.statistics("meta_table").fetchall()
        cursor.rowIdColumns("meta_table").fetchall()
        cursor.procedures().fetchall()
        assert "int4" in [row.type_name for row in cursor.getTypeInfo()]


def test_schemas_and_catalogs_of_the_database():
    with connect() as connection:
        cursor = connection.cursor()
        assert "public" in [row.table_schem for row in cursor.tables(table="", catalog="", schema="%")]
        same(connection.getinfo(pyodbc.SQL_DBMS_NAME), "PostgreSQL")
        same(connection.getinfo(pyodbc.SQL_USER_NAME), "tessera")
        same(connection.getinfo(pyodbc.SQL_DATABASE_NAME), "tessera")


def test_transactions():
    with connect() as connection, connect() as other:
        cursor, reader = connection.cursor(), other.cursor()
        cursor.execute("CREATE TABLE moves (a INT)")
        connection.autocommit = False
        cursor.execute("INSERT INTO moves VALUES (1)")
        same(reader.execute("SELECT count(*) FROM moves").fetchval(), 0)
        connection.commit()
        same(reader.execute("SELECT count(*) FROM moves").fetchval(), 1)
        cursor.execute("DELETE FROM moves")
        connection.rollback()
        same(reader.execute("SELECT count(*) FROM moves").fetchval(), 1)


def test_errors_in_transactions():
    # By default the driver sets a savepoint before each statement, and goes back to it after an error.
    with connect() as connection:
        cursor = connection.cursor()
        cursor.execute("CREATE TABLE kept_after_errors (a INT)")
        connection.autocommit = False
        cursor.execute("INSERT INTO kept_after_errors VALUES (1)")
        same(code(lambda: cursor.execute("SELECT * FROM nowhere")), "42P01")
        same(code(lambda: cursor.execute("INSERT INTO kept_after_errors VALUES (1 / 0)")), "22012")
        cursor.execute("INSERT INTO kept_after_errors VALUES (?)", 2)
        connection.commit()
        same(rows(cursor.execute("SELECT a FROM kept_after_errors ORDER BY a")), [(1,), (2,)])
        connection.rollback()
    # With 7.4-1 an error fails the whole transaction.
    with connect(Protocol="7.4-1") as connection:
        cursor = connection.cursor()
        connection.autocommit = False
        same(code(lambda: cursor.execute("SELECT * FROM nowhere")), "42P01")
        connection.rollback()
        same(cursor.execute("SELECT 1").fetchval(), 1)
        connection.rollback()


def test_catalog_functions_inside_a_transaction():
    with connect() as connection:
        cursor = connection.cursor()
        cursor.execute("CREATE TABLE meta_inside (a INT NOT NULL, b TEXT)")
        connection.autocommit = False
        cursor.execute("INSERT INTO meta_inside VALUES (1, 'x')")
        same([row.table_name for row in cursor.tables(table="meta_inside")], ["meta_inside"])
        same([row.column_name for row in cursor.columns(table="meta_inside")], ["a", "b"])
        cursor.primaryKeys(table="meta_inside").fetchall()
        cursor.statistics("meta_inside").fetchall()
        same(cursor.execute("SELECT count(*) FROM meta_inside").fetchval(), 1)
        connection.commit()


def test_codes_of_errors():
    with connect() as connection:
        cursor = connection.cursor()
        queries = ["SELEC 1", "SELECT 1 / 0", "SELECT 'x'::int", "SELECT * FROM nowhere"]
        same([code(lambda: cursor.execute(query)) for query in queries], ["42601", "22012", "22P02", "42P01"])


for name, test in list(globals().items()):
    if name.startswith("test_"):
        try:
            test()
            print("ok", name[5:], flush=True)
        except BaseException:
            print(f"failed {name[5:]}:", traceback.format_exc().replace("\n", "\\n"), flush=True)
