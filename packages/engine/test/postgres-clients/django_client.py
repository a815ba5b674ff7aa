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


def run_manage(*arguments):
    """In a process of its own, which reads the models again."""
    import subprocess

    done = subprocess.run([sys.executable, __file__, *sys.argv[1:3], *arguments], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def configure():
    host, port = sys.argv[1:3]
    place = {"HOST": host, "PORT": port, "USER": "tessera", "NAME": "tessera"}
    settings.configure(
        DATABASES={"default": {"ENGINE": "django.db.backends.postgresql", **place}},
        INSTALLED_APPS=["library"],
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
    call_command(*sys.argv[3:], verbosity=0)
else:
    with tempfile.TemporaryDirectory() as ROOT:
        sys.path.insert(0, ROOT)
        main()
