import { type Block, type Note, pageItems } from './page-blocks.ts';

/** The action for a block of a page. */
export type Step =
  | RunStep
  | { readonly kind: 'file'; readonly name: string; readonly text: string; readonly line: number }
  | { readonly kind: 'configuration'; readonly text: string; readonly line: number };

export interface RunStep {
  readonly kind: 'run';
  readonly language: RunLanguage;
  readonly text: string;
  readonly line: number;
  /** The output that the page shows. */
  readonly output: ShownOutput | undefined;
  readonly fails: boolean;
}

export interface ShownOutput {
  readonly text: string;
  /** Patterns of output that may differ between runs. */
  readonly varies: readonly RegExp[];
  /** Patterns of output that differs between runs and that the page refers to later. */
  readonly names: readonly RegExp[];
  /** Whether the command may be repeated until it gives this output. */
  readonly isSoon: boolean;
}

const RUN_LANGUAGES = ['sh', 'sql', 'python', 'javascript', 'java'] as const;
export type RunLanguage = (typeof RUN_LANGUAGES)[number];

const isRun = (language: string): language is RunLanguage =>
  (RUN_LANGUAGES as readonly string[]).includes(language);

/** The languages of blocks that show output: no language, or data. */
const OUTPUT_LANGUAGES = ['', 'text', 'json', 'csv'];

export interface PageSteps {
  readonly steps: readonly Step[];
  /** Blocks that are not executed although no reason is given. */
  readonly untried: readonly string[];
}

/** @param page the text in Markdown; the README in this directory describes its comments */
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

/** The steps of `$ command` lines, continued by `> ` lines, with the output of each. */
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
  isSoon: notes.some(({ name }) => name === 'soon'),
});

const patterns = (notes: readonly Note[], name: string): RegExp[] =>
  notes.filter((note) => note.name === name).map(({ value }) => new RegExp(value, 'g'));

/** Whether a block is marked as not executed, with a reason; a mark without a reason does not count. */
const isMarked = ({ notes }: Block): boolean =>
  notes.some(({ name, value }) => (name === 'not run' || name === 'tried by') && value !== '');

const hasNote = ({ notes }: Block, wanted: string): boolean => notes.some(({ name }) => name === wanted);

const noteValue = ({ notes }: Block, wanted: string): string | undefined =>
  notes.find(({ name }) => name === wanted)?.value;
