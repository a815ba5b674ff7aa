import { type Block, type Note, pageItems } from './page-blocks.ts';

/** What the executor does with a block of a page. */
export type Step =
  | RunStep
  | { readonly kind: 'file'; readonly name: string; readonly text: string; readonly line: number }
  | { readonly kind: 'configuration'; readonly text: string; readonly line: number };

interface RunStep {
  readonly kind: 'run';
  readonly language: RunLanguage;
  readonly text: string;
  readonly line: number;
  /** What the page shows of the answer. */
  readonly output: ShownOutput | undefined;
  readonly fails: boolean;
}

export interface ShownOutput {
  readonly text: string;
  /** What may differ from one run to the next. */
  readonly varies: readonly RegExp[];
  /** What differs and is meant wherever the page says it again. */
  readonly names: readonly RegExp[];
}

const RUN_LANGUAGES = ['sh', 'sql', 'python', 'javascript', 'java'] as const;
export type RunLanguage = (typeof RUN_LANGUAGES)[number];

const isRun = (language: string): language is RunLanguage =>
  (RUN_LANGUAGES as readonly string[]).includes(language);

/** What a reader sees of an answer: a block without a language, or of data. */
const OUTPUT_LANGUAGES = ['', 'text', 'json', 'csv'];

export interface PageSteps {
  readonly steps: readonly Step[];
  /** Blocks that nobody tries although nothing above them says why. */
  readonly untried: readonly string[];
}

/** @param page text in Markdown; see README.md here for what its comments may say */
export function pageSteps(page: string): PageSteps {
  const steps: Step[] = [];
  const untried: string[] = [];
  const triedElsewhere = new Set<string>();
  let answered: { readonly step: RunStep; readonly notes: readonly Note[] } | undefined;
  for (const item of pageItems(page)) {
    if ('note' in item) {
      const { name, value, line } = item.note;
      if (name === 'run') steps.push(run('sh', `${value}\n`, line));
      const [, language] = /^every (\w+) block is tried by$/.exec(name) ?? [];
      if (language !== undefined) triedElsewhere.add(language);
      continue;
    }
    const { block } = item;
    const { language, text, line, notes } = block;
    const previous = answered;
    answered = undefined;
    if (isMarked(block) || triedElsewhere.has(language)) continue;
    const file = noteValue(block, 'file');
    if (file !== undefined) steps.push({ kind: 'file', name: file, text, line });
    if (isRun(language)) {
      if (file !== undefined) continue;
      answered = { step: { ...run(language, text, line), fails: hasNote(block, 'fails') }, notes };
      steps.push(answered.step);
    } else if (language === 'console') steps.push(...transcriptSteps(block));
    else if (language === 'yaml') steps.push({ kind: 'configuration', text, line });
    else if (OUTPUT_LANGUAGES.includes(language) && previous !== undefined) {
      const output = shownOutput(text, [...previous.notes, ...notes]);
      steps[steps.indexOf(previous.step)] = { ...previous.step, output };
    } else if (file === undefined) untried.push(`line ${line}: a block of ${language || 'output'}`);
  }
  return { steps, untried };
}

const run = (language: RunLanguage, text: string, line: number): RunStep => ({
  kind: 'run',
  language,
  text,
  line,
  output: undefined,
  fails: false,
});

/** `$ command` lines, with `> ` before the lines that continue them, and what is answered to each. */
function transcriptSteps(block: Block): Step[] {
  const steps: Step[] = [];
  let [command, output, line] = ['', '', block.line];
  const end = () => {
    if (command === '') return;
    const shown = output === '' ? undefined : shownOutput(output, block.notes);
    steps.push({ ...run('sh', command, line), output: shown });
    [command, output] = ['', ''];
  };
  block.text.split(/(?<=\n)/).forEach((text, i) => {
    if (text.startsWith('$ ')) {
      end();
      [command, line] = [text.slice(2), block.line + 1 + i];
    } else if (output === '' && text.startsWith('> ')) command += text.slice(2);
    else output += text;
  });
  end();
  return steps;
}

const shownOutput = (text: string, notes: readonly Note[]): ShownOutput => ({
  text,
  varies: patterns(notes, 'varies'),
  names: patterns(notes, 'names'),
});

const patterns = (notes: readonly Note[], name: string): RegExp[] =>
  notes.filter((note) => note.name === name).map(({ value }) => new RegExp(value, 'g'));

/** Says why it is not tried; a mark without a reason is none. */
const isMarked = ({ notes }: Block): boolean =>
  notes.some(({ name, value }) => (name === 'not run' || name === 'tried by') && value !== '');

const hasNote = ({ notes }: Block, wanted: string): boolean => notes.some(({ name }) => name === wanted);

const noteValue = ({ notes }: Block, wanted: string): string | undefined =>
  notes.find(({ name }) => name === wanted)?.value;
