import { fail } from '@tessera/common';
import { caseOf, constant, type Expression, type FunctionNode, operator } from '../tree.ts';
import {
  type Argument,
  internalCall,
  kernelCall,
  literalInteger,
  literalText,
  operatorCall,
} from './expressions.ts';
import { matchesNothing, regexGroups } from './regex-groups.ts';
import type { Implementation } from './types.ts';

type RegexFunction =
  | 'regexp_like'
  | 'regexp_match'
  | 'regexp_matches'
  | 'regexp_extract'
  | 'regexp_extract_all'
  | 'regexp_replace'
  | 'regexp_replace_all';

const ARITY = {
  regexp_like: [2, 3],
  regexp_match: [2, 3],
  regexp_matches: [2, 3],
  regexp_extract: [2, 4],
  regexp_extract_all: [2, 4],
  regexp_replace: [3, 6],
  regexp_replace_all: [3, 4],
} as const;

/**
 * Translates the dialect's regular expressions to the kernel's: flags become a prefix of the pattern, `.`
 * matches line ends unless the flags contain `-s`, no match gives NULL, and `\&` in a replacement is the
 * whole match.
 */
export const regexFunction = (name: RegexFunction): Implementation => ({
  kind: 'rewrite',
  arity: ARITY[name],
  rewrite: (node) => REWRITES[name](node),
});

const REWRITES: Readonly<Record<RegexFunction, (node: FunctionNode) => Expression | undefined>> = {
  regexp_like: ({ children: [subject, pattern, flags] }) =>
    kernelCall('regexp_matches', subject, patternWith(pattern, flags)),
  regexp_match: (node) => firstMatch(node, constant(null)),
  regexp_matches: (node) => firstMatch(node, kernelCall('list_value')),
  regexp_extract: (node) => extract(node, (...args) => internalCall('regexp_extract', ...args)),
  regexp_extract_all: (node) => extract(node, (...args) => kernelCall('regexp_extract_all', ...args)),
  regexp_replace: (node) => {
    const [subject, pattern, replacement, flags, ...more] = node.children;
    if (more.length > 0 || (flags !== undefined && isPosition(flags))) return replacedFrom(node);
    const args = [
      searched(subject, pattern),
      patternWith(withGroups(pattern, replacement), flags),
      replacementOf(replacement, pattern),
    ];
    const isKnown = flags === undefined || literalText(flags) !== undefined;
    if (!isKnown) return internalCall('regexp_replace', ...args, flags);
    return literalText(flags)?.includes('g') ? allReplaced(node) : kernelCall('regexp_replace', ...args);
  },
  regexp_replace_all: allReplaced,
};

/**
 * In PostgreSQL, a pattern that can match nothing also does so just after another match: `regexp_replace('baac', 'a*', '-', 'g')` is
 * `-b--c-`. The kernel passes over such a match, which matters unless it is removed, so a macro replaces the matches one by one.
 */
function allReplaced({ children: [subject, pattern, replacement, flags] }: FunctionNode): Expression {
  const text = searched(subject, pattern);
  const found = patternWith(withGroups(pattern, replacement), flags);
  const by = replacementOf(replacement, pattern);
  const literal = literalText(pattern);
  if (literal === undefined || literalText(replacement) === '' || !matchesNothing(literal))
    return kernelCall('regexp_replace', text, found, by, constant('g'));
  if (!hasPositions(literal))
    return internalCall('regexp_replace_each', internalCall('pg_regexp_marked', text, found), found, by);
  return endsMatched(literal)
    ? internalCall('regexp_replace_to_end', text, internalCall('pg_regexp_marked', text, found), found, by)
    : kernelCall('regexp_replace', text, found, by, constant('g'));
}

