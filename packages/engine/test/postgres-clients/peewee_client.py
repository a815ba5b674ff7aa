"""peewee against a running node: `peewee_client.py host port`. Writes a line for each test."""

import sys
import traceback
from datetime import date, datetime
from decimal import Decimal

from peewee import (
    BigIntegerField,
    BooleanField,
    CharField,
    DateField,
    DateTimeField,
    DecimalField,
    DoubleField,
    ForeignKeyField,
    JOIN,
    Model,
    PostgresqlDatabase,
    TextField,
    fn,
)
from playhouse.postgres_ext import BinaryJSONField, JSONField

database = PostgresqlDatabase("tessera", host=sys.argv[1], port=int(sys.argv[2]), user="tessera")


class Paper(Model):
    facts = BinaryJSONField(index=False, null=True)
    notes = JSONField(null=True)

    class Meta:
        database = database


class Person(Model):
    name = CharField(max_length=50)
    born = DateField(null=True)

    class Meta:
        database = database


class Order(Model):
    person = ForeignKeyField(Person, backref="orders", index=False)
    total = DecimalField(max_digits=10, decimal_places=2)
    weight = DoubleField(null=True)
    units = BigIntegerField(default=1)
    paid = BooleanField(default=False)
    note = TextField(null=True)
    at = DateTimeField(null=True)

    class Meta:
        database = database
        table_name = "orders"


def same(actual, expected):
    assert actual == expected, f"{actual!r} instead of {expected!r}"


def test_makes_tables_and_reads_them():
    database.create_tables([Person, Order])
    database.create_tables([Person, Order])
    same(sorted(database.get_tables()), ["orders", "person"])
    found = {c.name: (c.null, c.primary_key) for c in database.get_columns("person")}
    same(found, {"id": (False, True), "name": (False, False), "born": (True, False)})
    same(database.get_primary_keys("person"), ["id"])
    keys = [(k.column, k.dest_table, k.dest_column) for k in database.get_foreign_keys("orders")]
    same(keys, [("person_id", "person", "id")])
    assert database.table_exists("person") and not database.table_exists("nobody")


def test_inserts_selects_updates_and_deletes():
    ada = Person.create(name="Ada", born=date(1815, 12, 10))
    alan = Person.create(name="Alan")
    at = datetime(2024, 2, 29, 12, 34, 56, 789000)
    Order.create(person=ada, total=Decimal("12.50"), weight=1.5, units=2**40, paid=True, note="it's ü", at=at)
    Order.insert_many([{"person": alan, "total": i} for i in range(3)]).execute()
    order = Order.get(Order.person == ada)
    same((order.total, order.weight, order.units, order.paid), (Decimal("12.50"), 1.5, 2**40, True))
    same((order.note, order.at, order.person.name), ("it's ü", at, "Ada"))
    query = (
        Person.select(Person.name, fn.COUNT(Order.id).alias("n"))
        .join(Order, JOIN.LEFT_OUTER)
        .group_by(Person.name)
        .order_by(Person.name)
    )
    same([(p.name, p.n) for p in query], [("Ada", 1), ("Alan", 3)])
    same([o.total for o in alan.orders.order_by(Order.total.desc()).limit(2)], [Decimal(2), Decimal(1)])
    same(Order.update(total=Order.total + 1).where(Order.person == alan).execute(), 3)
    same([p.name for p in Person.select().where(Person.name.contains("DA"))], ["Ada"])
    returned = Order.update(paid=True).where(Order.total == 3).returning(Order.total).execute()
    same([o.total for o in returned], [Decimal(3)])
    same(alan.delete_instance(recursive=True), 1)
    same(Order.select().count(), 1)
    same(Person.get_or_create(name="Ada")[1], False)


def test_inserts_or_updates():
    key = Person.insert(name="first").execute()
    rows = [{"id": key, "name": "second"}, {"id": key + 1_000, "name": "new"}]
    Person.insert_many(rows).on_conflict_ignore().execute()
    same([Person.get_by_id(row["id"]).name for row in rows], ["first", "new"])
    added = Person.insert(id=key, name="more").on_conflict(
        conflict_target=[Person.id], update={Person.name: Person.name.concat("+")}, where=(Person.id == key)
    )
    same(added.returning(Person.name).execute()[0].name, "first+")
    Person.insert_many(rows).on_conflict(conflict_target=[Person.id], preserve=[Person.name]).execute()
    same([Person.get_by_id(row["id"]).name for row in rows], ["second", "new"])
    same(Person.delete().where(Person.id.in_([row["id"] for row in rows])).execute(), 2)


def test_transactions_inside_one_another():
    with database.atomic():
        Person.create(name="kept")
        try:
            with database.atomic():
                Person.create(name="undone")
                raise ValueError("on purpose")
        except ValueError:
            pass
        with database.atomic():
            Person.create(name="kept too")
    names = ["kept", "undone", "kept too"]
    found = Person.select().where(Person.name.in_(names)).order_by(Person.name)
    same([p.name for p in found], ["kept", "kept too"])
    try:
        with database.atomic():
            Person.create(name="gone")
            raise ValueError("on purpose")
    except ValueError:
        pass
    same(Person.select().where(Person.name == "gone").count(), 0)


def test_queries_json_documents():
    database.create_tables([Paper])
    facts = {"a": {"b": [1, "two"]}, "tags": ["x", "y's"], "n": 7}
    first = Paper.create(facts=facts, notes=[1, {"x": None}])
    Paper.insert_many([{"facts": {"n": 8}}, {"facts": [1, "a"]}]).execute()
    same((Paper.get_by_id(first.id).facts, Paper.get_by_id(first.id).notes), (facts, [1, {"x": None}]))

    def found(condition):
        return [paper.facts for paper in Paper.select().where(condition).order_by(Paper.id)]

    same(found(Paper.facts.contains({"tags": ["x"]})), [facts])
    same(found(Paper.facts.contained_by({"n": 8, "z": 1})), [{"n": 8}])
    same(found(Paper.facts.has_key("tags")), [facts])
    same(found(Paper.facts.contains_any("tags", "a")), [facts, [1, "a"]])
    same(found(Paper.facts.contains_all("tags", "a")), [facts])
    same(found(Paper.facts["n"] == "8"), [{"n": 8}])
    same(found(Paper.facts["a"]["b"][1] == "two"), [facts])
    same(found(Paper.notes[1]["x"].as_json().is_null(False)), [facts])
    same(Paper.update(facts={"n": 9}).where(Paper.id == first.id).execute(), 1)
    same(Paper.get_by_id(first.id).facts, {"n": 9})
    database.drop_tables([Paper])


def test_drops_tables():
    database.drop_tables([Order, Person])
    same(database.get_tables(), [])


for name, test in list(globals().items()):
    if not name.startswith("test_"):
        continue
    try:
        test()
        print("ok", name[5:], flush=True)
    except BaseException:
        print(f"failed {name[5:]}:", traceback.format_exc().replace("\n", "\\n"), flush=True)
        database.close()
