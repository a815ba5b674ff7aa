"""psycopg2 against a running node: `psycopg2_client.py host port`. Writes a line for each test."""

import io
import sys
import threading
import traceback
from datetime import date, datetime, timedelta, timezone
from decimal import Decimal

import psycopg2
import psycopg2.errors
import psycopg2.extras
from psycopg2 import extensions, sql

HOST, PORT = sys.argv[1], int(sys.argv[2])


def connect(**options):
    place = {"host": HOST, "port": PORT, "user": "tessera", "dbname": "tessera"}
    return psycopg2.connect(**{**place, **options})


def same(actual, expected):
    assert actual == expected, f"{actual!r} instead of {expected!r}"


def raises(error, run):
    try:
        run()
    except error as caught:
        return caught
    raise AssertionError(f"no {error.__name__}")


def one(cursor, query, parameters=None):
    cursor.execute(query, parameters)
    (row,) = cursor.fetchall()
    return row


def test_values_both_ways():
    zone = timezone(timedelta(hours=2))
    values = [
        (None, "int"),
        (7, "int"),
        (2**63 - 1, "bigint"),
        (1.5, "double precision"),
        (Decimal("12345678901234567890.123456789"), "numeric(38, 9)"),
        (True, "boolean"),
        ("it's \\ \"ü\" 😀", "text"),
        (date(2024, 2, 29), "date"),
        (date.min, "date"),
        (datetime(2024, 2, 29, 12, 34, 56, 789012), "timestamp"),
        (datetime(2024, 2, 29, 12, 34, 56, tzinfo=zone), "timestamptz"),
        ([1, None, 3], "int[]"),
        (["a", None, "{,\"}"], "text[]"),
        ([date(2024, 2, 29)], "date[]"),
        ([], "text[]"),
        ([True, False], "boolean[]"),
        ([Decimal("1.50")], "numeric(4, 2)[]"),
    ]
    with connect() as connection, connection.cursor() as cursor:
        columns = ", ".join(f"c{i} {kind}" for i, (_, kind) in enumerate(values))
        cursor.execute(f"CREATE TABLE every_type ({columns})")
        places = ", ".join(["%s"] * len(values))
        cursor.execute(f"INSERT INTO every_type VALUES ({places})", [value for value, _ in values])
        same(one(cursor, "SELECT * FROM every_type"), tuple(value for value, _ in values))
        casts = ", ".join(f"%s::{kind}" for _, kind in values)
        same(one(cursor, f"SELECT {casts}", [value for value, _ in values]), tuple(v for v, _ in values))


def test_bytea_and_json():
    everything = bytes(range(256))
    with connect() as connection, connection.cursor() as cursor:
        (value, document) = one(
            cursor,
            "SELECT %s::bytea, %s::json",
            (psycopg2.Binary(everything), psycopg2.extras.Json({"a": [1, None, "ü"]})),
        )
        same(bytes(value), everything)
        same(document, {"a": [1, None, "ü"]})
        (array,) = one(cursor, "SELECT %s::bytea[]", ([psycopg2.Binary(b"\x00\xff")],))
        same([bytes(item) for item in array], [b"\x00\xff"])


def test_description_of_columns():
    with connect() as connection, connection.cursor() as cursor:
        cursor.execute("SELECT 1::int AS a, 'x' AS b, 1::numeric(10, 2) AS c, NULL::date AS d")
        same([column.name for column in cursor.description], ["a", "b", "c", "d"])
        same([column.type_code for column in cursor.description], [23, 25, 1700, 1082])
        same((cursor.description[2].precision, cursor.description[2].scale), (10, 2))
        same((cursor.rowcount, cursor.statusmessage), (1, "SELECT 1"))


