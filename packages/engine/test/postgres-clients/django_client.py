"""Django against a running node: `django_client.py host port`. Writes a line for each test."""

import io
import sys
import tempfile
import traceback
from datetime import date, datetime, timezone
from decimal import Decimal
from pathlib import Path

import django
from django.conf import settings
from django.core.management import call_command

MODELS = """
from django.db import models


class Author(models.Model):
    name = models.CharField(max_length=50)
    born = models.DateField(null=True)


class Book(models.Model):
    title = models.TextField()
    author = models.ForeignKey(Author, models.CASCADE, db_index=False)
    price = models.DecimalField(max_digits=10, decimal_places=2, default=0)
    rating = models.FloatField(null=True)
    printed = models.BooleanField(default=True)
    printed_at = models.DateTimeField(null=True)


class Paper(models.Model):
    facts = models.JSONField(null=True)
"""

MORE_MODELS = """

class Shelf(models.Model):
    number = models.BigIntegerField(unique=True)
"""


def same(actual, expected):
    assert actual == expected, f"{actual!r} instead of {expected!r}"


def models():
    from library.models import Author, Book

    return Author, Book


def test_makes_and_runs_migrations(app):
    call_command("makemigrations", "library", verbosity=0)
    same(len(list((app / "migrations").glob("0001_*.py"))), 1)
    call_command("migrate", verbosity=0)
    call_command("migrate", verbosity=0)
    output = io.StringIO()
    call_command("showmigrations", "library", stdout=output, no_color=True)
    same(output.getvalue().split(), ["library", "[X]", "0001_initial"])


def test_creates_filters_updates_and_deletes(_):
    from django.db.models import Avg, Count, F, Q

    Author, Book = models()
    ada = Author.objects.create(name="Ada", born=date(1815, 12, 10))
    alan = Author.objects.create(name="Alan")
    assert ada.id is not None and ada.id != alan.id
    at = datetime(2024, 2, 29, 12, 34, 56, 789000, tzinfo=timezone.utc)
    Book.objects.create(title="Notes", author=ada, price=Decimal("12.50"), rating=4.5, printed_at=at)
    Book.objects.bulk_create([Book(title=f"Paper {i}", author=alan, rating=i) for i in range(3)])
    notes = Book.objects.select_related("author").get(title="Notes")
    same((notes.author.name, notes.price, notes.printed_at), ("Ada", Decimal("12.50"), at))
    same((notes.printed, notes.rating), (True, 4.5))
    same(Book.objects.filter(printed_at__gte=at).count(), 1)
    same(Book.objects.filter(Q(title__icontains="PAPER") & ~Q(rating=1)).count(), 2)
    counted = Author.objects.values("name").annotate(n=Count("book"), mean=Avg("book__rating")).order_by("name")
    same([tuple(a.values()) for a in counted], [("Ada", 1, 4.5), ("Alan", 3, 1.0)])
    same(Book.objects.filter(author=alan).update(price=F("rating") + 1), 3)
    same(list(Book.objects.order_by("-price", "id").values_list("price", flat=True))[1], Decimal("3.00"))
    same(Book.objects.filter(rating__in=[0, 1]).delete(), (2, {"library.Book": 2}))
    same(alan.delete(), (2, {"library.Book": 1, "library.Author": 1}))
    same(list(Author.objects.values_list("name", flat=True)), ["Ada"])
    same(Author.objects.get_or_create(name="Ada")[1], False)
    grace, is_new = Author.objects.get_or_create(name="Grace")
    grace.born = date(1906, 12, 9)
    grace.save()
    same((is_new, Author.objects.get(pk=grace.pk).born), (True, date(1906, 12, 9)))


