/** The keywords of the kernel's parser that are not reserved: it takes none of them for an alias without AS. */
export const KERNEL_KEYWORDS: ReadonlySet<string> = new Set(
  `abort absolute access action add admin after aggregate also alter always anti asof assertion assignment
   at attach attribute authorization backward before begin between bigint binary bit boolean by cache call
   called cascade cascaded catalog centuries century chain char character characteristics checkpoint class
   close cluster coalesce collation columns comment comments commit committed compression concurrently
   configuration conflict connection constraints content continue conversion copy cost cross csv cube
   current cursor cycle data database day days deallocate dec decade decades decimal declare defaults
   deferred definer delete delimiter delimiters depends detach dictionary disable discard document domain
   double drop each enable encoding encrypted enum error escape event exclude excluding exclusive execute
   exists explain export export_state extension extensions external extract family filter first float
   following force forward freeze full function functions generated glob global grant granted grouping
   grouping_id groups handler header hold hour hours identity if ignore ilike immediate immutable implicit
   import include including increment index indexes inherit inherits inline inner inout input insensitive
   insert install instead int integer interval invoker is isnull isolation join json key label language
   large last leakproof left level like listen load local location lock locked logged macro map mapping
   match matched materialized maxvalue merge method microsecond microseconds millennia millennium
   millisecond milliseconds minute minutes minvalue mode month months move name names national natural
   nchar new next no none nothing notify notnull nowait nullif nulls numeric object of off oids old
   operator option options ordinality others out outer over overlaps overlay overriding owned owner
   parallel parser partial partition partitioned passing password percent persistent plans policy position
   positional pragma preceding precision prepare prepared preserve prior privileges procedural procedure
   program publication quarter quarters quote range read real reassign recheck recursive ref referencing
   refresh reindex relative release rename repeatable replace replica reset respect restart restrict
   returns revoke right role rollback rollup row rows rule sample savepoint schema schemas scope scroll
   search second seconds secret security semi sequence sequences serializable server session set setof sets
   share similar simple skip smallint snapshot sorted source sql stable standalone start statement
   statistics stdin stdout storage stored strict strip struct subscription substring sysid system tables
   tablesample tablespace target temp template temporary text ties time timestamp transaction transform
   treat trigger trim truncate trusted try_cast type types unbounded uncommitted unencrypted unknown
   unlisten unlogged unpack until update use user vacuum valid validate validator value values varchar
   variable varying verbose version view views virtual volatile week weeks whitespace within without work
   wrapper write xml xmlattributes xmlconcat xmlelement xmlexists xmlforest xmlnamespaces xmlparse xmlpi
   xmlroot xmlserialize xmltable year years yes zone`.split(/\s+/),
);