def test_executemany_and_pages():
    rows = [(i, f"name {i}") for i in range(500)]
    with connect() as connection, connection.cursor() as cursor:
        cursor.execute("CREATE TABLE many (a INT, b TEXT)")
        cursor.executemany("INSERT INTO many VALUES (%s, %s)", rows[:20])
        psycopg2.extras.execute_values(cursor, "INSERT INTO many VALUES %s", rows[20:300], page_size=100)
        psycopg2.extras.execute_batch(cursor, "INSERT INTO many VALUES (%s, %s)", rows[300:320])
        psycopg2.extras.execute_values(cursor, "INSERT INTO many (b, a) VALUES %s", [(b, a) for a, b in rows[320:]])
        cursor.execute("SELECT a, b FROM many ORDER BY a")
        same(cursor.fetchall(), rows)
        same(one(cursor, "SELECT count(*) FROM many WHERE a IN %s", ((1, 2, 900),)), (2,))
        same(one(cursor, "SELECT count(*) FROM many WHERE a = ANY(%s)", ([1, 2, 900],)), (2,))
        cursor.execute("UPDATE many SET b = 'x' WHERE a < 10")
        same(cursor.rowcount, 10)


def test_named_cursor():
    with connect() as connection:
        with connection.cursor("numbers") as cursor:
            cursor.itersize = 100
            cursor.execute("SELECT i, 'n' || i FROM generate_series(1, 1000) AS r(i)")
            same(cursor.fetchone(), (1, "n1"))
            same(cursor.fetchmany(2), [(2, "n2"), (3, "n3")])
            cursor.scroll(7)
            same(next(cursor), (11, "n11"))
            same(sum(1 for _ in cursor), 989)
            same(cursor.fetchall(), [])
        with connection.cursor() as cursor:
            same(one(cursor, "SELECT 1"), (1,))
    connection.autocommit = True
    with connection.cursor("outside") as cursor:
        raises(psycopg2.ProgrammingError, lambda: cursor.execute("SELECT 1"))


def test_named_cursor_with_hold():
    connection = connect()
    with connection.cursor() as cursor:
        cursor.execute("CREATE TABLE held (a INT)")
        cursor.execute("INSERT INTO held SELECT i FROM generate_series(1, 100000) AS r(i)")
    held = connection.cursor("held", withhold=True)
    held.execute("SELECT a FROM held ORDER BY a")
    same(held.fetchmany(2), [(1,), (2,)])
    connection.commit()
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM held")
    connection.commit()
    same(held.fetchall()[-1], (100000,))
    held.close()
    connection.commit()
    gone = connection.cursor("gone", withhold=True)
    gone.execute("SELECT a FROM held")
    connection.rollback()
    raises(psycopg2.errors.InvalidCursorName, gone.fetchall)
    connection.close()


def test_cursors_with_names_of_columns():
    with connect() as connection:
        with connection.cursor(cursor_factory=psycopg2.extras.RealDictCursor) as cursor:
            same(dict(one(cursor, "SELECT 1 AS a, 'x' AS b")), {"a": 1, "b": "x"})
        with connection.cursor(cursor_factory=psycopg2.extras.NamedTupleCursor) as cursor:
            same(one(cursor, "SELECT 1 AS a").a, 1)


def test_copy_expert_both_ways():
    with connect() as connection, connection.cursor() as cursor:
        cursor.execute("CREATE TABLE copied (a INT, b TEXT, c DATE)")
        csv = 'a,b,c\n1,"x ""y"",\nz",2024-02-29\n2,,\n'
        cursor.copy_expert("COPY copied FROM STDIN WITH (FORMAT csv, HEADER)", io.StringIO(csv))
        same(cursor.rowcount, 2)
        out = io.StringIO()
        cursor.copy_expert("COPY (SELECT * FROM copied ORDER BY a) TO STDOUT WITH (FORMAT csv, HEADER)", out)
        same(out.getvalue(), csv)
        text = io.BytesIO()
        cursor.copy_expert("COPY (SELECT * FROM copied ORDER BY a) TO STDOUT", text)
        same(text.getvalue(), b'1\tx "y",\\nz\t2024-02-29\n2\t\\N\t\\N\n')


def test_copy_from_and_to():
    lines = "".join(f"{i}\tname {i}\n" for i in range(20_000))
    with connect() as connection, connection.cursor() as cursor:
        cursor.execute("CREATE TABLE plain (a INT, b TEXT)")
        cursor.copy_from(io.StringIO(lines), "plain")
        cursor.copy_from(io.StringIO("x|-\n"), "plain", sep="|", null="-", columns=("b", "a"))
        same(one(cursor, "SELECT count(*), count(a), min(b) FROM plain"), (20_001, 20_000, "name 0"))
        cursor.execute("DELETE FROM plain WHERE a IS NULL")
        out = io.StringIO()
        cursor.copy_to(out, "plain")
        same(sorted(out.getvalue().splitlines()), sorted(lines.splitlines()))


