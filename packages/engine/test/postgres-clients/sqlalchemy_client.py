"""SQLAlchemy against a running node: `sqlalchemy_client.py host port`. Writes a line for each test."""

import asyncio
import sys
import traceback
from datetime import date, datetime, timezone
from decimal import Decimal

from sqlalchemy import (
    JSON,
    Boolean,
    CheckConstraint,
    Column,
    Date,
    DateTime,
    Float,
    ForeignKey,
    Integer,
    LargeBinary,
    MetaData,
    Numeric,
    String,
    Table,
    case,
    create_engine,
    func,
    inspect,
    literal,
    select,
    text,
)
from sqlalchemy.dialects.postgresql import ARRAY, JSONB, array
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import create_async_engine
from sqlalchemy.orm import Session, declarative_base, relationship, selectinload

ADDRESS = f"tessera@{sys.argv[1]}:{sys.argv[2]}/tessera"
engine = create_engine(f"postgresql+psycopg2://{ADDRESS}", future=True)
Base = declarative_base()


class Author(Base):
    __tablename__ = "authors"
    id = Column(Integer, primary_key=True)
    name = Column(String(40), nullable=False)
    born = Column(Date)
    books = relationship("Book", back_populates="author", order_by="Book.id")


class Book(Base):
    __tablename__ = "books"
    id = Column(Integer, primary_key=True)
    author_id = Column(ForeignKey("authors.id"), nullable=False)
    title = Column(String, nullable=False)
    price = Column(Numeric(10, 2), CheckConstraint("price >= 0"))
    rating = Column(Float)
    printed = Column(Boolean, default=True)
    printed_at = Column(DateTime(timezone=True))
    cover = Column(LargeBinary)
    tags = Column(ARRAY(String))
    notes = Column(JSON)
    facts = Column(JSONB)
    author = relationship("Author", back_populates="books")


def same(actual, expected):
    assert actual == expected, f"{actual!r} instead of {expected!r}"


def test_makes_tables_and_reflects_them():
    Base.metadata.create_all(engine)
    Base.metadata.create_all(engine)
    found = inspect(engine)
    same(sorted(found.get_table_names()), ["authors", "books"])
    columns = {c["name"]: (str(c["type"]), c["nullable"]) for c in found.get_columns("books")}
    same(columns["id"], ("INTEGER", False))
    same(columns["price"], ("NUMERIC(10, 2)", True))
    same((columns["tags"][0], columns["notes"][0], columns["facts"][0]), ("ARRAY", "JSON", "JSONB"))
    same(found.get_pk_constraint("authors")["constrained_columns"], ["id"])
    (key,) = found.get_foreign_keys("books")
    same((key["constrained_columns"], key["referred_table"], key["referred_columns"]), (["author_id"], "authors", ["id"]))
    same([c["sqltext"] for c in found.get_check_constraints("books")], ["price >= 0"])
    same((found.has_table("books"), found.has_table("nothing")), (True, False))
    reflected = MetaData()
    reflected.reflect(engine)
    same(sorted(reflected.tables), ["authors", "books"])
    assert isinstance(reflected.tables["books"].c.facts.type, JSONB)


def test_saves_loads_changes_and_deletes():
    at = datetime(2024, 2, 29, 12, 34, 56, 789000, tzinfo=timezone.utc)
    with Session(engine) as session:
        ada = Author(name="Ada", born=date(1815, 12, 10))
        ada.books = [
            Book(title="Notes", price=Decimal("12.50"), rating=4.5, printed_at=at, cover=b"\0\xff", tags=["a", 'b"c']),
            Book(title="More", price=Decimal("1.00")),
        ]
        session.add_all([ada, Author(name="Alan")])
        session.commit()
        assert None not in (ada.id, ada.books[0].id)
    with Session(engine) as session:
        (ada,) = session.scalars(select(Author).where(Author.name.ilike("AD%")).options(selectinload(Author.books)))
        book, more = ada.books
        same((book.price, book.rating, book.printed, book.cover), (Decimal("12.50"), 4.5, True, b"\0\xff"))
        same((book.printed_at, book.tags), (at, ["a", 'b"c']))
        more.price = Book.price + 1
        session.commit()
        same(more.price, Decimal("2.00"))
        session.delete(more)
        session.commit()
        counts = select(Author.name, func.count(Book.id)).outerjoin(Book).group_by(Author.name).order_by(Author.name)
        same(session.execute(counts).all(), [("Ada", 1), ("Alan", 0)])
        cheap = select(case((Book.price < 10, "cheap"), else_="dear"), func.coalesce(Book.rating, 0) + literal(1))
        same(session.execute(cheap).all(), [("dear", 5.5)])


