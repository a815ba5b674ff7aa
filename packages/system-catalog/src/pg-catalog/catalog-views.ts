/** The system views of PostgreSQL 15: OID and columns with their types. */
export const CATALOG_VIEWS: Readonly<Record<string, readonly [oid: number, columns: string]>> = {
  pg_available_extension_versions: [
    12000,
    'name:name version:text installed:bool superuser:bool trusted:bool relocatable:bool schema:name requires:_name comment:text',
  ],
  pg_available_extensions: [12004, 'name:name default_version:text installed_version:text comment:text'],
  pg_cursors: [
    12008,
    'name:text statement:text is_holdable:bool is_binary:bool is_scrollable:bool creation_time:timestamptz',
  ],
  pg_group: [12012, 'groname:name grosysid:oid grolist:_oid'],
  pg_indexes: [12016, 'schemaname:name tablename:name indexname:name tablespace:name indexdef:text'],
  pg_locks: [
    12020,
    'locktype:text database:oid relation:oid page:int4 tuple:int2 virtualxid:text transactionid:xid classid:oid objid:oid objsubid:int2 virtualtransaction:text pid:int4 mode:text granted:bool fastpath:bool waitstart:timestamptz',
  ],
  pg_matviews: [
    12024,
    'schemaname:name matviewname:name matviewowner:name tablespace:name hasindexes:bool ispopulated:bool definition:text',
  ],
  pg_policies: [
    12028,
    'schemaname:name tablename:name policyname:name permissive:text roles:_name cmd:text qual:text with_check:text',
  ],
  pg_prepared_statements: [
    12030,
    'name:text statement:text prepare_time:timestamptz parameter_types:_text from_sql:bool generic_plans:int8 custom_plans:int8',
  ],
  pg_publication_tables: [12032, 'pubname:name schemaname:name tablename:name attnames:_name rowfilter:text'],
  pg_replication_slots: [
    12036,
    'slot_name:name plugin:name slot_type:text datoid:oid database:name temporary:bool active:bool active_pid:int4 xmin:xid catalog_xmin:xid restart_lsn:pg_lsn confirmed_flush_lsn:pg_lsn wal_status:text safe_wal_size:int8 two_phase:bool',
  ],
  pg_roles: [
    12040,
    'rolname:name rolsuper:bool rolinherit:bool rolcreaterole:bool rolcreatedb:bool rolcanlogin:bool rolreplication:bool rolconnlimit:int4 rolpassword:text rolvaliduntil:timestamptz rolbypassrls:bool rolconfig:_text oid:oid',
  ],
  pg_rules: [12044, 'schemaname:name tablename:name rulename:name definition:text'],
  pg_seclabels: [
    12048,
    'objoid:oid classoid:oid objsubid:int4 objtype:text objnamespace:oid objname:text provider:text label:text',
  ],
  pg_sequences: [
    12052,
    'schemaname:name sequencename:name sequenceowner:name data_type:regtype start_value:int8 min_value:int8 max_value:int8 increment_by:int8 cycle:bool cache_size:int8 last_value:int8',
  ],
  pg_settings: [
    12056,
    'name:text setting:text unit:text category:text short_desc:text extra_desc:text context:text vartype:text source:text min_val:text max_val:text enumvals:_text boot_val:text reset_val:text sourcefile:text sourceline:int4 pending_restart:bool',
  ],
  pg_stat_activity: [
    12060,
    'datid:oid datname:name pid:int4 leader_pid:int4 usesysid:oid usename:name application_name:text client_addr:inet client_hostname:text client_port:int4 backend_start:timestamptz xact_start:timestamptz query_start:timestamptz state_change:timestamptz wait_event_type:text wait_event:text state:text backend_xid:xid backend_xmin:xid query_id:int8 query:text backend_type:text',
  ],
  pg_stat_all_indexes: [
    12064,
    'relid:oid indexrelid:oid schemaname:name relname:name indexrelname:name idx_scan:int8 idx_tup_read:int8 idx_tup_fetch:int8',
  ],
  pg_stat_all_tables: [
    12068,
    'relid:oid schemaname:name relname:name seq_scan:int8 seq_tup_read:int8 idx_scan:int8 idx_tup_fetch:int8 n_tup_ins:int8 n_tup_upd:int8 n_tup_del:int8 n_tup_hot_upd:int8 n_live_tup:int8 n_dead_tup:int8 n_mod_since_analyze:int8 n_ins_since_vacuum:int8 last_vacuum:timestamptz last_autovacuum:timestamptz last_analyze:timestamptz last_autoanalyze:timestamptz vacuum_count:int8 autovacuum_count:int8 analyze_count:int8 autoanalyze_count:int8',
  ],
  pg_stat_archiver: [
    12072,
    'archived_count:int8 last_archived_wal:text last_archived_time:timestamptz failed_count:int8 last_failed_wal:text last_failed_time:timestamptz stats_reset:timestamptz',
  ],
  pg_stat_bgwriter: [
    12076,
    'checkpoints_timed:int8 checkpoints_req:int8 checkpoint_write_time:float8 checkpoint_sync_time:float8 buffers_checkpoint:int8 buffers_clean:int8 maxwritten_clean:int8 buffers_backend:int8 buffers_backend_fsync:int8 buffers_alloc:int8 stats_reset:timestamptz',
  ],
  pg_stat_database: [
    12080,
    'datid:oid datname:name numbackends:int4 xact_commit:int8 xact_rollback:int8 blks_read:int8 blks_hit:int8 tup_returned:int8 tup_fetched:int8 tup_inserted:int8 tup_updated:int8 tup_deleted:int8 conflicts:int8 temp_files:int8 temp_bytes:int8 deadlocks:int8 checksum_failures:int8 checksum_last_failure:timestamptz blk_read_time:float8 blk_write_time:float8 session_time:float8 active_time:float8 idle_in_transaction_time:float8 sessions:int8 sessions_abandoned:int8 sessions_fatal:int8 sessions_killed:int8 stats_reset:timestamptz',
  ],
  pg_stat_gssapi: [12084, 'pid:int4 gss_authenticated:bool principal:text encrypted:bool'],
  pg_stat_replication: [
    12088,
    'pid:int4 usesysid:oid usename:name application_name:text client_addr:inet client_hostname:text client_port:int4 backend_start:timestamptz backend_xmin:xid state:text sent_lsn:pg_lsn write_lsn:pg_lsn flush_lsn:pg_lsn replay_lsn:pg_lsn write_lag:interval flush_lag:interval replay_lag:interval sync_priority:int4 sync_state:text reply_time:timestamptz',
  ],
  pg_stat_ssl: [
    12092,
    'pid:int4 ssl:bool version:text cipher:text bits:int4 client_dn:text client_serial:numeric issuer_dn:text',
  ],
  pg_stat_subscription: [
    12096,
    'subid:oid subname:name pid:int4 relid:oid received_lsn:pg_lsn last_msg_send_time:timestamptz last_msg_receipt_time:timestamptz latest_end_lsn:pg_lsn latest_end_time:timestamptz',
  ],
  pg_stat_sys_tables: [
    12100,
    'relid:oid schemaname:name relname:name seq_scan:int8 seq_tup_read:int8 idx_scan:int8 idx_tup_fetch:int8 n_tup_ins:int8 n_tup_upd:int8 n_tup_del:int8 n_tup_hot_upd:int8 n_live_tup:int8 n_dead_tup:int8 n_mod_since_analyze:int8 n_ins_since_vacuum:int8 last_vacuum:timestamptz last_autovacuum:timestamptz last_analyze:timestamptz last_autoanalyze:timestamptz vacuum_count:int8 autovacuum_count:int8 analyze_count:int8 autoanalyze_count:int8',
  ],
  pg_stat_user_functions: [
    12104,
    'funcid:oid schemaname:name funcname:name calls:int8 total_time:float8 self_time:float8',
  ],
  pg_stat_user_indexes: [
    12108,
    'relid:oid indexrelid:oid schemaname:name relname:name indexrelname:name idx_scan:int8 idx_tup_read:int8 idx_tup_fetch:int8',
  ],
  pg_stat_user_tables: [
    12112,
    'relid:oid schemaname:name relname:name seq_scan:int8 seq_tup_read:int8 idx_scan:int8 idx_tup_fetch:int8 n_tup_ins:int8 n_tup_upd:int8 n_tup_del:int8 n_tup_hot_upd:int8 n_live_tup:int8 n_dead_tup:int8 n_mod_since_analyze:int8 n_ins_since_vacuum:int8 last_vacuum:timestamptz last_autovacuum:timestamptz last_analyze:timestamptz last_autoanalyze:timestamptz vacuum_count:int8 autovacuum_count:int8 analyze_count:int8 autoanalyze_count:int8',
  ],
  pg_stat_wal: [
    12116,
    'wal_records:int8 wal_fpi:int8 wal_bytes:numeric wal_buffers_full:int8 wal_write:int8 wal_sync:int8 wal_write_time:float8 wal_sync_time:float8 stats_reset:timestamptz',
  ],
  pg_stat_xact_all_tables: [
    12120,
    'relid:oid schemaname:name relname:name seq_scan:int8 seq_tup_read:int8 idx_scan:int8 idx_tup_fetch:int8 n_tup_ins:int8 n_tup_upd:int8 n_tup_del:int8 n_tup_hot_upd:int8',
  ],
  pg_stat_xact_user_tables: [
    12124,
    'relid:oid schemaname:name relname:name seq_scan:int8 seq_tup_read:int8 idx_scan:int8 idx_tup_fetch:int8 n_tup_ins:int8 n_tup_upd:int8 n_tup_del:int8 n_tup_hot_upd:int8',
  ],
  pg_statio_all_indexes: [
    12128,
    'relid:oid indexrelid:oid schemaname:name relname:name indexrelname:name idx_blks_read:int8 idx_blks_hit:int8',
  ],
  pg_statio_all_tables: [
    12132,
    'relid:oid schemaname:name relname:name heap_blks_read:int8 heap_blks_hit:int8 idx_blks_read:int8 idx_blks_hit:int8 toast_blks_read:int8 toast_blks_hit:int8 tidx_blks_read:int8 tidx_blks_hit:int8',
  ],
  pg_statio_user_indexes: [
    12136,
    'relid:oid indexrelid:oid schemaname:name relname:name indexrelname:name idx_blks_read:int8 idx_blks_hit:int8',
  ],
  pg_statio_user_sequences: [12140, 'relid:oid schemaname:name relname:name blks_read:int8 blks_hit:int8'],
  pg_statio_user_tables: [
    12144,
    'relid:oid schemaname:name relname:name heap_blks_read:int8 heap_blks_hit:int8 idx_blks_read:int8 idx_blks_hit:int8 toast_blks_read:int8 toast_blks_hit:int8 tidx_blks_read:int8 tidx_blks_hit:int8',
  ],
  pg_stats: [
    12148,
    'schemaname:name tablename:name attname:name inherited:bool null_frac:float4 avg_width:int4 n_distinct:float4 most_common_vals:anyarray most_common_freqs:_float4 histogram_bounds:anyarray correlation:float4 most_common_elems:anyarray most_common_elem_freqs:_float4 elem_count_histogram:_float4',
  ],
  pg_tables: [
    12152,
    'schemaname:name tablename:name tableowner:name tablespace:name hasindexes:bool hasrules:bool hastriggers:bool rowsecurity:bool',
  ],
  pg_timezone_abbrevs: [12156, 'abbrev:text utc_offset:interval is_dst:bool'],
  pg_timezone_names: [12160, 'name:text abbrev:text utc_offset:interval is_dst:bool'],
  pg_user: [
    12164,
    'usename:name usesysid:oid usecreatedb:bool usesuper:bool userepl:bool usebypassrls:bool passwd:text valuntil:timestamptz useconfig:_text',
  ],
  pg_user_mappings: [12168, 'umid:oid srvid:oid srvname:name umuser:oid usename:name umoptions:_text'],
  pg_views: [12172, 'schemaname:name viewname:name viewowner:name definition:text'],
};
