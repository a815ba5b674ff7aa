-- source: Tableau, columns of a table it is about to read; retold
-- rows: 0
SELECT * FROM (SELECT "seen"."k" AS "k", "seen"."v" AS "v" FROM "public"."seen" "seen") "t" WHERE 1=0