def test_inserts_or_updates():
    from sqlalchemy.dialects.postgresql import insert

    authors = Author.__table__
    with engine.begin() as connection:
        (key,) = connection.execute(authors.insert().values(name="first").returning(authors.c.id)).one()
        rows = insert(authors).values([{"id": key, "name": "second"}, {"id": key + 1_000, "name": "new"}])
        ignored = rows.on_conflict_do_nothing(index_elements=["id"]).returning(authors.c.id)
        same(connection.execute(ignored).all(), [(key + 1_000,)])
        same(connection.execute(rows.on_conflict_do_nothing()).rowcount, 0)
        rename = {"name": authors.c.name + " " + rows.excluded.name}
        changed = rows.on_conflict_do_update(index_elements=[authors.c.id], set_=rename, where=authors.c.id == key)
        same(connection.execute(changed.returning(authors.c.name)).all(), [("first second",)])
        named = rows.on_conflict_do_update(constraint="authors_pkey", set_=dict(name=rows.excluded.name, born=date(2000, 1, 1)))
        same(connection.execute(named).rowcount, 2)
        same(connection.execute(authors.delete().where(authors.c.id.in_([key, key + 1_000])).returning(authors.c.name)).rowcount, 2)


def test_numbers_rows_of_identity_columns():
    from sqlalchemy import Identity

    numbered = Table(
        "numbered",
        MetaData(),
        Column("id", Integer, Identity(start=42, cycle=True), primary_key=True),
        Column("other", Integer, Identity(always=True)),
        Column("name", String(20)),
    )
    numbered.create(engine)
    with engine.begin() as connection:
        same(connection.execute(numbered.insert().values(name="a").returning(numbered.c.id, numbered.c.other)).all(), [(42, 1)])
        connection.execute(numbered.insert(), [{"name": "b"}, {"name": "c"}])
        same(connection.execute(select(func.count(numbered.c.id.distinct()))).scalar(), 3)
    identity = {c["name"]: c.get("identity") for c in inspect(engine).get_columns("numbered")}
    same((identity["id"]["start"], identity["id"]["always"], identity["other"]["always"]), (42, False, True))
    numbered.drop(engine)


def test_queries_json_documents():
    with Session(engine) as session:
        author = session.scalars(select(Author.id)).first()
        documents = [{"a": {"b": [1, "two"]}, "n": 7, "t": True}, {"a": None, "n": 10}, [1, 2, {"x": "ü"}], None]
        for document in documents:
            session.add(Book(author_id=author, title="documents", notes=document, facts=document))
        session.commit()
        books = select(Book.facts).where(Book.title == "documents").order_by(Book.id)
        same(session.scalars(books).all(), documents)
        same(session.scalars(books.with_only_columns(Book.notes)).all(), documents)
        for column in (Book.notes, Book.facts):
            parts = books.with_only_columns(column["a"]["b"][1].as_string(), column["n"].as_integer(), column[("a", "b", 0)])
            same(session.execute(parts.limit(2)).all(), [("two", 7, 1), (None, 10, None)])
            same(session.scalars(books.where(column["n"].as_integer() > 8)).all(), documents[1:2])
            same(session.scalars(books.where(column["t"].as_boolean().is_(True))).all(), documents[:1])
        same(session.scalars(books.where(Book.facts.contains({"a": {"b": ["two"]}}))).all(), documents[:1])
        same(session.scalars(books.where(Book.facts.has_key("t"))).all(), documents[:1])
        same(session.scalars(books.where(Book.facts.has_any(array(["t", "a"])))).all(), documents[:2])
        same(session.scalars(books.where(Book.facts.has_all(array(["t", "n"])))).all(), documents[:1])
        same(session.scalars(books.where(Book.facts["n"].astext == "10")).all(), documents[1:2])
        same(session.scalars(books.where(Book.facts.contained_by({"a": None, "n": 10, "z": 1}))).all(), documents[1:2])
        changed = session.scalars(select(Book).where(Book.facts.has_key("t"))).one()
        changed.facts = {**changed.facts, "n": 8}
        session.commit()
        same(session.scalars(books.where(Book.facts["n"] == 8)).all(), [{**documents[0], "n": 8}])


