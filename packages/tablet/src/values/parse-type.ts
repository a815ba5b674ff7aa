import type { KernelField, KernelType } from '@tessera/kernel';

const ALIASES: Readonly<Record<string, string>> = {
  BOOL: 'BOOLEAN',
  INT: 'INTEGER',
  LONG: 'BIGINT',
  TEXT: 'VARCHAR',
  STRING: 'VARCHAR',
  REAL: 'FLOAT',
  BYTEA: 'BLOB',
  'DOUBLE PRECISION': 'DOUBLE',
  NUMERIC: 'DECIMAL',
  'TIMESTAMP WITH TIME ZONE': 'TIMESTAMPTZ',
  'TIMESTAMP_NS WITH TIME ZONE': 'TIMESTAMPTZ_NS',
  'TIME WITH TIME ZONE': 'TIMETZ',
};

const TOKEN = /\s*(?:"((?:[^"]|"")*)"|'((?:[^']|'')*)'|([A-Za-z_][\w ]*|\d+)|([()[\],]))/y;

interface Token {
  readonly kind: 'quoted' | 'text' | 'word' | 'mark';
  readonly text: string;
}

const parsed = new Map<string, KernelType>();

/**
 * Parses a type in the kernel's SQL (`DECIMAL(38,9)`, `STRUCT("a b" INTEGER)[]`); undefined if the text is
 * not a type.
 */
export function parseType(sql: string): KernelType | undefined {
  const known = parsed.get(sql);
  if (known !== undefined) return known;
  const tokens = tokensOf(sql);
  if (tokens === undefined) return undefined;
  const reader = new TypeReader(tokens);
  const type = reader.whole();
  if (type === undefined) return undefined;
  if (parsed.size > 10_000) parsed.clear();
  parsed.set(sql, type);
  return type;
}

function tokensOf(sql: string): Token[] | undefined {
  const tokens: Token[] = [];
  TOKEN.lastIndex = 0;
  const end = sql.trimEnd().length;
  while (TOKEN.lastIndex < end) {
    const match = TOKEN.exec(sql);
    if (match === null) return undefined;
    const [, quoted, literal, word, mark] = match;
    if (quoted !== undefined) tokens.push({ kind: 'quoted', text: quoted.replaceAll('""', '"') });
    else if (literal !== undefined) tokens.push({ kind: 'text', text: literal.replaceAll("''", "'") });
    else if (word !== undefined) tokens.push({ kind: 'word', text: word.trim() });
    else tokens.push({ kind: 'mark', text: mark! });
  }
  return tokens;
}

class NotAType extends Error {}

class TypeReader {
  readonly #tokens: readonly Token[];
  #at = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  whole(): KernelType | undefined {
    try {
      const type = this.#type();
      return this.#at === this.#tokens.length ? type : undefined;
    } catch (error) {
      if (error instanceof NotAType) return undefined;
      throw error;
    }
  }

  #type(): KernelType {
    const word = this.#next();
    let type = this.#base(word);
    while (this.#takes('[')) {
      if (this.#takes(']')) {
        type = { id: 'LIST', child: type };
      } else {
        type = { id: 'ARRAY', child: type, size: Number(this.#next().text) };
        this.#expect(']');
      }
    }
    return type;
  }

  #base({ kind, text }: Token): KernelType {
    if (kind === 'quoted' && text === 'NULL') return { id: 'NULL' };
    if (kind !== 'word') throw new NotAType();
    const upper = text.toUpperCase().replaceAll(/ +/g, ' ');
    const name = ALIASES[upper] ?? upper;
    if (!this.#takes('(')) {
      if (name === 'DECIMAL') return { id: 'DECIMAL', width: 18, scale: 3 };
      return { id: name } as KernelType;
    }
    switch (name) {
      case 'DECIMAL': {
        const [width, scale = '0'] = this.#until(() => this.#next().text);
        return { id: 'DECIMAL', width: Number(width), scale: Number(scale) };
      }
      case 'ENUM':
        return { id: 'ENUM', values: this.#until(() => this.#next().text) };
      case 'STRUCT':
        return { id: 'STRUCT', fields: this.#until(() => this.#structField()) };
      case 'UNION':
        return { id: 'UNION', members: this.#until(() => this.#structField()) };
      case 'MAP': {
        const [key, value] = this.#until(() => this.#type());
        if (key === undefined || value === undefined) throw new NotAType();
        return { id: 'MAP', key, value };
      }
      default:
        // This is a length, as in VARCHAR(10), which the kernel ignores too.
        this.#until(() => this.#next());
        return { id: name } as KernelType;
    }
  }

  #structField(): KernelField {
    const name = this.#next();
    if (name.kind === 'quoted') return { name: name.text, type: this.#type() };
    // An unquoted name and the first word of its type are one token; names with blanks are quoted.
    const blank = name.text.indexOf(' ');
    if (name.kind !== 'word' || blank < 0) throw new NotAType();
    this.#at--;
    const rest: Token = { kind: 'word', text: name.text.slice(blank + 1).trim() };
    const inner = new TypeReader([rest, ...this.#tokens.slice(this.#at + 1)]);
    const type = inner.#type();
    this.#at += inner.#at;
    return { name: name.text.slice(0, blank), type };
  }

  #until<T>(item: () => T): T[] {
    const items = [item()];
    while (this.#takes(',')) items.push(item());
    this.#expect(')');
    return items;
  }

  #next(): Token {
    const token = this.#tokens[this.#at++];
    if (token === undefined) throw new NotAType();
    return token;
  }

  #takes(mark: string): boolean {
    const token = this.#tokens[this.#at];
    if (token?.kind !== 'mark' || token.text !== mark) return false;
    this.#at++;
    return true;
  }

  #expect(mark: string): void {
    if (!this.#takes(mark)) throw new NotAType();
  }
}
