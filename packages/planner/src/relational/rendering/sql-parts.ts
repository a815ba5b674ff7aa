import type { SqlTemplate } from '../../distributed-plan.ts';

/** Joins text, templates and lists of templates into one SQL template with holes. */
export function sql(
  strings: TemplateStringsArray,
  ...values: readonly (string | SqlTemplate)[]
): SqlTemplate {
  const parts: (string | number)[] = [];
  for (const [i, text] of strings.entries()) {
    append(parts, [text]);
    const value = values[i];
    if (value !== undefined) append(parts, typeof value === 'string' ? [value] : value);
  }
  return parts;
}

/** Creates a hole: a plain number in `sql` would become text. */
export const hole = (id: number): SqlTemplate => [id];

export function joinSql(items: readonly SqlTemplate[], separator: string): SqlTemplate {
  const parts: (string | number)[] = [];
  for (const [i, item] of items.entries()) {
    if (i > 0) append(parts, [separator]);
    append(parts, item);
  }
  return parts;
}

/** Appends parts and merges adjacent texts. */
function append(parts: (string | number)[], more: SqlTemplate): void {
  for (const part of more) {
    const last = parts.at(-1);
    if (typeof part === 'string' && typeof last === 'string') parts[parts.length - 1] = last + part;
    else if (part !== '') parts.push(part);
  }
}

/** The text of a template; `fill` returns the text for each hole. */
export const fillHoles = (template: SqlTemplate, fill: (hole: number) => string): string =>
  template.map((part) => (typeof part === 'number' ? fill(part) : part)).join('');