def test_annotates_and_aggregates(_):
    from django.db.models import Count, Exists, F, Max, Min, OuterRef, Q, Subquery, Sum, Window
    from django.db.models.functions import Coalesce, RowNumber, TruncMonth, Upper
    from django.db.models import Case, Value, When

    Author, Book = models()
    ann, bob, cid = [Author.objects.create(name=name) for name in ["x Ann", "x Bob", "x Cid"]]
    january, february = [datetime(2024, month, 5, tzinfo=timezone.utc) for month in [1, 2]]
    Book.objects.create(title="One", author=ann, price=10, printed_at=january)
    Book.objects.create(title="Two", author=ann, price=20, printed_at=february)
    Book.objects.create(title="Three", author=bob, price=5, printed_at=january)
    authors = Author.objects.filter(name__startswith="x ").order_by("id")
    books = Book.objects.filter(author__in=[ann, bob, cid]).order_by("id")
    # Django groups by the primary key alone and selects every column.
    same([(a.name, a.n) for a in authors.annotate(n=Count("book"))], [("x Ann", 2), ("x Bob", 1), ("x Cid", 0)])
    costly = authors.annotate(n=Count("book", filter=Q(book__price__gt=6))).filter(n__gte=1)
    same([(a.name, a.n) for a in costly], [("x Ann", 2)])
    same(books.aggregate(Sum("price"), Max("price"), Min("price"), n=Count("author", distinct=True)),
         {"price__sum": Decimal(35), "price__max": Decimal(20), "price__min": Decimal(5), "n": 2})
    months = books.annotate(m=TruncMonth("printed_at")).order_by("m").values("m").annotate(n=Count("id"))
    same([(row["m"].month, row["n"]) for row in months], [(1, 2), (2, 1)])
    costliest = Book.objects.filter(author=OuterRef("pk")).order_by("-price")
    titles = authors.annotate(title=Subquery(costliest.values("title")[:1])).values_list("title", flat=True)
    same(list(titles), ["Two", "Three", None])
    same(authors.filter(Exists(costliest)).count(), 2)
    ranked = books.annotate(r=Window(RowNumber(), partition_by=[F("author")], order_by=F("price").desc()))
    same([book.r for book in ranked], [2, 1, 1])
    words = books.annotate(w=Case(When(price__gt=9, then=Value("high")), default=Value("low")))
    same([book.w for book in words], ["high", "high", "low"])
    same(list(books.order_by("author_id", "-price").distinct("author_id").values_list("title", flat=True)), ["Two", "Three"])
    same(books.annotate(x=Upper("title"), y=Coalesce("rating", 2.5)).values_list("x", "y").first(), ("ONE", 2.5))
    same([book.title for book in books[1:3]], ["Two", "Three"])
    same(books.filter(printed_at__year=2024, printed_at__month=2, printed_at__date=date(2024, 2, 4)).count(), 1)
    same([len(a.book_set.all()) for a in authors.prefetch_related("book_set")], [2, 1, 0])
    same(list(authors.filter(name__iregex="^X A").union(authors.filter(name="x Cid")).values_list("name", flat=True).order_by("name")), ["x Ann", "x Cid"])
    first, second = books[:2]
    first.price, second.price = 11, 22
    same(Book.objects.bulk_update([first, second], ["price"]) in (None, 2), True)
    same(list(books.values_list("price", flat=True))[:2], [Decimal(11), Decimal(22)])