def test_rolls_the_inner_one_of_two_transactions_back():
    with Session(engine) as session:
        session.add(Author(name="kept"))
        with session.begin_nested():
            session.add(Author(name="kept too"))
        try:
            with session.begin_nested():
                session.add(Author(name="undone"))
                session.flush()
                raise ValueError("on purpose")
        except ValueError:
            pass
        session.commit()
        names = select(Author.name).where(Author.name.in_(["kept", "kept too", "undone"])).order_by(Author.name)
        same(session.scalars(names).all(), ["kept", "kept too"])


def test_reads_in_portions_and_inserts_many():
    numbers = Table("numbers", MetaData(), Column("n", Integer), Column("t", String))
    with engine.begin() as connection:
        numbers.create(connection)
        connection.execute(numbers.insert(), [{"n": i, "t": f"t{i}"} for i in range(500)])
        rows = connection.execute(select(numbers.c.n).order_by(numbers.c.n).execution_options(stream_results=True))
        same([n for part in rows.partitions(100) for (n,) in part], list(range(500)))
        returned = connection.execute(numbers.delete().where(numbers.c.n >= 498).returning(numbers.c.t))
        same(sorted(t for (t,) in returned), ["t498", "t499"])
        numbers.drop(connection)


def test_errors_are_those_of_the_driver():
    with engine.connect() as connection:
        for statement, code in [("SELECT * FROM nowhere", "42P01"), ("SELECT 1 / 0", "22012")]:
            try:
                connection.execute(text(statement))
                raise AssertionError("no error")
            except DBAPIError as error:
                same(error.orig.pgcode, code)
            connection.rollback()


def test_works_with_asyncpg():
    async def run():
        asynchronous = create_async_engine(f"postgresql+asyncpg://{ADDRESS}", future=True)
        async with asynchronous.begin() as connection:
            insert = Book.__table__.insert().returning(Book.id)
            author = (await connection.execute(select(Author.id).limit(1))).scalar_one()
            document = {"x": [1, {"y": None}], "s": "'\"\\ü"}
            values = {"author_id": author, "title": "async", "notes": document, "facts": document, "tags": ["a"]}
            book = (await connection.execute(insert, values)).scalar_one()
            found = select(Book.facts, Book.notes, Book.tags).where(Book.id == book)
            same((await connection.execute(found)).one(), (document, document, ["a"]))
            same(len((await connection.execute(found.where(Book.facts.has_key("x")))).all()), 1)
            same((await connection.execute(found.where(Book.facts["s"].astext == "nothing"))).all(), [])
        await asynchronous.dispose()

    asyncio.run(run())


def test_drops_tables():
    Base.metadata.drop_all(engine)
    same(inspect(engine).get_table_names(), [])


for name, test in list(globals().items()):
    if not name.startswith("test_"):
        continue
    try:
        test()
        print("ok", name[5:], flush=True)
    except BaseException:
        print(f"failed {name[5:]}:", traceback.format_exc().replace("\n", "\\n"), flush=True)
