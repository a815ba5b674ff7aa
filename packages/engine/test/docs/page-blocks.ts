/** A fenced block of a page. */
export interface Block {
  readonly language: string;
  readonly text: string;
  /** The line of the opening fence, counted from 1. */
  readonly line: number;
  /** The HTML comments directly above it, which readers do not see. */
  readonly notes: readonly Note[];
}

/** `<!-- name: value -->`; the value is empty if there is no colon. */
export interface Note {
  readonly name: string;
  readonly value: string;
  readonly line: number;
}

/** The parts of a page for its executor, in order: blocks, and notes that stand alone. */
export type PageItem = { readonly block: Block } | { readonly note: Note };

const FENCE = /^( *)(`{3,}|~{3,})(.*)$/;

export function pageItems(page: string): PageItem[] {
  const lines = page.split('\n');
  const items: PageItem[] = [];
  let notes: Note[] = [];
  const leave = () => {
    items.push(...notes.map((note) => ({ note })));
    notes = [];
  };
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at]!;
    const [, indent, fence, language] = FENCE.exec(line) ?? [];
    if (fence !== undefined) {
      const end = lines.findIndex((other, i) => i > at && other.trim() === fence);
      if (end < 0) throw new Error(`line ${at + 1}: a block that does not end`);
      const text = lines.slice(at + 1, end).map((inner) => `${inner.slice(indent!.length)}\n`);
      items.push({ block: { language: language!.trim(), text: text.join(''), line: at + 1, notes } });
      notes = [];
      at = end;
    } else if (line.trimStart().startsWith('<!--')) {
      const end = lines.findIndex((other, i) => i >= at && other.trimEnd().endsWith('-->'));
      if (end < 0) throw new Error(`line ${at + 1}: a comment that does not end`);
      notes.push(noteOf(lines.slice(at, end + 1).join('\n'), at + 1));
      at = end;
    } else leave();
  }
  leave();
  return items;
}

function noteOf(comment: string, line: number): Note {
  const [, name = '', value = ''] = /^\s*<!--\s*([\w ]+?)\s*(?::([\s\S]*))?-->\s*$/.exec(comment) ?? [];
  return { name, value: value.trim(), line };
}
