import { attach } from '../state/files.ts';
import { go } from '../state/route.ts';
import { writeInFreeTab } from '../state/tabs.ts';

/** Attaches files, and opens a tab for each with the statement that reads it. */
export function attachAndRead(files: Iterable<File>): void {
  const chosen = [...files];
  const references = attach(chosen);
  references.forEach((reference, at) => {
    writeInFreeTab(`SELECT *\nFROM ${reference}\nLIMIT 100`, chosen[at]!.name);
  });
  if (references.length > 0) go('query');
}
