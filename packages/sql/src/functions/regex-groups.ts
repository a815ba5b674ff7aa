/** A capturing group `(…)` of a regular expression. */
export interface RegexGroup {
  /** Whether the pattern can match without it: `(a)|(b)`, `(a)?`. */
  readonly isOptional: boolean;
  /** Whether it can match nothing: `(a*)`. */
  readonly canBeEmpty: boolean;
}

interface OpenGroup {
  readonly isCapturing: boolean;
  readonly start: number;
  /** The number of capturing groups before it. */
  readonly first: number;
  hasAlternatives: boolean;
}

/** The tokens of a pattern in which brackets have no meaning, and the others. */
const TOKEN =
  /\\Q[\s\S]*?(?:\\E|$)|\\[\s\S]|\[\^?\]?(?:\[:\w+:\]|\\[\s\S]|[^\]\\])*\]|\((?:\?(?:P?<\w+>|[^)(:<]*:?))?|[\s\S]/g;

/** The capturing groups of a pattern in their order. */
export function regexGroups(pattern: string): readonly RegexGroup[] {
  const groups: { isOptional: boolean; canBeEmpty: boolean }[] = [];
  const whole: OpenGroup = { isCapturing: false, start: 0, first: 0, hasAlternatives: false };
  const open: OpenGroup[] = [whole];
  const setOptional = (from: number) => {
    for (const group of groups.slice(from)) group.isOptional = true;
  };
  for (const { 0: token, index } of pattern.matchAll(TOKEN)) {
    if (token.startsWith('(')) {
      const isCapturing = token === '(' || /^\(\?P?</.test(token);
      open.push({ isCapturing, start: index + token.length, first: groups.length, hasAlternatives: false });
      if (isCapturing) groups.push({ isOptional: false, canBeEmpty: true });
    } else if (token === '|') open.at(-1)!.hasAlternatives = true;
    else if (token === ')' && open.length > 1) {
      const closed = open.pop()!;
      const inner = closed.first + (closed.isCapturing ? 1 : 0);
      if (closed.hasAlternatives) setOptional(inner);
      if (/^(?:[?*]|\{0)/.test(pattern.slice(index + 1))) setOptional(closed.first);
      if (closed.isCapturing)
        groups[closed.first]!.canBeEmpty = matchesNothing(pattern.slice(closed.start, index));
    }
  }
  if (whole.hasAlternatives) setOptional(0);
  return groups;
}

/** Whether a pattern, or a part of one, matches an empty text. Positions such as `\b` are taken to match everywhere. */
export function matchesNothing(part: string): boolean {
  const positions = part.replace(/\\[bByYmMAZz]|(?<!\\)(?<!\[)[\^$]/g, '').replace(/\(\?P</g, '(?<');
  try {
    return new RegExp(`^(?:${positions})$`).test('');
  } catch {
    return true;
  }
}
