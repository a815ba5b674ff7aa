-- source: SQLAlchemy 1.4, reflection through psycopg2
-- rows: 0
SELECT
                pgd.description as table_comment
            FROM
                pg_catalog.pg_description pgd
            WHERE
                pgd.objsubid = 0 AND
                pgd.objoid = {oid:t}
