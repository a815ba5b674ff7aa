/** The names that the engine accepts for file parts. */
const PART_NAME = /^[_0-9a-zA-Z.-]+$/;

export function isPartName(name: string, taken: Iterable<string>): boolean {
  return PART_NAME.test(name) && name !== 'sql' && ![...taken].includes(name);
}

/** A part name for a local file: its own name if that is one, otherwise the nearest that is. */
export function partNameFor(fileName: string, taken: Iterable<string>): string {
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

/** What reads a part in FROM: the engine recognises its format. */
export const uploadReference = (partName: string): string => `'upload://${partName}'`;

/** The parts that a statement names, wherever in it. */
export function partsNamedIn(sql: string): Set<string> {
  return new Set([...sql.matchAll(/upload:\/\/([_0-9a-zA-Z.-]+)/gi)].map((match) => match[1] ?? ''));
}
