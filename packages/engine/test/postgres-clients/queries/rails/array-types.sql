-- source: Rails ActiveRecord, types of arrays; retold
-- row: 1007 | _int4 | 23 | , | array_in | NULL | b | 0
SELECT t.oid, t.typname, t.typelem, t.typdelim, t.typinput, r.rngsubtype, t.typtype, t.typbasetype FROM pg_type as t LEFT JOIN pg_range as r ON oid = rngtypid
WHERE t.typelem IN (23, 25) AND t.typinput = 'array_in(cstring,oid,integer)'::regprocedure
