-- source: Npgsql 8, fields of composite types; retold
-- rows: 0
SELECT typ.oid, att.attname, att.atttypid
FROM pg_type AS typ
  JOIN pg_namespace AS ns ON (ns.oid = typ.typnamespace)
  JOIN pg_class AS cls ON (cls.oid = typ.typrelid)
  JOIN pg_attribute AS att ON (att.attrelid = typ.typrelid)
WHERE typ.typtype = 'c' AND cls.relkind = 'c' AND att.attnum > 0 AND NOT att.attisdropped
ORDER BY typ.oid, att.attnum
