-- source: Npgsql 8, types loaded at the first connection; retold
-- row: pg_catalog | 23 | int4 | b | NULL
SELECT ns.nspname, t.oid, t.typname, t.kind, t.elemtypoid
FROM (
  SELECT typ.oid, typ.typnamespace, typ.typname, typ.kind, typ.elemtypoid,
    CASE WHEN elemproc.proname = 'array_recv' THEN 'a' ELSE elemtyp.typtype END AS elemkind
  FROM (
    SELECT typ.oid, typ.typnamespace, typ.typname,
      CASE WHEN proc.proname = 'array_recv' THEN 'a' ELSE typ.typtype END AS kind,
      CASE WHEN proc.proname = 'array_recv' THEN typ.typelem
        WHEN typ.typtype = 'r' THEN rngsubtype
        WHEN typ.typtype = 'm' THEN (SELECT rngtypid FROM pg_range WHERE rngmultitypid = typ.oid)
        WHEN typ.typtype = 'd' THEN typ.typbasetype END AS elemtypoid
    FROM pg_type AS typ
      LEFT JOIN pg_class AS cls ON (cls.oid = typ.typrelid)
      LEFT JOIN pg_proc AS proc ON proc.oid = typ.typreceive
      LEFT JOIN pg_range ON (pg_range.rngtypid = typ.oid)
  ) AS typ
    LEFT JOIN pg_type AS elemtyp ON elemtyp.oid = typ.elemtypoid
    LEFT JOIN pg_proc AS elemproc ON elemproc.oid = elemtyp.typreceive
) AS t
JOIN pg_namespace AS ns ON (ns.oid = t.typnamespace)
WHERE t.kind IN ('b', 'r', 'm', 'e', 'd') OR (t.kind = 'p' AND t.typname IN ('record', 'void'))
  OR (t.kind = 'a' AND t.elemkind IN ('b', 'r', 'm', 'e', 'd'))
ORDER BY CASE WHEN t.kind IN ('b', 'e', 'p') THEN 0 WHEN t.kind = 'a' THEN 5 ELSE 3 END, t.oid
