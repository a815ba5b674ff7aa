import { LOG_COMPONENTS } from '@tessera/common';
import { AUTO_VACUUM_DEFAULTS } from '../auto-vacuum.ts';
import { type ParameterInfo, parameters } from '../parameters.ts';
import { COMPRESSION_LEVELS } from '../rules/execution.ts';
import { RULES } from '../rules/index.ts';
import { SCHEMA_VERSION } from '../schema/root.ts';

const INTRODUCTION = `# Configuration

A node reads one configuration file, \`tessera serve --config FILE\`, in YAML or JSON. Without a file every parameter has its
default. \`tessera config check FILE\` reports everything that is wrong with a file; \`tessera config show\` prints the
configuration that the engine would use. Editors can use [the JSON Schema](configuration.schema.json).

The minimal file:

\`\`\`yaml
schema_version: "${SCHEMA_VERSION}"
\`\`\`

A node with a machine of its own, reachable from outside, that also logs to a file:

\`\`\`yaml
schema_version: "${SCHEMA_VERSION}"
engine:
  id: analytics
  max_server_memory_usage: 8GiB
  termination_grace_period: 30s
endpoints:
  http:
    listeners:
      - type: tcp
        port: 3473
      - type: unix
        path: /run/tessera/http.sock
logging:
  format: text
  components:
    - name: http
      level: debug
  sinks:
    - type: stderr
    - type: file
      level: warn
      file:
        path: /var/log/tessera/engine.log
\`\`\`

Start it with \`tessera serve --config FILE --listen-host 0.0.0.0\`; without \`--listen-host\` a node listens only on localhost.

## Environment variables and files as values

The value of any parameter that is not a block or a list may be a reference: \`\${env:NAME}\` stands for the value of an
environment variable, \`\${file:PATH}\` for the content of a file (without the final line break; relative paths start at the
directory of the configuration file). The reference must be the entire value. The result is converted to the type of the parameter
and validated as if it were written in the file. A variable that is unset or empty is an error.

\`\`\`yaml
schema_version: "${SCHEMA_VERSION}"
engine:
  max_server_memory_usage: "\${env:TESSERA_MEMORY}"
execution:
  max_threads: "\${env:TESSERA_THREADS}"
\`\`\`

### Secrets

\`tessera config show\` and messages about invalid values print the reference, not the value it stands for.

\`\`\`yaml
schema_version: "${SCHEMA_VERSION}"
auth:
  mode: native
  native:
    initial_user:
      name: admin
      password: "\${env:ADMIN_PASSWORD}"
\`\`\`

If a referenced file provides a value of type string and every user of the machine can read it, the node logs a warning at startup.

## Parameters

A *required* parameter inside an optional block is required only if that block is present. \`[*]\` stands for each
element of a list. A parameter that is *not yet in effect* is validated and then ignored by this version. The last column
names the tests of this repository that fail if the parameter is ignored, with their titles.

| type | syntax |
|---|---|
| string | text, in quotes if it looks like a number |
| integer, float, boolean | \`12\`, \`0.75\`, \`true\` or \`false\` |
| duration | a number with \`s\`, \`m\`, \`h\` or \`d\`: \`30s\`, \`1.5h\` |
| byte size | a number of bytes, alone or with \`B\`, \`KB\`, \`MB\`, \`GB\`, \`TB\` (powers of 1000), \`KiB\`, \`MiB\`, \`GiB\`, \`TiB\` (powers of 1024); case does not matter |
| ulid | 26 characters of Crockford's base 32 |
| enum | one of the values; case does not matter |
| object, object[] | a block of parameters, a list of blocks |
`;

