/** The names that the engine accepts for file parts. */
const PART_NAME = /^[_0-9a-zA-Z.-]+$/;

/** @type {ReadonlyArray<[RegExp, (url: string) => string]>} */
const READ_FUNCTIONS = [
  [/\.parquet$/i, (url) => `READ_PARQUET('${url}')`],
  [/\.(csv|tsv)(\.\w+)?$/i, (url) => `READ_CSV('${url}', HEADER => TRUE, INFER_SCHEMA => TRUE)`],
  [/\.avro$/i, (url) => `READ_AVRO('${url}')`],
  [/\.(json|jsonl|ndjson)$/i, (url) => `READ_JSON('${url}')`],
  [/\.(arrow|arrows|ipc|feather)$/i, (url) => `READ_ARROW('${url}')`],
];

/** @param {string} name @param {Iterable<string>} taken names of the other parts */
export function isPartName(name, taken) {
  return PART_NAME.test(name) && name !== 'sql' && ![...taken].includes(name);
}

/**
 * A part name for a local file: its own name where that is one, else the nearest that is.
 * @param {string} fileName @param {Iterable<string>} taken
 */
export function partNameFor(fileName, taken) {
  const others = [...taken];
  const base = fileName.replaceAll(/[^_0-9a-zA-Z.-]+/g, '_') || 'file';
  if (isPartName(base, others)) return base;
  const dot = base.indexOf('.', 1);
  const [stem, extension] = dot < 0 ? [base, ''] : [base.slice(0, dot), base.slice(dot)];
  for (let i = 2; ; i++) {
    const name = `${stem}_${i}${extension}`;
    if (isPartName(name, others)) return name;
  }
}

/**
 * The call that reads a part, as its file's name suggests.
 * @param {string} partName @param {string} fileName
 */
export function readCall(partName, fileName) {
  const url = `upload://${partName}`;
  const known = READ_FUNCTIONS.find(([pattern]) => pattern.test(fileName));
  return known ? known[1](url) : `READ_TEXT('${url}')`;
}

/** The parts a statement names, wherever in it. @param {string} sql @returns {Set<string>} */
export function partsNamedIn(sql) {
  return new Set([...sql.matchAll(/upload:\/\/([_0-9a-zA-Z.-]+)/gi)].map((match) => match[1] ?? ''));
}
