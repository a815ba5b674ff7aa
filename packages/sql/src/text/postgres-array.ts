/** An array parsed from PostgreSQL's text form: texts of elements, NULLs, and nested arrays. */
export type ArrayText = readonly (string | null | ArrayText)[];

/**
 * Parses `{1,NULL,"a \"b\"",{…}}` by PostgreSQL's rules; bounds (`[0:1]={…}`) are ignored.
 * @throws SyntaxError for an invalid array
 */
export function parseArrayText(text: string): ArrayText {
  const start = /^\s*(?:(?:\[[+-]?\d+(?::[+-]?\d+)?\])+\s*=\s*)?/.exec(text)![0].length;
  const reader = new ArrayReader(text, start);
  const items = reader.array();
  reader.end();
  return items;
}

const MAX_DIMENSIONS = 6;

class ArrayReader {
  readonly #text: string;
  #at: number;

  constructor(text: string, at: number) {
    this.#text = text;
    this.#at = at;
  }

  array(depth = 1): ArrayText {
    if (depth > MAX_DIMENSIONS) {
      this.#malformed(`number of array dimensions exceeds the maximum allowed (${MAX_DIMENSIONS})`);
    }
    if (!this.#accept('{')) this.#malformed('Array value must start with "{" or dimension information.');
    const items: (string | null | ArrayText)[] = [];
    this.#skipSpace();
    if (this.#accept('}')) return items;
    for (;;) {
      this.#skipSpace();
      items.push(this.#item(depth));
      this.#skipSpace();
      if (this.#accept('}')) return items;
      if (!this.#accept(',')) this.#malformed(this.#unexpected());
    }
  }

  end(): void {
    this.#skipSpace();
    if (this.#at < this.#text.length) this.#malformed('Junk after closing right brace.');
  }

  #item(depth: number): string | null | ArrayText {
    if (this.#text[this.#at] === '{') return this.array(depth + 1);
    if (this.#accept('"')) return this.#quoted();
    return this.#bare();
  }

  #quoted(): string {
    let value = '';
    for (;;) {
      const char = this.#text[this.#at++];
      if (char === undefined) this.#malformed('Unexpected end of input.');
      if (char === '"') return value;
      value += char === '\\' ? this.#escaped() : char;
    }
  }

  /** Reads an unquoted element. White space around it is ignored unless it is escaped. */
  #bare(): string | null {
    let value = '';
    let kept = 0;
    let isEscaped = false;
    for (;;) {
      const char = this.#text[this.#at];
      if (char === undefined) this.#malformed('Unexpected end of input.');
      if (char === ',' || char === '}') break;
      if (char === '{' || char === '"') this.#malformed(this.#unexpected());
      this.#at += 1;
      value += char === '\\' ? this.#escaped() : char;
      if (char === '\\') isEscaped = true;
      if (char === '\\' || !SPACE.test(char)) kept = value.length;
    }
    value = value.slice(0, kept);
    if (value === '' && !isEscaped) this.#malformed(this.#unexpected());
    return !isEscaped && value.toLowerCase() === 'null' ? null : value;
  }

  #escaped(): string {
    const char = this.#text[this.#at++];
    return char ?? this.#malformed('Unexpected end of input.');
  }

  #accept(char: string): boolean {
    if (this.#text[this.#at] !== char) return false;
    this.#at += 1;
    return true;
  }

  #skipSpace(): void {
    while (SPACE.test(this.#text[this.#at] ?? '')) this.#at += 1;
  }

  #unexpected(): string {
    const char = this.#text[this.#at];
    return char === undefined ? 'Unexpected end of input.' : `Unexpected "${char}" character.`;
  }

  #malformed(detail: string): never {
    throw new SyntaxError(detail);
  }
}

const SPACE = /^[ \t\n\r\v\f]$/;