def test_copy_that_fails():
    with connect() as connection, connection.cursor() as cursor:
        cursor.execute("CREATE TABLE strict (a INT)")
        connection.commit()
        error = raises(psycopg2.Error, lambda: cursor.copy_from(io.StringIO("1\nx\n"), "strict"))
        same(error.pgcode, "22P02")
        connection.rollback()

        class Broken:
            def read(self, _size):
                raise ValueError("no more")

        raises(psycopg2.Error, lambda: cursor.copy_expert("COPY strict FROM STDIN", Broken()))
        connection.rollback()
        same(one(cursor, "SELECT count(*) FROM strict"), (0,))


def test_transactions():
    connection, other = connect(), connect()
    with connection.cursor() as cursor, other.cursor() as reader:
        cursor.execute("CREATE TABLE moves (a INT)")
        connection.commit()
        cursor.execute("INSERT INTO moves VALUES (1)")
        same(connection.info.transaction_status, extensions.TRANSACTION_STATUS_INTRANS)
        same(one(reader, "SELECT count(*) FROM moves"), (0,))
        other.rollback()
        connection.commit()
        same(one(reader, "SELECT count(*) FROM moves"), (1,))
        cursor.execute("INSERT INTO moves VALUES (2)")
        connection.rollback()
        same(one(cursor, "SELECT count(*) FROM moves"), (1,))
    connection.close()
    other.close()


def test_failed_transaction():
    connection = connect()
    cursor = connection.cursor()
    error = raises(psycopg2.errors.UndefinedTable, lambda: cursor.execute("SELECT * FROM nowhere"))
    same((error.pgcode, error.diag.severity, error.diag.statement_position), ("42P01", "ERROR", "15"))
    assert "nowhere" in error.diag.message_primary and "LINE 1" in error.pgerror, error.pgerror
    same(connection.info.transaction_status, extensions.TRANSACTION_STATUS_INERROR)
    same(raises(psycopg2.errors.InFailedSqlTransaction, lambda: cursor.execute("SELECT 1")).pgcode, "25P02")
    connection.rollback()
    same(one(cursor, "SELECT 1"), (1,))
    connection.close()


def test_with_blocks():
    connection = connect()
    with connection, connection.cursor() as cursor:
        cursor.execute("CREATE TABLE blocks (a INT)")

    def thrown():
        with connection, connection.cursor() as cursor:
            cursor.execute("INSERT INTO blocks VALUES (1)")
            raise KeyError("enough")

    raises(KeyError, thrown)
    with connection, connection.cursor() as cursor:
        same(one(cursor, "SELECT count(*) FROM blocks"), (0,))
    connection.close()


def test_session_characteristics():
    connection = connect()
    connection.set_session(isolation_level="REPEATABLE READ", readonly=True)
    cursor = connection.cursor()
    same(one(cursor, "SHOW transaction_isolation"), ("repeatable read",))
    error = raises(psycopg2.Error, lambda: cursor.execute("CREATE TABLE never (a INT)"))
    same(error.pgcode, "25006")
    connection.rollback()
    connection.set_session(readonly=False, autocommit=True)
    cursor.execute("CREATE TABLE autocommitted (a INT)")
    same(connection.info.transaction_status, extensions.TRANSACTION_STATUS_IDLE)
    connection.close()


def test_cancel_from_another_thread():
    connection = connect()
    cursor = connection.cursor()
    long = "SELECT sum(a.i * b.i % 7) FROM generate_series(1, 1000000) AS a(i), generate_series(1, 1000000) AS b(i)"
    stopped = threading.Event()

    def cancel():
        while not stopped.wait(0.05):
            connection.cancel()

    canceller = threading.Thread(target=cancel)
    canceller.start()
    try:
        error = raises(extensions.QueryCanceledError, lambda: cursor.execute(long))
    finally:
        stopped.set()
        canceller.join()
    same(error.pgcode, "57014")
    connection.rollback()
    connection.close()