/** Positions, such as `^` and `\b`, depend on what surrounds a match. */
const hasPositions = (pattern: string): boolean => /\\[bByYmMAZz]|(?<!\[)[\^$]/.test(pattern);

/** Whether `$` is the only position of a pattern. */
const endsMatched = (pattern: string): boolean => !/\\[bByYmMAZz]|(?<!\[)\^/.test(pattern);

/** Whether the kernel would find some matches of a pattern twice: those of nothing that do not begin where the search does. */
export const isFoundTwice = (pattern: string): boolean => hasPositions(pattern) && matchesNothing(pattern);

const isPosition = (argument: Expression): boolean =>
  literalInteger(argument) !== undefined ||
  (argument.class === 'CAST' && argument.cast_type.id === 'INTEGER');

/** `regexp_replace(text, pattern, replacement, start, n, flags)` replaces the n-th match from a position on, or all of them if n is 0. */
function replacedFrom({ children }: FunctionNode): Expression {
  const [subject, pattern, replacement, start, nth = constant(1), flags] = children;
  const found = patternWith(withGroups(pattern, replacement), flags);
  const rest = kernelCall('substring', subject, start);
  return internalCall(
    'regexp_replace_nth',
    subject,
    markedMatches(searched(rest, pattern), pattern, found),
    start,
    nth,
    found,
    replacementOf(replacement, pattern),
    allReplaced(kernelCall('regexp_replace', rest, pattern, replacement, flags)),
  );
}

/** The text as parts, of which every second one is a match. @param found the pattern as the kernel needs it */
export function markedMatches(text: Argument, pattern: Argument, found: Argument): Expression {
  const marked = internalCall('pg_regexp_marked', text, found);
  const literal = literalText(pattern);
  const isAtEnd = literal !== undefined && endsMatched(literal) && matchesNothing(literal);
  return isAtEnd ? internalCall('regexp_marked_to_end', marked, found) : marked;
}

/** A text in which the kernel finds `\B` inside of the characters beyond ASCII is refused. */
function searched(subject: Argument, pattern: Argument): Argument {
  const literal = literalText(pattern);
  return literal === undefined || literal.includes('\\B')
    ? internalCall('regexp_subject', subject, pattern)
    : subject;
}

/**
 * An array with the groups of the first match, or with all that matched if the pattern has no groups; with the flag g, a row with
 * such an array for each match.
 */
function firstMatch(
  { function_name, children: [subject, pattern, flags] }: FunctionNode,
  otherwise: Expression,
): Expression {
  const literal = literalText(pattern);
  if (literal === undefined)
    return fail('NOT_SUPPORTED', { what: `${function_name} with a pattern that is not a literal` });
  const groups = regexGroups(literal);
  const numbers = groups.length === 0 ? [0] : groups.map((_, i) => i + 1);
  const found = patternWith(pattern, flags);
  if (literalText(flags)?.includes('g')) {
    if (function_name === 'regexp_match')
      return fail('NOT_SUPPORTED', { what: 'The flag g of regexp_match', hint: 'Use regexp_matches.' });
    const all = numbers.map((group) => matchedGroup(subject, found, literal, group, 'regexp_extract_all'));
    return kernelCall('unnest', internalCall('side_by_side', kernelCall('list_value', ...all)));
  }
  const parts = numbers.map((group) => matchedGroup(subject, found, literal, group));
  const matches = kernelCall('regexp_matches', subject, found);
  return caseOf(
    [
      [matches, kernelCall('list_value', ...parts)],
      [operator('OPERATOR_NOT', matches), otherwise],
    ],
    constant(null),
  );
}

/**
 * The text that a group of a pattern matched: NULL if the group took no part in the match, as in PostgreSQL. The kernel returns an
 * empty text then, so a group that may be absent and may match nothing, such as `(a*)|b`, gives an empty text in both cases.
 */
export function matchedGroup(
  subject: Argument,
  found: Argument,
  pattern: string,
  group: number,
  name = 'regexp_extract',
): Expression {
  const text = kernelCall(name, subject, found, constant(group));
  const { isOptional = false, canBeEmpty = true } = regexGroups(pattern)[group - 1] ?? {};
  if (!isOptional || canBeEmpty) return text;
  return name === 'regexp_extract_all'
    ? internalCall('absent_groups', text)
    : kernelCall('nullif', text, constant(''));
}

function extract(
  { children: [subject, pattern, third, fourth] }: FunctionNode,
  build: (...args: Argument[]) => Expression,
): Expression | undefined {
  if (third === undefined) return build(subject, patternWith(pattern), constant(0));
  // The call uses the kernel's own order of arguments (subject, pattern, group [, flags]).
  if (literalInteger(third) !== undefined) return build(subject, patternWith(pattern, fourth), third);
  // Only the kernel's own form takes a list of group names.
  if (third.class === 'OPERATOR' && third.type === 'ARRAY_CONSTRUCTOR') return undefined;
  return build(subject, patternWith(pattern, third), fourth ?? constant(0));
}

export function patternWith(pattern: Argument, flags?: Argument): Argument {
  const patternText = literalText(pattern);
  const flagText = flags === undefined ? '' : literalText(flags);
  if (flagText !== undefined && !/^([imsUcgnpx]|-[imsU])*$/.test(flagText)) {
    fail('INVALID_ARGUMENT', {
      message: `Unknown regular expression flags "${flagText}" (known: i, m, s, U, each also with - before it, and x)`,
    });
  }
  if (patternText === undefined || flagText === undefined) {
    return internalCall('regexp_flags', pattern, flags ?? constant(''));
  }
  // The kernel may run a pattern without a prefix as a plain text search.
  const inline = flagText.replace(/[cgx]/g, '').replace(/[np]/g, 'm');
  const prefix = patternText.includes('.') ? `(?s${inline})` : inline && `(?${inline})`;
  const compact = flagText.includes('x') ? withoutComments(patternText) : patternText;
  return constant(prefix + kernelPattern(compact));
}

/** A pattern of the flag x without the white space and the comments outside of brackets. */
const withoutComments = (pattern: string): string =>
  pattern.replace(
    /(\\[\s\S]|\[\^?\]?(?:\[:\w+:\]|\\[\s\S]|[^\]\\])*\])|\s+|#[^\n]*/g,
    (_part, kept: string | undefined) => kept ?? '',
  );