const DERIVED = `## Derived values and interactions

- The memory limit is \`engine.max_server_memory_usage\`. If that is 0, it is the smaller of host RAM ×
  \`max_server_memory_usage_to_ram_ratio\` and host RAM − \`max_server_memory_usage_headroom_bytes\`.
  It is divided as follows: one sixteenth, between 32 and 256 MiB, plus 64 MiB for its program, for the process that plans
  queries; one sixteenth plus 160 MiB for its program, at most 1 GiB, for the node process; the rest for the kernel that
  executes queries, which spills to disk when it needs more. A limit below 512 MiB is divided as if it were 512 MiB.
- \`execution.max_threads\` is the number of parts into which a step of a query (a scan, a join, an aggregate) is divided, so a
  query that does one step at a time, as most do, has no more threads. Small inputs of joins are read at the same time, each with
  threads of its own. All queries of a node together use all cores. With 1, each query has exactly one thread. The setting
  \`max_threads\` of a statement can lower the number for that statement ([threads of a statement](operations.md#threads-of-a-statement)).
- \`execution.regexp_cache_max_keys\` is the number of values of a column that a query compiles once each if it uses the column of a
  table as regular expression: \`msg ~ rules.pattern\`. Other values, and patterns that are computed, are compiled for every
  row, which takes many times as long as the match. The values are the most frequent ones of the first million rows. A query
  over few rows compiles fewer, because it costs as much to plan a pattern as to compile it some fifty times. EXPLAIN names
  the column and the number. With 0, every pattern of a column is compiled for every row.
- Concurrent jobs of auto-vacuum share \`engine.auto_vacuum.memory_allowance\`: each takes at most the allowance divided by
  \`max_concurrency\`. Merges after commits (\`execution.merge_committed_tablets\`) take at most a fifth of the memory, one at a
  time, whatever the allowance is.
- \`auth.native.initial_user\` is created at the first start. Afterwards the catalog wins: a node logs a warning if the
  password in the file is another one. Change the password with \`ALTER USER name SET PASSWORD = '…'\`.
- \`execution.admission_controller.max_concurrent_admitted_queries\` is a limit of the cluster. Its nodes divide it among
  themselves, so that with 100 queries and 3 nodes they own 34, 33 and 33 places, and each owns at least one. They lend each
  other the places that they do not need: one node of an idle cluster runs 100 queries. A node that needs its places
  gets them back as queries end on them. The places of a node that does not answer are not used by others
  ([admission](decisions/admission.md)).
- \`engine.id\` is in the field \`engine\` of every log line, in the label \`engine\` of every metric, and in the attribute
  \`tessera.engine\` of every trace.
- At the level debug, the component \`query\` logs each statement when it has ended: id, user, duration, rows, bytes and
  outcome. At trace, components log the tasks of its stages, commits, calls of the object store and calls of other nodes.
- Without \`engine.nodes\` there is one node on 127.0.0.1 with the default ports.
- Without \`logging.sinks\` there is one stderr sink. A sink without \`level\` uses \`logging.level\`, or the component's level
  if it has one. A component with a level logs nothing below that level to any sink.
- \`instance.multi_engine\` is ignored for \`instance.type: single_engine\`.
- \`storage.api_scheme\` is \`s3://\` for the types s3 and minio, \`gs://\` for gcs, \`azure://\` for abs and azurite. Another
  scheme addresses the store of \`storage.type\`: with \`type: s3\` and \`api_scheme: "gs://"\`, the URLs \`gs://bucket/key\` of
  locations, of READ_* and COPY, of LOCATION and of backups are read and written by the S3 protocol, at the endpoint of the
  storage block.
- If \`storage.enable_managed_location\` is false, managed tables are stored only in the system-managed bucket. If it is true,
  \`LOCATION = 'url'\` of CREATE TABLE stores a table in any bucket that the engine's identity opens, and the name of a location in
  one that its credentials open ([tables at a location of their own](decisions/table-locations.md)).
- With \`execution.enable_shuffle: false\` every query runs on the node that receives it, and the shuffle port stays closed.
  The nodes still see each other, and queries can be listed and cancelled from any of them. See [cluster.md](cluster.md).
- With \`execution.enable_shuffle\`, each node of several allocates buffers for exchanged rows when it starts, and locks them in memory. If
  RLIMIT_MEMLOCK is too low, it says so once, with the command that raises it, and uses the buffers without locking them.
  \`tessera serve --exchange-buffer-bytes\` sets their size ([cluster.md](cluster.md#exchange-buffers)).
- A node that stands alone, with its tables on its own disk, opens no ports for other nodes, unless \`engine.nodes\` or a flag
  such as \`--shuffle-port\` names them.
- Without \`logging.format\` and \`logging.sinks\`, log lines are text on a terminal and JSON elsewhere.
`;

/**
 * Renders `docs/configuration.md`. `proofs` are the tests of each parameter, in the form in which the page
 * names them.
 */
export function configurationPage(proofs: ReadonlyMap<string, readonly string[]> = new Map()): string {
  const components = Object.entries(LOG_COMPONENTS).map(([name, says]) => `| \`${name}\` | ${says} |`);
  const blocks = Map.groupBy(parameters(), (p) => p.path.split('.')[0]!);
  return [
    INTRODUCTION,
    ...[...blocks].map(([name, rows]) => section(name, rows, proofs)),
    `## Rules between parameters\n\n${RULES.map((rule) => `- ${rule.says}`).join('\n')}\n`,
    `### Components of the log\n\n| component | what it says |\n|---|---|\n${components.join('\n')}\n`,
    compressionLevels(),
    autoVacuumDefaults(),
    DERIVED,
  ].join('\n');
}

function section(
  name: string,
  rows: readonly ParameterInfo[],
  proofs: ReadonlyMap<string, readonly string[]>,
): string {
  return [
    `## ${name}\n`,
    '| parameter | type | default | meaning | in effect | proved by |',
    '|---|---|---|---|---|---|',
    ...rows.map(
      (row) =>
        `| ${[`\`${row.path}\``, type(row), value(row), row.meaning, effect(row), proofs.get(row.path)?.join('<br>') ?? ''].map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`,
    ),
    '',
  ].join('\n');
}

function type(row: ParameterInfo): string {
  if (row.values !== undefined) return row.values.map((v) => `\`${v}\``).join(', ');
  const bounds = / (from .* to .*|≥ [1-9].*)$/.exec(row.expected)?.[1];
  return bounds === undefined ? row.type : `${row.type} ${bounds}`;
}

function value(row: ParameterInfo): string {
  if (row.required)
    return `**required**${row.example === undefined ? '' : `, such as \`${String(row.example)}\``}`;
  return `\`${typeof row.default === 'object' ? JSON.stringify(row.default) : String(row.default)}\``;
}

function effect(row: ParameterInfo): string {
  if (row.effect === undefined) return '';
  return row.effect === 'in effect' ? 'yes' : row.effect;
}

function compressionLevels(): string {
  const rows = Object.entries(COMPRESSION_LEVELS).map(
    ([method, [lowest, highest]]) =>
      `| ${method} | ${lowest === highest ? lowest : `${lowest} to ${highest}`} |`,
  );
  return `### Compression levels of the Hybrid Headers primary index\n\n| method | level |\n|---|---|\n${rows.join('\n')}\n`;
}

function autoVacuumDefaults(): string {
  const rows = Object.entries(AUTO_VACUUM_DEFAULTS).map(([name, preset]) => `| ${name} | \`${preset}\` |`);
  return `### Built-in defaults of auto-vacuum\n\nEach field of \`engine.auto_vacuum\` that you set overrides one of these.\n\n| field | default |\n|---|---|\n${rows.join('\n')}\n`;
}
