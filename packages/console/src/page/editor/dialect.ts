import { PostgreSQL, SQLDialect } from '@codemirror/lang-sql';

const KEYWORDS = `add all alter analyze and any array as asc asof between begin by cascade case cast catalog check cluster
column comment commit constraint copy create cross cube current_date current_timestamp current_user database databases
default delete desc describe dimension distinct drop else end engine except exclude exists explain external fact false
filter first following for foreign format from full function generate grant group grouping having if ilike in index
inner insert intersect interval into is join key last lateral left like limit location materialized merge natural not
null nulls of offset on only or order outer over overlaps owner partition pivot positional preceding primary privileges
public qualify range read recursive references rename replace reset restrict returning revoke right role rollback rollup
row rows sample schema select semi anti sequence set sets show some start summarize table tablesample temporary then
ties to transaction trigger true truncate unbounded union unique unpivot update use user using vacuum values view when
where window with within without work`;

const TYPES = `array bigint blob boolean bytea date decimal double float geography int integer json long numeric precision
real smallint string struct text time timestamp timestampntz timestamptz uuid varchar`;

/** The dialect of the engine, as far as highlighting, completion and splitting into statements need it. */
export const dialect = SQLDialect.define({
  ...PostgreSQL.spec,
  keywords: KEYWORDS.replaceAll('\n', ' '),
  types: TYPES.replaceAll('\n', ' '),
});
