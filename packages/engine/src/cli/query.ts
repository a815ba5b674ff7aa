import { Command, InvalidArgumentError, Option } from 'commander';
import { CommandFailure, EXIT } from './exit-code.ts';
import { interruption } from './interruption.ts';
import { type FilePart, parseFilePart } from './query/file-part.ts';
import { FORMAT_NAMES } from './query/output-format.ts';
import { readStatement } from './query/statement.ts';
import { type ServerFlags, serverOf, withServerOptions } from './server-options.ts';

interface Flags extends ServerFlags {
  file?: FilePart[];
  sqlFile?: string;
  onError: 'stop' | 'continue';
  format?: string;
  database?: string;
  setting?: Record<string, string>;
}

const EXAMPLES = `
Examples:
  tessera query 'SELECT 42'
  tessera query -f sales=sales.parquet "SELECT count(*) FROM read_parquet('upload://sales')"
  tessera query -f a=a.csv -f b=b.csv -F join.sql --format csv > joined.csv
  tessera query -f script.sql --on-error continue
  tessera query -f log=log.csv.zst,encoding=zstd "SELECT * FROM read_csv('upload://log') LIMIT 5"
  gzip -dc big.csv.gz | tessera query -f big=- "SELECT count(*) FROM read_csv('upload://big')"
  tessera query -u https://tessera.example.com:3473 --user alice 'SELECT current_user'
  tessera query --setting statement_timeout=5000 --setting timezone=UTC < report.sql
  tessera query 'CREATE TABLE t (a INT); INSERT INTO t VALUES (1), (2); SELECT * FROM t; SELECT count(*) FROM t'

Statements separated by semicolons run in order, and the result of each is printed. The first error stops execution, unless
--on-error continue is given. -f script.sql without a statement runs the script, as -F does.
A file with encoding= (gzip, deflate, br, xz, zstd, lz4, snappy) is sent compressed; the server decompresses it.
Ctrl-C cancels the query. Exit codes: 0 success, 1 the query failed, 2 wrong usage, 3 no connection.`;

export function queryCommand(): Command {
  return withServerOptions(new Command('query'))
    .description('Send one or more statements, optionally with files, and print their results.')
    .argument(
      '[sql]',
      'statements, separated by semicolons (default: read from standard input, unless -F is given)',
    )
    .option(
      '-f, --file <name=path>',
      'file that the statement reads as upload://name; - is standard input; repeatable',
      file,
    )
    .option('-F, --sql-file <file>', 'read the statements from a file')
    .addOption(
      new Option('--on-error <what>', 'what to do after a statement that fails')
        .choices(['stop', 'continue'])
        .default('stop'),
    )
    .option('--format <format>', `${FORMAT_NAMES.join(', ')} (default: psql on a terminal, tsv elsewhere)`)
    .option('-d, --database <name>', 'database to use')
    .option('-s, --setting <name=value>', 'setting for this query; repeatable', setting)
    .allowExcessArguments(false)
    .addHelpText('after', EXAMPLES)
    .action(async (sql: string | undefined, flags: Flags) => {
      const { sqlFile, files } = scriptOf(sql, flags);
      if (sql === undefined && (sqlFile ?? '-') === '-' && files.some((f) => f.path === '-'))
        throw new CommandFailure(EXIT.usage, 'error: standard input cannot be both the statement and a file');
      const query = {
        server: await serverOf(flags),
        sql: await readStatement(sql, sqlFile, process.stdin),
        files,
        format: flags.format,
        database: flags.database,
        settings: flags.setting ?? {},
      };
      // The client is imported here so that the other commands start without loading it.
      const { runQuery } = await import('./query/run-query.ts');
      const { runEach } = await import('./query/run-each.ts');
      const run = flags.onError === 'continue' ? runEach : runQuery;
      await run(query, process, interruption());
    });
}

/** A file named *.sql is the script if there are no other statements: `tessera query -f script.sql`. */
function scriptOf(
  sql: string | undefined,
  { sqlFile, file: files = [] }: Flags,
): { readonly sqlFile: string | undefined; readonly files: readonly FilePart[] } {
  const [script, more] = files.filter(({ name, path }) => path.endsWith('.sql') && path.endsWith(name));
  if (sql !== undefined || sqlFile !== undefined || script === undefined || more !== undefined)
    return { sqlFile, files };
  return { sqlFile: script.path, files: files.filter((file) => file !== script) };
}

const file = (text: string, before: FilePart[] = []) => [...before, parseFilePart(text)];

function setting(text: string, before: Record<string, string> = {}): Record<string, string> {
  const equals = text.indexOf('=');
  if (equals < 1) throw new InvalidArgumentError('Expected name=value.');
  return { ...before, [text.slice(0, equals)]: text.slice(equals + 1) };
}
