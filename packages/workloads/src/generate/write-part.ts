import {
  BIGINT,
  DOUBLE,
  type DuckDBConnection,
  DuckDBInstance,
  DuckDBTableFunction,
  type DuckDBType,
  INTEGER,
  VARCHAR,
} from '@duckdb/node-api';
import type { SourceColumn, TableSource, Value } from './source.ts';

const CHUNK_ROWS = 2048;
const TYPES: Readonly<Record<SourceColumn['type'], DuckDBType>> = { BIGINT, DOUBLE, INTEGER, VARCHAR };

/** Writes the rows of the units `from` to `to` (not among them) as one Parquet file. */
export async function writePart(
  source: TableSource,
  [from, to]: readonly [number, number],
  path: string,
  onUnits: (units: number) => void,
): Promise<void> {
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' });
  const connection = await instance.connect();
  try {
    registerRows(connection, source, [from, to], onUnits);
    await connection.run(
      `COPY (SELECT ${source.select} FROM generated()) TO '${path.replaceAll("'", "''")}' (FORMAT parquet, COMPRESSION lz4_raw)`,
    );
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

function registerRows(
  connection: DuckDBConnection,
  source: TableSource,
  [from, to]: readonly [number, number],
  onUnits: (units: number) => void,
): void {
  const pending: Value[][] = source.columns.map(() => []);
  let pendingRows = 0;
  let unit = from;
  const emit = (row: readonly Value[]): void => {
    for (let column = 0; column < pending.length; column++) pending[column]!.push(row[column]!);
    pendingRows++;
  };
  connection.registerTableFunction(
    DuckDBTableFunction.create({
      name: 'generated',
      bindFunction: (bind) => {
        for (const { name, type } of source.columns) bind.addResultColumn(name, TYPES[type]);
      },
      initFunction: () => {},
      mainFunction: (_, chunk) => {
        const started = unit;
        while (pendingRows < CHUNK_ROWS && unit < to) source.rows(unit++, emit);
        onUnits(unit - started);
        const rows = Math.min(pendingRows, CHUNK_ROWS);
        chunk.rowCount = rows;
        pendingRows -= rows;
        if (rows === 0) return;
        for (let column = 0; column < pending.length; column++)
          chunk.setColumnValues(column, pending[column]!.splice(0, rows));
      },
    }),
  );
}
