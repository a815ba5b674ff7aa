/**
 * The tests that prove that parameters have an effect: test file → title of the test → the parameters whose
 * loss the test would detect. `check` requires a test for every parameter in effect, and
 * `docs/configuration.md` names it.
 */
export type Proofs = Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;

const AUTH = 'packages/auth/src';
const COORDINATOR = 'packages/coordinator/src';
const ENGINE = 'packages/engine/test';
const STORE = 'packages/object-store/src';

export const PROOFS: Proofs = {
  [`${ENGINE}/parameters.test.ts`]: {
    'endpoints.*.listeners and engine.nodes: the node listens where the file says': [
      'endpoints.http.listeners[*].port',
      'endpoints.postgres.listeners[*].path',
      'endpoints.postgres.listeners[*].port',
      'engine.nodes[*].host',
      'engine.nodes[*].storage_manager_port',
      'engine.nodes[*].distexec_port',
      'engine.nodes[*].shuffle_port',
    ],
    'engine.id and instance.id: log lines, metrics, system views, the discovery document': [
      'engine.id',
      'instance.id',
    ],
    'logging: levels of sinks and components': [
      'logging.level',
      'logging.components[*].level',
      'logging.components[*].name',
      'logging.sinks[*].type',
      'logging.sinks[*].level',
      'logging.sinks[*].file.path',
    ],
    'execution.hybrid_headers_*: the header of a tablet': [
      'execution.hybrid_headers_format_version',
      'execution.hybrid_headers_primary_index_compression_method',
      'execution.hybrid_headers_primary_index_compression_level',
    ],
    'execution.ai_mutations_mode: how aggregating indexes handle deleted rows': [
      'execution.ai_mutations_mode',
    ],
    'execution.regexp_cache_max_keys: how many patterns of a column are compiled once each': [
      'execution.regexp_cache_max_keys',
    ],
    'storage.collect_garbage_limit_per_query: one call collects at most that many tablets': [
      'storage.collect_garbage_limit_per_query',
      'storage.allow_collect_garbage',
    ],
  },
  [`${ENGINE}/managed-tables-restart.test.ts`]: {
    'objects of dropped tables can be collected after the grace period': [
      'storage.gc_ttl_seconds',
      'execution.min_bytes_for_wide_part',
    ],
  },
  [`${ENGINE}/oidc.test.ts`]: {
    'a token of the provider opens HTTP, makes its user, and goes on doing so while the provider is gone': [
      'auth.instance_id',
      'auth.mode',
      'auth.oidc.providers[*].discovery_url',
      'auth.oidc.providers[*].jwks.cache_ttl',
      'auth.oidc.providers[*].name',
      'auth.oidc.providers[*].username_mapping',
    ],
    'without jit_provisioning an unknown user is refused, and the log says who': [
      'auth.oidc.providers[*].jit_provisioning.enabled',
    ],
    'users and passwords created while auth.mode was disabled remain valid': [
      'auth.oidc.postgres_password_fallback_enabled',
    ],
  },
  [`${ENGINE}/authentication.test.ts`]: {
    'the initial user is made once: a changed password stays, whatever the configuration says': [
      'auth.native.initial_user.name',
      'auth.native.initial_user.password',
    ],
    'a token expires': ['auth.native.jwt.token_expiry', 'auth.native.jwt.clock_skew_tolerance'],
  },
  [`${AUTH}/native/native-authenticator.test.ts`]: {
    'expires_in of a token is not longer than the token is accepted': ['auth.native.jwt.max_token_age'],
    'a password gets a token, a token its user (%s)': ['auth.native.signing_algorithm'],
    'keys are rotated without invalidating tokens': [
      'auth.native.signing_keys[*].id',
      'auth.native.signing_keys[*].private_key_path',
    ],
  },
  [`${AUTH}/oidc/oidc-authenticator.test.ts`]: {
    'are refused when older than max_token_age, beyond clock_skew_tolerance': [
      'auth.oidc.jwt.clock_skew_tolerance',
      'auth.oidc.jwt.max_token_age',
    ],
    'are created once, at their first login': ['auth.oidc.providers[*].jit_provisioning.default_role'],
  },
  [`${AUTH}/oidc/provider.test.ts`]: {
    'the discovery document is read again after refresh_interval': [
      'auth.oidc.providers[*].discovery.refresh_interval',
    ],
  },
  [`${ENGINE}/lifecycle.test.ts`]: {
    'a Unix socket serves the same API': ['endpoints.http.listeners[*].path'],
    'cancels what outlives engine.termination_grace_period': ['engine.termination_grace_period'],
  },
  [`${COORDINATOR}/vacuum/maintenance.test.ts`]: {
    'tables are assessed as often as assessment_frequency says, also when that is more than 2^31 ms': [
      'engine.auto_vacuum.assessment_frequency',
    ],
  },
  [`${COORDINATOR}/vacuum/vacuum.test.ts`]: {
    'loses no row and revives none while statements change the same tablets': [
      'engine.auto_vacuum.debug_sleep_before_commit_ms',
    ],
    'merges eight tablets by jobs within %s': [
      'engine.auto_vacuum.enabled',
      'engine.auto_vacuum.max_tablets_in_job',
      'engine.auto_vacuum.memory_allowance',
      'engine.auto_vacuum.min_bad_tablets_threshold',
      'engine.auto_vacuum.run_on_first_dml',
    ],
    'runs as many jobs at once as max_concurrency allows': ['engine.auto_vacuum.max_concurrency'],
    'merges what small commits leave behind': ['execution.merge_committed_tablets'],
  },
  [`${COORDINATOR}/read/table-facts.test.ts`]: {
    'keeps no more than cache_max_size_bytes, the least recently used go first': [
      'planner.automated_column_statistics.cache_max_size_bytes',
    ],
  },
  [`${ENGINE}/external-objects.test.ts`]: {
    'are read by pattern, with the credentials of the call or of the engine': [
      'storage.default_s3_endpoint_override',
    ],
  },
  [`${ENGINE}/cluster/common-values.test.ts`]: {
    'each node samples a column when it first plans with it, unless cache_max_size_bytes is 0': [
      'planner.automated_column_statistics.cache_max_size_bytes',
    ],
  },
  [`${ENGINE}/faults/garbage.test.ts`]: {
    'a table at a LOCATION in another bucket is collected like others': ['storage.enable_managed_location'],
  },
  [`${COORDINATOR}/catalog/definitions.test.ts`]: {
    'puts the objects of a table below a prefix of the managed storage (enable_managed_location)': [
      'storage.enable_managed_location',
    ],
  },
  'packages/storage-agent/src/eviction/eviction.test.ts': {
    'if there are too many tablets, those not read for the minimum age leave memory': [
      'engine.eviction.max_tablets_per_mb_of_total_memory',
    ],
    'if memory is short, tablets above the minimum age leave it, stay on disk, and are loaded again when they are read':
      [
        'engine.eviction.tablet_eviction_soft_threshold',
        'engine.eviction.tablet_min_ttl_before_memory_eviction_seconds',
      ],
    'below the hard threshold nothing stays in memory, and tablets of a running scan leave when it has ended':
      ['engine.eviction.tablet_eviction_threshold'],
    'tablets that nobody reads for the full time leave memory and disk': [
      'engine.eviction.tablet_ttl_before_full_eviction_seconds',
    ],
  },
  [`${ENGINE}/limits.test.ts`]: {
    'is divided between the kernels of the node': ['engine.max_server_memory_usage'],
    'limits the processors that one query uses': ['execution.max_threads'],
    'tablets are assessed and merged, if there are enough, and leave the disk when nobody reads them': [
      'engine.auto_vacuum.enabled',
      'engine.auto_vacuum.min_bad_tablets_threshold',
      'execution.merge_committed_tablets',
      'engine.eviction.tablet_ttl_before_full_eviction_seconds',
    ],
  },
  [`${ENGINE}/statistics.test.ts`]: {
    'max_threads: a statement uses no more threads, however it is set, and has the same answer': [
      'execution.max_threads',
    ],
  },
  'packages/kernel/src/threads-per-query.test.ts': {
    'divides one query for that number of threads': ['execution.max_threads'],
    'executes several queries on more than those and as many workers': ['execution.max_threads'],
  },
  'packages/config/src/derived.test.ts': {
    'memory limit of 10 GiB with %j': [
      'engine.max_server_memory_usage_headroom_bytes',
      'engine.max_server_memory_usage_to_ram_ratio',
    ],
  },
  [`${ENGINE}/admission.test.ts`]: {
    'no more queries than the limit run at once, and all 200 are answered': [
      'execution.admission_controller.enabled',
      'execution.admission_controller.max_concurrent_admitted_queries',
    ],
    'samples of the node contain waiting queries, at the configured interval': [
      'engine.metrics_collection_frequency_per_minute',
    ],
    'logs a warning when no query has been admitted for long': [
      'execution.admission_controller.seconds_until_no_admission_warning',
      'execution.admission_controller.seconds_between_no_admission_warnings',
    ],
    'a query that runs out of memory is retried as often as configured and then fails': [
      'execution.admission_controller.max_retries_per_query',
    ],
  },
  [`${ENGINE}/cluster/tracing.test.ts`]: {
    'a statement over HTTP belongs to the trace of its client, on all nodes, down to the object store': [
      'engine.id',
    ],
  },
  [`${ENGINE}/cluster/membership.test.ts`]: {
    'is a limit of all nodes together, which lend each other the places that they do not need': [
      'execution.admission_controller.max_concurrent_admitted_queries',
    ],
    'locks its exchange buffers, in its own process and in its kernel process': ['execution.enable_shuffle'],
    'with execution.enable_shuffle: false answers alone, and says so in its log and in EXPLAIN': [
      'execution.enable_shuffle',
    ],
  },
  'packages/engine/src/admission-options.test.ts': {
    'max_concurrent_admitted_queries is a limit of the engine: the shares of its nodes add up to it': [
      'execution.admission_controller.max_concurrent_admitted_queries',
    ],
    'every parameter of execution.admission_controller reaches the controller of the node': [
      'execution.admission_controller.max_required_relative_memory_for_retry',
      'execution.admission_controller.reduce_required_memory_after_seconds_at_front_of_queue',
      'execution.admission_controller.total_memory_tracker_hard_limit_ratio',
    ],
  },
  'packages/storage-manager/test/cluster.test.ts': {
    'sees the commits of others (its cache kept: %s)': ['execution.storage_manager_cache_tablets_on_proxy'],
  },
  [`${ENGINE}/cluster/several-clusters.test.ts`]: {
    'every node of every cluster sees the nodes of all': [
      'engine.cluster_id',
      'engine.cluster_ordinal',
      'engine.multi_cluster.broadcast_endpoint',
    ],
    'the engines of an instance see the nodes, the queries and the history of each other, and cancel each other’s queries':
      ['instance.multi_engine.metadata_endpoint'],
    'a cluster sends at most the limit of rows, and a warning says so': [
      'engine.multi_cluster.broadcast_tuple_limit_per_engine_cluster',
    ],
  },
  'packages/broadcast/src/row-limit.test.ts': {
    'a cluster with the limit %i gets the latest rows of one with the limit %i, and a warning if there are more':
      ['engine.multi_cluster.broadcast_tuple_limit_per_engine_cluster'],
  },
  [`${ENGINE}/cluster/secured-cluster.test.ts`]: {
    'work together and read tablets from each other; a node with a certificate of another authority is refused':
      ['engine.nodes[*].storage_agent_port'],
  },
  'packages/broadcast/src/announcements.test.ts': {
    'a cluster sees the others of its engine, ordered by engine.cluster_ordinal, with draining nodes last': [
      'engine.cluster_ordinal',
    ],
  },
  'packages/engine/src/cluster/other-clusters.test.ts': {
    'broadcast_ssl_enabled: a service with TLS is only reached with it, and with the certificate of the node':
      ['engine.multi_cluster.broadcast_ssl_enabled'],
  },
  [`${ENGINE}/metadata-service.test.ts`]: {
    'commits for several engines, which see each other, and drains at SIGTERM': ['instance.type'],
  },
  'packages/common/src/logging/logging.test.ts': {
    'are readable as text': ['logging.format'],
  },
  'packages/config/src/parse.test.ts': {
    'the file %j is refused as a whole, or accepted': ['schema_version'],
  },
  'packages/config/src/rules/rules.test.ts': {
    'decide about %s': ['endpoints.http.listeners[*].type', 'endpoints.postgres.listeners[*].type'],
  },
  [`${STORE}/open-object-store.test.ts`]: {
    'is in a bucket of an S3 server, made on demand for minio only (skipped without radosgw)': [
      'storage.type',
      'storage.bucket_name',
      'storage.default_s3_endpoint_override',
      'storage.minio.endpoint',
    ],
    'is in a container of azurite, made on demand': ['storage.azure.storage_account_name'],
    'is addressed by api_scheme, as are locations and objects of that scheme': ['storage.api_scheme'],
  },
  [`${STORE}/intermediary-identity.test.ts`]: {
    'storage.aws.intermediary_access_role: a role is assumed, and its keys sign the request': [
      'storage.aws.intermediary_access_role',
    ],
    'storage.gcp.intermediary_service_account_id: the account is impersonated': [
      'storage.gcp.intermediary_service_account_id',
    ],
    'storage.azure.intermediary_service_principal_client_id: its token is asked for': [
      'storage.azure.intermediary_service_principal_client_id',
    ],
  },
  [`${STORE}/s3/s3-faults.test.ts`]: {
    'gives up a write after upload_max_tries attempts and reports that it may have happened': [
      'storage.upload_max_tries',
    ],
  },
};
