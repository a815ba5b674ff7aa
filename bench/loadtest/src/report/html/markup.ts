/** Text that is already HTML. */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Part = Markup | string | number | undefined | readonly Part[];

/** HTML from a template; inserted values are escaped unless they are markup. */
export const markup = (strings: TemplateStringsArray, ...parts: readonly Part[]): Markup =>
  new Markup(strings.reduce((text, string, n) => text + textOf(parts[n - 1]) + string));

function textOf(part: Part): string {
  if (part === undefined) return '';
  if (part instanceof Markup) return part.text;
  if (typeof part === 'object') return part.map(textOf).join('');
  return escaped(String(part));
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => ENTITIES[character]!);

/** Converts the subset of Markdown in benchmark texts: code in backticks, emphasis in asterisks. */
export const prose = (text: string): Markup =>
  new Markup(
    text
      .split(/(`[^`]*`)/)
      .map((part) =>
        part.length > 1 && part.startsWith('`')
          ? `<code>${escaped(part.slice(1, -1))}</code>`
          : escaped(part).replace(/\*(\S[^*]*)\*/g, '<em>$1</em>'),
      )
      .join(''),
  );