def test_finds_documents_by_their_parts(_):
    from django.db.models import Count, FloatField
    from django.db.models.fields.json import KeyTextTransform, KeyTransform
    from django.db.models.functions import Cast
    from library.models import Paper

    facts = [
        {"year": 1936, "tags": ["logic", "machines"], "author": {"name": "Turing", "born": 1912}},
        {"year": 1950, "tags": ["minds"], "author": {"name": "Turing"}, "read": True},
        {"author": {"name": "O'Hara", "born": None}, "tags": [], "year": 1843.5},
        ["a", 1, None],
        "text",
        None,
    ]
    papers = [Paper.objects.create(facts=f) for f in facts]
    Paper.objects.bulk_create([Paper(facts={"year": 1}), Paper(facts={"n": 'quote " and \\ backslash'})])
    same([p.facts for p in Paper.objects.order_by("id")][:6], facts)

    def found(**lookups):
        places = [p.id for p in papers]
        return [places.index(p.id) for p in Paper.objects.filter(id__lte=papers[-1].id, **lookups).order_by("id")]

    same(found(facts={"author": {"born": None, "name": "O'Hara"}, "year": 1843.5, "tags": []}), [2])
    same(found(facts__year=1936), [0])
    same(found(facts__year__gt=1900), [0, 1])
    same(found(facts__year__in=[1950, 1843.5]), [1, 2])
    same(found(facts__author__name="Turing"), [0, 1])
    same(found(facts__author__name__startswith="Tur"), [0, 1])
    same(found(facts__author__name__icontains="o'h"), [2])
    same(found(facts__author__born__isnull=False), [0, 2])
    same(found(facts__author__born=None), [2])
    same(found(facts__tags__0="logic"), [0])
    same(found(facts__1=1), [3])
    same(found(facts__contains={"author": {"name": "Turing"}}), [0, 1])
    same(found(facts__tags__contains="minds"), [1])
    same(found(facts__contained_by={"year": 1, "read": True, "tags": ["minds", "more"], "author": {"name": "Turing"}, "x": 1}), [])
    same(found(facts__contained_by=["a", 1, None, 2]), [3])
    same(found(facts__has_key="read"), [1])
    same(found(facts__author__has_key="born"), [0, 2])
    same(found(facts__has_keys=["year", "read"]), [1])
    same(found(facts__has_any_keys=["read", "none"]), [1])
    same(found(facts__isnull=True), [5])
    same(list(Paper.objects.filter(id=papers[0].id).values_list("facts__author__name", "facts__year")), [("Turing", 1936)])
    years = Paper.objects.annotate(y=Cast(KeyTextTransform("year", "facts"), FloatField())).filter(y__gt=1840)
    same(sorted(p.y for p in years), [1843.5, 1936, 1950])
    names = Paper.objects.filter(facts__has_key="author").annotate(name=KeyTransform("name", KeyTransform("author", "facts")))
    counted = names.values("name").annotate(n=Count("id")).order_by("n")
    same([(row["name"], row["n"]) for row in counted], [("O'Hara", 1), ("Turing", 2)])
    first = papers[0]
    first.facts["tags"].append("proofs")
    first.save()
    same(Paper.objects.get(id=first.id).facts["tags"], ["logic", "machines", "proofs"])
    same(Paper.objects.filter(facts__has_key="n").get().facts, {"n": 'quote " and \\ backslash'})
    same(Paper.objects.filter(facts__read=True).update(facts={"b": 1, "a": [1]}), 1)
    same(Paper.objects.filter(facts={"a": [1], "b": 1}).count(), 1)


def test_inserts_or_updates(_):
    from django.db import connection

    Author, _books = models()
    ada = Author.objects.create(name="upserted", born=date(1815, 12, 10))
    Author.objects.bulk_create([Author(id=ada.id, name="another"), Author(name="new one")], ignore_conflicts=True)
    same(Author.objects.get(id=ada.id).name, "upserted")
    same(Author.objects.filter(name__in=["another", "new one"]).count(), 1)
    # The statement of `bulk_create(update_conflicts=True)`, which Django has since 4.1.
    changed = [(ada.id, "changed"), (ada.id + 1_000_000, "with its own key")]
    with connection.cursor() as cursor:
        cursor.execute(
            'INSERT INTO "library_author" ("id", "name", "born") VALUES (%s, %s, NULL), (%s, %s, NULL) '
            'ON CONFLICT("id") DO UPDATE SET "name" = EXCLUDED."name"',
            [value for row in changed for value in row],
        )
    same(Author.objects.get(id=ada.id).born, date(1815, 12, 10))
    same([Author.objects.get(id=key).name for key, _ in changed], ["changed", "with its own key"])


def test_refuses_what_needs_row_locks(_):
    from django.db import NotSupportedError

    Author, _books = models()
    try:
        Author.objects.update_or_create(name="locked")
    except NotSupportedError as error:
        assert "snapshot isolation" in str(error), error
    else:
        raise AssertionError("not refused")


def test_transactions_inside_one_another(_):
    from django.db import DataError, connection, transaction

    Author, _ = models()
    with transaction.atomic():
        Author.objects.create(name="kept")
        try:
            with transaction.atomic():
                Author.objects.create(name="undone")
                with connection.cursor() as cursor:
                    cursor.execute("SELECT 1 / 0")
        except DataError:
            pass
        with transaction.atomic():
            Author.objects.create(name="kept too")
    names = ["kept", "undone", "kept too"]
    found = Author.objects.filter(name__in=names).order_by("name").values_list("name", flat=True)
    same(list(found), ["kept", "kept too"])


def test_inspects_the_database(_):
    output = io.StringIO()
    call_command("inspectdb", stdout=output)
    text = output.getvalue()
    for line in ["class LibraryAuthor(models.Model):", "price = models.DecimalField(max_digits=10, decimal_places=2)"]:
        assert line in text, text


def test_alters_tables_by_a_second_migration(app):
    path = app / "models.py"
    grown = path.read_text().replace("    born = ", "    email = models.TextField(null=True)\n    born = ")
    path.write_text(grown + MORE_MODELS)
    run_manage("makemigrations", "library")
    run_manage("migrate")
    from django.db import connection

    with connection.cursor() as cursor:
        names = [c.name for c in connection.introspection.get_table_description(cursor, "library_author")]
        assert "email" in names, names
        assert "library_shelf" in connection.introspection.table_names(cursor)