const WORD_CHARACTER = /^(?:\w|\\[wd])$/;
const OPTIONAL = /^[?*{]$/;

/**
 * A pattern in the kernel's syntax. The kernel takes a pattern of plain characters for a search of the text, even if it has `^` or `$`
 * between them, so that `$ab` found `ab`. It does not do so if the pattern has a group.
 */
export function kernelPattern(pattern: string): string {
  const bounded = withWordBounds(pattern);
  const plain = bounded.replace(/\\[\s\S]|\[\^?\]?[^\]]*\]/g, 'x');
  return /[\s\S]\^|\$[\s\S]/.test(plain) ? `${bounded}()` : bounded;
}

/**
 * PostgreSQL's word bounds in the kernel's syntax: `\y` → `\b`, `\Y` → `\B`. `\m` and `\M`, the beginning and the end of a word,
 * are `\b` too if the character beside them is certainly one of a word; otherwise the kernel refuses them.
 */
function withWordBounds(pattern: string): string {
  if (!/\\[yYmM]/.test(pattern)) return pattern;
  const parts = pattern.match(/\\[\s\S]|[\s\S]/g) ?? [];
  const isWord = (part: string | undefined) => part !== undefined && WORD_CHARACTER.test(part);
  return parts
    .map((part, i) => {
      if (part === '\\y') return '\\b';
      if (part === '\\Y') return '\\B';
      if (part === '\\m') return isWord(parts[i + 1]) && !OPTIONAL.test(parts[i + 2] ?? '') ? '\\b' : part;
      if (part !== '\\M') return part;
      return isWord(parts[i - 1]) || (parts[i - 1] === '+' && isWord(parts[i - 2])) ? '\\b' : part;
    })
    .join('');
}

/**
 * The kernel leaves a text unchanged if the replacement refers to a group that the pattern does not have, or contains another
 * sequence that it does not know. PostgreSQL replaces the first with nothing and takes the second literally.
 */
function replacementOf(replacement: Argument, pattern: Argument): Argument {
  const literal = literalText(replacement);
  const patternText = literalText(pattern);
  const groups = patternText === undefined ? MOST_GROUPS : regexGroups(patternText).length;
  if (literal === undefined) return internalCall('regexp_replacement', replacement, constant(groups));
  const known = literal.replace(/\\([\s\S]?)/g, (sequence, next: string) => {
    if (next === '&') return '\\0';
    if (/[1-9]/.test(next)) return Number(next) > groups ? '' : sequence;
    return next === '\\' ? sequence : `\\${sequence}`;
  });
  return constant(known);
}

/** A replacement names groups by one digit. */
const MOST_GROUPS = 9;

/** `p` → `p || '()()'` for a replacement with `\2`: a pattern that is not a literal may have fewer groups, and these are empty. */
function withGroups(pattern: Argument, replacement: Argument): Argument {
  if (pattern === undefined || literalText(pattern) !== undefined) return pattern;
  const literal = literalText(replacement);
  if (literal === undefined) return internalCall('regexp_groups', pattern, replacement);
  const named = literal.replaceAll('\\\\', '').match(/\\\d/g) ?? [];
  const most = Math.max(0, ...named.map((sequence) => Number(sequence[1])));
  return most === 0 ? pattern : operatorCall('||', pattern, constant('()'.repeat(most)));
}
