-- source: DataGrip, names of a schema's objects; retold
-- row: * | 2200 | r | t
-- row: * | 2200 | v | seen
select T.oid as oid, relnamespace as schemaId, pg_catalog.translate(relkind, 'rmvpfS', 'rmvrfS') as kind, relname as name from pg_catalog.pg_class T
where relnamespace in ( {oid:public} ) and relkind in ('r', 'm', 'v', 'p', 'f', 'S')
union all select T.oid, T.typnamespace, 'T', T.typname from pg_catalog.pg_type T left outer join pg_catalog.pg_class C on T.typrelid = C.oid
where T.typnamespace in ( {oid:public} ) and ( T.typtype in ('d','e') or C.relkind = 'c'::"char" or (T.typtype = 'b' and (T.typelem = 0 OR T.typcategory <> 'A')) or T.typtype = 'p' and not T.typisdefined )
union all select oid, collnamespace, 'C', collname from pg_catalog.pg_collation where collnamespace in ( {oid:public} )
union all select oid, oprnamespace, 'O', oprname from pg_catalog.pg_operator where oprnamespace in ( {oid:public} )
union all select oid, opcnamespace, 'c', opcname from pg_catalog.pg_opclass where opcnamespace in ( {oid:public} )
union all select oid, opfnamespace, 'F', opfname from pg_catalog.pg_opfamily where opfnamespace in ( {oid:public} )
union all select oid, pronamespace, case when prokind != 'a' then 'R' else 'a' end, proname from pg_catalog.pg_proc where pronamespace in ( {oid:public} )
order by schemaId
