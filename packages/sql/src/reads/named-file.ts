import { type BaseTableRef, call, constant, type TableFunctionRef } from '../tree.ts';
import type { ReadArguments } from './read-arguments.ts';
import { formatByName } from './read-arguments.ts';

/** The URL of a file that FROM names without a function, as in `FROM 'upload://trips.csv'` and `FROM 's3://lake/trips/*.parquet'`. */
export function namedFile(ref: BaseTableRef): string | undefined {
  const isBare = ref.schema_name === '' && ref.catalog_name === '';
  return isBare && /^(?:upload:|[a-z][a-z0-9+.-]*:\/\/)/i.test(ref.table_name) ? ref.table_name : undefined;
}

/**
 * The READ_* call that stands for a file named in FROM. Its rows are known by the name of the file without its
 * extension: `SELECT trips.id FROM 'upload://trips.csv'`.
 */
export function readOfFile(ref: BaseTableRef, args: ReadArguments): TableFunctionRef {
  const { sample, query_location, column_name_alias } = ref;
  return {
    type: 'TABLE_FUNCTION',
    alias: ref.alias || bareName(args.url),
    sample,
    query_location,
    function: { ...call(args.function, constant(args.url)), query_location },
    column_name_alias,
    with_ordinality: 'WITHOUT_ORDINALITY',
  };
}

function bareName(url: string): string {
  const name = url.replace(/[?#].*$/, '').replace(/^.*\//, '') || url;
  if (formatByName(url) === undefined) return name;
  return name.replace(/\.(?:gz|zst|bz2)$/i, '').replace(/\.[^.]+$/, '') || name;
}