def test_statement_timeout():
    with connect(options="-c statement_timeout=200") as connection, connection.cursor() as cursor:
        long = "SELECT sum(a.i * b.i % 7) FROM generate_series(1, 1000000) AS a(i), generate_series(1, 1000000) AS b(i)"
        same(raises(extensions.QueryCanceledError, lambda: cursor.execute(long)).pgcode, "57014")


def test_notices():
    with connect() as connection, connection.cursor() as cursor:
        cursor.execute("BEGIN")
        (notice,) = connection.notices
        assert notice.startswith("WARNING:") and "already" in notice, notice
        del connection.notices[:]
    connection.autocommit = True
    with connection.cursor() as cursor:
        cursor.execute("COMMIT")
        assert connection.notices[0].startswith("WARNING:"), connection.notices


def test_mogrify_and_composed_sql():
    with connect() as connection, connection.cursor() as cursor:
        same(cursor.mogrify("SELECT %s, %s", ("a'b\\", None)), b"SELECT 'a''b\\', NULL")
        same(one(cursor, cursor.mogrify("SELECT %s", ("a'b\\",))), ("a'b\\",))
        cursor.execute(sql.SQL("CREATE TABLE {} ({} INT)").format(sql.Identifier('A "b"'), sql.Identifier("Order")))
        cursor.execute(sql.SQL("INSERT INTO {} VALUES ({})").format(sql.Identifier('A "b"'), sql.Literal(5)))
        same(one(cursor, 'SELECT "Order" FROM "A ""b"""'), (5,))


def test_codes_of_errors():
    connection = connect()
    connection.autocommit = True
    cursor = connection.cursor()
    codes = {
        "SELEC 1": "42601",
        "SELECT 1 / 0": "22012",
        "SELECT nothing FROM (SELECT 1 AS a) AS s": "42703",
        "SELECT no_function(1)": "42883",
        "SELECT 'x'::int": "22P02",
        "SELECT NULL::no_such_type": "42704",
        "SELECT 2147483647::int + (1)::int": "22003",
        "BEGIN ISOLATION LEVEL SERIALIZABLE": "0A000",
    }
    seen = {query: raises(psycopg2.Error, lambda: cursor.execute(query)).pgcode for query in codes}
    same(seen, codes)
    connection.close()


def test_parameters_of_the_connection():
    connection = connect(application_name="proof", options="-c timezone=Europe/Berlin -c search_path=public")
    with connection, connection.cursor() as cursor:
        same(one(cursor, "SHOW application_name"), ("proof",))
        same(one(cursor, "SHOW TimeZone"), ("Europe/Berlin",))
        (moment,) = one(cursor, "SELECT '2024-07-01 12:00:00+00'::timestamptz")
        same(str(moment), "2024-07-01 14:00:00+02:00")
    same(connection.get_parameter_status("server_encoding"), "UTF8")
    same(connection.get_parameter_status("TimeZone"), "Europe/Berlin")
    assert connection.server_version >= 150000
    assert connection.info.backend_pid > 0 and not connection.info.ssl_in_use
    connection.close()
    error = raises(psycopg2.OperationalError, lambda: connect(dbname="no_such_database"))
    assert "no_such_database" in str(error), error
    raises(psycopg2.OperationalError, lambda: connect(sslmode="require"))


def test_many_statements_at_once():
    with connect() as connection, connection.cursor() as cursor:
        same(one(cursor, "CREATE TABLE sequence (a INT); INSERT INTO sequence VALUES (1), (2); SELECT sum(a) FROM sequence"), (3,))


def test_large_texts():
    large = "x'" * 20_000
    with connect() as connection, connection.cursor() as cursor:
        same(one(cursor, "SELECT %s AS value", (large,)), (large,))


def test_asynchronous_connection():
    connection = connect(async_=True)
    psycopg2.extras.wait_select(connection)
    cursor = connection.cursor()
    cursor.execute("SELECT 1, 'x'")
    psycopg2.extras.wait_select(connection)
    same(cursor.fetchall(), [(1, "x")])
    connection.close()


for name, test in list(globals().items()):
    if name.startswith("test_"):
        try:
            test()
            print("ok", name[5:], flush=True)
        except BaseException:
            print(f"failed {name[5:]}:", traceback.format_exc().replace("\n", "\\n"), flush=True)
