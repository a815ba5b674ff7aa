import { AUTO_VACUUM_DEFAULTS } from '../auto-vacuum.ts';
import { type ParameterInfo, parameters } from '../parameters.ts';
import { COMPRESSION_LEVELS } from '../rules/execution.ts';
import { RULES } from '../rules/index.ts';
import { SCHEMA_VERSION } from '../schema/root.ts';

const INTRODUCTION = `# Configuration

A node reads one file, \`tessera serve --config FILE\`, in YAML (of which JSON is a part). Without a file every parameter
has its default. \`tessera config check FILE\` says everything that is wrong with a file; \`tessera config show\` prints
a configuration as the engine understands it. Editors can use [the JSON Schema](configuration.schema.json).

The smallest file:

\`\`\`yaml
schema_version: "${SCHEMA_VERSION}"
\`\`\`

A node of its own machine, reachable from outside, that logs to a file as well:

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

(\`tessera serve --config FILE --listen-host 0.0.0.0\`; without \`--listen-host\` a node listens on loopback only.)

## Values from elsewhere

The value of every parameter that is not a block or a list may stand elsewhere: \`\${env:NAME}\` is the value of an environment
variable, \`\${file:PATH}\` the content of a file (without the line break at its end; a relative path counts from the directory of
the configuration file). The reference must be the whole value. What it leads to is read as the type of the parameter, and checked
as if it stood in the file. A variable that is not set, or is empty, is an error.

\`\`\`yaml
schema_version: "${SCHEMA_VERSION}"
engine:
  max_server_memory_usage: "\${env:TESSERA_MEMORY}"
execution:
  max_threads: "\${env:TESSERA_THREADS}"
\`\`\`

### Secrets

\`tessera config show\` and messages about a wrong value print the reference, not what it leads to.

\`\`\`yaml
schema_version: "${SCHEMA_VERSION}"
auth:
  mode: native
  native:
    initial_user:
      name: admin
      password: "\${env:ADMIN_PASSWORD}"
\`\`\`

A file that holds a value of type string and can be read by every user of the machine is worth a warning at start.

## Parameters

A *required* parameter inside an optional block is required only where that block is given. \`[*]\` stands for each
element of a list. A parameter that is *not yet in effect* is checked and then ignored by this version.

| type | is written |
|---|---|
| string | text; in quotes when it looks like a number |
| integer, float, boolean | \`12\`, \`0.75\`, \`true\` or \`false\` |
| duration | a number with \`s\`, \`m\`, \`h\` or \`d\`: \`30s\`, \`1.5h\` |
| byte size | a number of bytes, alone or with \`B\`, \`KB\`, \`MB\`, \`GB\`, \`TB\` (powers of 1000), \`KiB\`, \`MiB\`, \`GiB\`, \`TiB\` (powers of 1024), in any case |
| ulid | 26 characters of Crockford's base 32 |
| enum | one of the values, in any case |
| object, object[] | a block of parameters, a list of blocks |
`;

const DERIVED = `## What follows from what

- The memory limit is \`engine.max_server_memory_usage\`. When that is 0, it is the smaller of host RAM ×
  \`max_server_memory_usage_to_ram_ratio\` and host RAM − \`max_server_memory_usage_headroom_bytes\`.
  It is divided: a sixteenth, 32 to 256 MiB, and 64 MiB for its program to the process that plans; a sixteenth and 160 MiB
  for its program, at most 1 GiB, to the node's own process; the rest to the kernel that runs queries, which spills what
  is more. A limit below 512 MiB is divided as if it were 512 MiB.
- \`execution.max_threads\` bounds the threads of the kernel, and so those of one query and of all queries of a node.
- Without \`engine.nodes\` there is one node on 127.0.0.1 with the default ports.
- Without \`logging.sinks\` there is one stderr sink. A sink without \`level\` takes \`logging.level\`, and for a
  component with a level of its own that one. A component with a level logs nothing below it to any sink.
- \`instance.multi_engine\` is ignored for \`instance.type: single_engine\`.
- \`storage.api_scheme\` is \`s3://\` for the types s3 and minio, \`gs://\` for gcs, \`azure://\` for abs and azurite.
- When \`storage.enable_managed_location\` is false, managed tables live only in the system-managed bucket.
- With \`execution.enable_shuffle: false\` every query runs on the node that is asked, and the shuffle port stays closed; the
  nodes still see each other, and queries are listed and cancelled from any of them. See [cluster.md](cluster.md).
- With \`execution.enable_shuffle\` a node says at its start how much memory it may lock (RLIMIT_MEMLOCK). Too little is a
  warning: rows go through plain sockets and files.
`;

/** `docs/configuration.md` */
export function configurationPage(): string {
  const blocks = Map.groupBy(parameters(), (p) => p.path.split('.')[0]!);
  return [
    INTRODUCTION,
    ...[...blocks].map(([name, rows]) => section(name, rows)),
    `## Rules between parameters\n\n${RULES.map((rule) => `- ${rule.says}`).join('\n')}\n`,
    compressionLevels(),
    autoVacuumDefaults(),
    DERIVED,
  ].join('\n');
}

function section(name: string, rows: readonly ParameterInfo[]): string {
  return [
    `## ${name}\n`,
    '| parameter | type | default | meaning | in effect |',
    '|---|---|---|---|---|',
    ...rows.map(
      (row) =>
        `| ${[`\`${row.path}\``, type(row), value(row), row.meaning, effect(row)].map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`,
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
  return `### Built-in defaults of auto-vacuum\n\nEach field of \`engine.auto_vacuum\` that is set overrides one of these.\n\n| field | default |\n|---|---|\n${rows.join('\n')}\n`;
}
