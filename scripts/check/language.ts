import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A comment that opens with one of these words is a fragment, not a sentence. */
const FRAGMENT = /^(?:Of|By|Those|That|Who|Which)\b/;
/** Good sentences that open with such a word nevertheless. */
const ALLOWED = [/^That (?:is|means)\b/, /^By (?:default|design|definition)\b/, /^Of the two\b/];

/**
 * Matches titles of tests or of groups that neither are sentences nor complete the title of their group to one.
 */
const TITLE_FRAGMENT = /^(?:test|it|describe)(?:\.\w+)?\(\s*['"`](of|by|those|who|whose|what|which) /;

/** Phrases that readers stumble over, and what to write instead. Pages, comments and texts in the code are searched. */
const BANNED: readonly (readonly [RegExp, string])[] = [
  [/\bupkeep\b/i, 'maintenance'],
  [/\b(?:has|have|had) not got\b/i, 'does not have'],
  [/\bbeside(?:s)? each other\b/i, 'concurrently, or in parallel'],
  [/\basks nobody\b|\bwho asks\b/i, 'authentication, the user'],
  [/\bfor whoever\b/i, 'a noun: users, operators'],
  [/\bwithout a rest\b/i, 'truncated toward zero'],
  [/\bwhole numbers?\b/i, 'integer'],
  [/\bout of the box\b/i, 'by default'],
  [/\ball the same\b/i, 'nevertheless, or anyway'],
  [/\banew\b/i, 'again, or rebuilt, restarted, rewritten'],
  [/\bin vain\b/i, 'what failed, or what is wasted'],
  [/\b(?:open|filled) parameters?\b/i, 'a parameter without (or with) a value, or a generic plan'],
];

const PAGE = /\.md$/;
const SOURCE = /\.(?:ts|mjs|js)$/;
const GENERATED = /(?:^|\/)generated\/|_pb\.ts$/;
/** Files that name banned phrases: this rule, its test and the glossary. */
const EXEMPT = /^(?:scripts\/check\/language(?:\.test)?\.ts|docs\/glossary\.md)$/;

/** Returns fragments and banned phrases in pages and sources. */
export function languageProblems(root: string, files: readonly string[]): string[] {
  return files
    .filter((file) => !GENERATED.test(file) && !EXEMPT.test(file))
    .flatMap((file) => {
      if (!PAGE.test(file) && !SOURCE.test(file)) return [];
      const text = readFileSync(join(root, file), 'utf8');
      const problems = PAGE.test(file) ? pageProblems(text) : sourceProblems(text);
      return problems.map((problem) => `${file}${problem}`);
    });
}

/** Returns `:<line>: <problem>` for the prose of a page, which excludes code blocks and code spans. */
export function pageProblems(text: string): string[] {
  const prose = text
    .replaceAll(/^ *(`{3,}|~{3,}).*?^ *\1/gms, blank)
    .replaceAll(/<!--.*?-->/gs, blank)
    .replaceAll(/`[^`\n]*`/g, blank);
  return prose.split('\n').flatMap((line, at) => bannedIn(line, at + 1));
}

/** Returns `:<line>: <problem>` for the comments and texts of a source file. */
export function sourceProblems(text: string): string[] {
  const lines = text.split('\n');
  return lines.flatMap((line, at) => {
    const problems = bannedIn(line, at + 1);
    const opening = openingOfComment(lines, at);
    const word = opening === undefined ? null : FRAGMENT.exec(opening);
    if (word && !ALLOWED.some((allowed) => allowed.test(opening!)))
      problems.push(
        `:${at + 1}: a comment opens with "${word[0]}": write a sentence that says who does what`,
      );
    const title = TITLE_FRAGMENT.exec(line.trimStart());
    if (title)
      problems.push(
        `:${at + 1}: the title of a test opens with "${title[1]}": say what the code under test does`,
      );
    return problems;
  });
}

/**
 * Returns the text of a comment that begins on this line, if the line contains nothing else; otherwise
 * undefined.
 */
function openingOfComment(lines: readonly string[], at: number): string | undefined {
  const line = lines[at]!.trim();
  if (line.startsWith('//'))
    return at > 0 && lines[at - 1]!.trim().startsWith('//') ? undefined : line.replace(/^\/+\s*/, '');
  if (!line.startsWith('/*')) return undefined;
  const text = line.replace(/^\/\*+\s*/, '');
  return text === '' ? (lines[at + 1] ?? '').trim().replace(/^\*\s*/, '') : text;
}

function bannedIn(line: string, number: number): string[] {
  return BANNED.flatMap(([phrase, instead]) => {
    const found = phrase.exec(line);
    return found ? [`:${number}: "${found[0]}": write ${instead}`] : [];
  });
}

const blank = (text: string): string => text.replaceAll(/[^\n]/g, ' ');