INDEXED_MODELS = """
from django.db import models


class Tag(models.Model):
    word = models.CharField(max_length=20, unique=True)


class Note(models.Model):
    tag = models.ForeignKey(Tag, models.CASCADE, null=True)
    tags = models.ManyToManyField(Tag, related_name="notes")
    slug = models.SlugField()
    at = models.DateTimeField(db_index=True, null=True)

    class Meta:
        indexes = [models.Index(fields=["slug", "at"])]
"""


def test_migrates_applications_with_indexes_by_the_documented_backend(app):
    page = (Path(__file__).parents[4] / "docs" / "postgres.md").read_text()
    backend = page.split("### A database backend for Django")[1].split("```python\n")[1].split("```")[0]
    for path, text in [("tessera_backend/base.py", backend), ("indexed/models.py", INDEXED_MODELS)]:
        (app.parent / path).parent.mkdir()
        (app.parent / path).write_text(text)
        (app.parent / path).with_name("__init__.py").touch()
    run_manage("makemigrations", "indexed", **INDEXED)
    run_manage("migrate", **INDEXED)
    run_manage("use", **INDEXED)
    grown = INDEXED_MODELS.replace("null=True)\n    tags", "null=True, db_index=False)\n    tags").replace(", db_index=True, null", ", null")
    (app.parent / "indexed" / "models.py").write_text(grown)
    run_manage("makemigrations", "indexed", **INDEXED)
    run_manage("migrate", **INDEXED)


INDEXED = {"ENGINE": "tessera_backend", "APPS": "indexed django.contrib.contenttypes django.contrib.auth"}


def use_indexed_models():
    from django.contrib.auth.models import Group, User
    from django.db import transaction
    from indexed.models import Note, Tag

    first, is_new = Tag.objects.update_or_create(word="first", defaults={})
    same((is_new, Tag.objects.update_or_create(word="first", defaults={})), (True, (first, False)))
    note = Note.objects.create(tag=first, slug="a")
    note.tags.add(first)
    note.tags.add(first, Tag.objects.get_or_create(word="second")[0])
    same(sorted(note.tags.values_list("word", flat=True)), ["first", "second"])
    note.tags.set([first])
    same((note.tags.count(), first.notes.get().pk), (1, note.pk))
    with transaction.atomic():
        same(Tag.objects.select_for_update().get(word="first").pk, first.pk)
    user = User.objects.create_user("ada", "ada@example.org", "secret")
    user.groups.add(Group.objects.create(name="readers"))
    same(User.objects.get(groups__name="readers").check_password("secret"), True)


def run_manage(*arguments, **environment):
    """In a process of its own, which reads the models again."""
    import os
    import subprocess

    command = [sys.executable, __file__, *sys.argv[1:3], *arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, env={**os.environ, **environment})
    assert done.returncode == 0, done.stdout + done.stderr


def configure():
    import os

    host, port = sys.argv[1:3]
    place = {"HOST": host, "PORT": port, "USER": "tessera", "NAME": "tessera"}
    settings.configure(
        DATABASES={"default": {"ENGINE": os.environ.get("ENGINE", "django.db.backends.postgresql"), **place}},
        INSTALLED_APPS=os.environ.get("APPS", "library").split(),
        DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
        USE_TZ=True,
    )
    django.setup()


def main():
    app = Path(ROOT) / "library"
    (app / "migrations").mkdir(parents=True)
    for name in ["__init__.py", "migrations/__init__.py"]:
        (app / name).touch()
    (app / "models.py").write_text(MODELS)
    configure()
    for name, test in list(globals().items()):
        if not name.startswith("test_"):
            continue
        try:
            test(app)
            print("ok", name[5:], flush=True)
        except BaseException:
            print(f"failed {name[5:]}:", traceback.format_exc().replace("\n", "\\n"), flush=True)


if len(sys.argv) > 3:
    ROOT = "."
    sys.path.insert(0, ROOT)
    configure()
    if sys.argv[3] == "use":
        use_indexed_models()
    else:
        call_command(*sys.argv[3:], verbosity=0)
else:
    with tempfile.TemporaryDirectory() as ROOT:
        sys.path.insert(0, ROOT)
        main()
