/** The name of the folder of rows whose value is NULL. */
const NULL_FOLDER = '__HIVE_DEFAULT_PARTITION__';

/** The value of a partition column as its folder has it; null is NULL. */
export interface PartitionValue {
  readonly key: string;
  readonly value: string | null;
}

/** The values that the folders of a path give, as in `s3://b/t/year=2024/city=S%C3%A3o%20Paulo/1.parquet`. */
export const partitionValues = (path: string): readonly PartitionValue[] =>
  foldersOf(path).flatMap((folder) => {
    const at = folder.indexOf('=');
    return at <= 0 ? [] : [{ key: decoded(folder.slice(0, at)), value: folderValue(folder.slice(at + 1)) }];
  });

const foldersOf = (path: string): readonly string[] => path.split('/').slice(0, -1);

const folderValue = (text: string): string | null => (text === NULL_FOLDER ? null : decoded(text));

/** A text that is not URL-encoded means itself. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The kernel's type of partition values, which are all text in the names of folders. */
export type PartitionType = 'BIGINT' | 'DATE' | 'TIMESTAMP' | 'VARCHAR';

const CANDIDATES: readonly (readonly [PartitionType, (text: string) => boolean])[] = [
  ['BIGINT', (text) => /^-?\d{1,19}$/.test(text) && BigInt.asIntN(64, BigInt(text)) === BigInt(text)],
  ['DATE', (text) => /^\d{4}-\d{2}-\d{2}$/.test(text) && isTime(`${text}T00:00:00Z`, text)],
  [
    'TIMESTAMP',
    (text) => TIMESTAMP.test(text) && isTime(`${text.slice(0, 19).replace(' ', 'T')}Z`, text.slice(0, 10)),
  ],
];
const TIMESTAMP = /^\d{4}-\d{2}-\d{2}[ T]\d{2}:\d{2}:\d{2}(?:\.\d{1,6})?$/;

/** Whether the text is a time of that day: `Date` accepts the 31st of any month. */
function isTime(text: string, day: string): boolean {
  const time = new Date(text);
  return !Number.isNaN(time.getTime()) && time.toISOString().startsWith(day);
}

/** Whether a value of a folder is a value of the type. */
export const isOfType = (type: PartitionType, text: string): boolean =>
  CANDIDATES.find(([name]) => name === type)?.[1](text) ?? true;

/** The narrowest type that all values have. */
export function inferredType(values: Iterable<string | null>): PartitionType {
  const texts = [...values].filter((value) => value !== null);
  if (texts.length === 0) return 'VARCHAR';
  return CANDIDATES.find(([, fits]) => texts.every(fits))?.[0] ?? 'VARCHAR';
}

/** The text of a value in the form that the kernel prints: values are compared as such texts. */
export const kernelText = (type: PartitionType, text: string): string =>
  type === 'BIGINT' ? String(BigInt(text)) : type === 'TIMESTAMP' ? text.replace('T', ' ') : text;
