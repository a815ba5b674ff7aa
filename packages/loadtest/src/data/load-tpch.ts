import { Connection } from '../http/connection.ts';
import { upload } from '../http/upload.ts';
import { createTable, TPCH_TABLES, type TpchData } from './tpch-data.ts';

/** Makes the tables and fills them, in tablets of at most so many bytes. */
export async function loadTpch(
  url: string,
  data: TpchData,
  tabletBytes: number,
  progress: (doing: string) => void,
): Promise<void> {
  const connection = new Connection(url);
  const sizes = `tablet_min_size_bytes = 0, tablet_max_size_bytes = ${tabletBytes}`;
  for (const table of TPCH_TABLES) {
    progress(`loading ${table.name}`);
    await connection.run(createTable(table));
    const insert = `INSERT INTO ${table.name} SELECT * FROM READ_PARQUET('upload://data') WITH (${sizes})`;
    await upload(url, insert, { path: data.file(table.name) });
  }
  await connection.close();
}
