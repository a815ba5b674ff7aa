import {
  acceptCompletion,
  autocompletion,
  type Completion,
  type CompletionContext,
  type CompletionSource,
  closeBrackets,
  closeBracketsKeymap,
  closeCompletion,
  completionKeymap,
} from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { keywordCompletionSource, type SQLNamespace, schemaCompletionSource } from '@codemirror/lang-sql';
import { bracketMatching, LanguageSupport, syntaxHighlighting } from '@codemirror/language';
import { lintKeymap, setDiagnostics } from '@codemirror/lint';
import { Compartment, EditorSelection, EditorState, type Extension, Prec } from '@codemirror/state';
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  keymap,
  lineNumbers,
  placeholder,
} from '@codemirror/view';
import type { Statement } from '../state/outcome.ts';
import { dialect } from './dialect.ts';
import { editorTheme, highlighting } from './editor-theme.ts';
import { statementsAt, statementsIn, withPlaces } from './statements.ts';

export interface EditorEvents {
  changed(text: string): void;
  run(): void;
  runAll(): void;
  format(): void;
}

export interface ErrorMark {
  readonly from: number;
  readonly to: number;
  readonly message: string;
}

/** The editor completes these names besides keywords. */
export interface Completions {
  readonly tables: SQLNamespace;
  /** The columns of each table or view, by its name in lower case. */
  readonly columns: ReadonlyMap<string, readonly Completion[]>;
  readonly functions: readonly Completion[];
}

/** The SQL editor: one view, and one state per tab, so that every tab has its own undo history and cursor. */
export class Editor {
  readonly #view: EditorView;
  readonly #events: EditorEvents;
  readonly #language = new Compartment();
  readonly #states = new Map<number, EditorState>();
  #completions: Completions = { tables: {}, columns: new Map(), functions: [] };
  #tab: number | undefined;

  constructor(parent: HTMLElement, events: EditorEvents) {
    this.#events = events;
    // Inside a shadow root CodeMirror adopts constructed style sheets, which the content security policy allows; in the
    // document it would add a <style> element, which the policy forbids.
    const root = parent.shadowRoot ?? parent.attachShadow({ mode: 'open' });
    this.#view = new EditorView({ parent: root, root, state: this.#newState('') });
  }

  /** Shows a tab. Its text is used only when the tab is shown for the first time, or has changed elsewhere. */
  show(tab: number, text: string): void {
    if (this.#tab !== tab) {
      if (this.#tab !== undefined) this.#states.set(this.#tab, this.#view.state);
      this.#tab = tab;
      this.#view.setState(this.#states.get(tab) ?? this.#newState(text));
      this.complete(this.#completions);
    }
    if (this.text !== text) this.#replaceAll(text);
  }

  /** Forgets tabs that are closed. */
  keepOnly(tabs: readonly number[]): void {
    for (const tab of this.#states.keys()) if (!tabs.includes(tab)) this.#states.delete(tab);
  }

  get text(): string {
    return this.#view.state.doc.toString();
  }

  get statements(): readonly Statement[] {
    return withPlaces(this.text, statementsIn(this.text));
  }

  /** The statement at the cursor, or those in the selection. */
  get statementsAtCursor(): readonly Statement[] {
    const { from, to } = this.#view.state.selection.main;
    return withPlaces(this.text, statementsAt(this.text, from, to));
  }

  focus(): void {
    this.#view.focus();
  }

  select(from: number, to: number): void {
    const end = this.#view.state.doc.length;
    this.#view.dispatch({
      selection: EditorSelection.range(Math.min(from, end), Math.min(to, end)),
      scrollIntoView: true,
    });
    this.focus();
  }

  /** Writes a text at the cursor, or in place of the selection. */
  insert(text: string): void {
    this.#view.dispatch(this.#view.state.replaceSelection(text), { scrollIntoView: true });
    this.focus();
  }

  /** Replaces a range, as one step that undo reverts. */
  replace(from: number, to: number, text: string): void {
    this.#view.dispatch({ changes: { from, to, insert: text } });
  }

  mark(errors: readonly ErrorMark[]): void {
    const end = this.#view.state.doc.length;
    const diagnostics = errors
      .filter(({ from }) => from <= end)
      .map(({ from, to, message }) => ({ from, to: Math.min(to, end), message, severity: 'error' as const }));
    this.#view.dispatch(setDiagnostics(this.#view.state, diagnostics));
  }

  complete(completions: Completions): void {
    this.#completions = completions;
    this.#view.dispatch({ effects: this.#language.reconfigure(this.#languageOf(completions)) });
  }

  destroy(): void {
    this.#view.destroy();
  }

  #replaceAll(text: string): void {
    const end = this.#view.state.doc.length;
    this.#view.dispatch({ changes: { from: 0, to: end, insert: text }, selection: { anchor: text.length } });
  }

  #newState(doc: string): EditorState {
    const command = (action: () => void) => (view: EditorView) => {
      closeCompletion(view);
      action();
      return true;
    };
    const { run, runAll, format } = this.#events;
    return EditorState.create({
      doc,
      selection: { anchor: doc.length },
      extensions: [
        Prec.highest(
          keymap.of([
            { key: 'Mod-Enter', run: command(run) },
            { key: 'Mod-Shift-Enter', run: command(runAll) },
            { key: 'Shift-Alt-f', run: command(format) },
            // Tab accepts a completion; otherwise it leaves the editor, as keyboard users need.
            { key: 'Tab', run: acceptCompletion },
          ]),
        ),
        lineNumbers(),
        highlightActiveLine(),
        highlightActiveLineGutter(),
        highlightSpecialChars(),
        history(),
        drawSelection(),
        bracketMatching(),
        closeBrackets(),
        autocompletion({ icons: false }),
        EditorView.lineWrapping,
        EditorState.tabSize.of(4),
        placeholder('Write SQL. Ctrl-Enter runs the statement at the cursor.'),
        EditorView.contentAttributes.of({ 'aria-label': 'SQL statements', spellcheck: 'false' }),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) this.#events.changed(update.state.doc.toString());
        }),
        keymap.of([
          ...closeBracketsKeymap,
          ...completionKeymap,
          ...historyKeymap,
          ...lintKeymap,
          ...defaultKeymap,
        ]),
        this.#language.of(this.#languageOf(this.#completions)),
        syntaxHighlighting(highlighting),
        editorTheme,
      ],
    });
  }

  #languageOf({ tables, columns, functions }: Completions): Extension {
    const names = schemaCompletionSource({ dialect, schema: tables, defaultSchema: 'public' });
    const others = [
      keywordCompletionSource(dialect, true),
      wordsSource(({ state, pos }) => columnsOfStatement(state.doc.toString(), pos, columns)),
      wordsSource(() => functions),
    ];
    return new LanguageSupport(
      dialect.language,
      [names, ...others.map(unlessQualified)].map((autocomplete) =>
        dialect.language.data.of({ autocomplete }),
      ),
    );
  }
}

/** After a dot, only the columns of a table and the tables of a schema can follow. */
const unlessQualified =
  (source: CompletionSource): CompletionSource =>
  (context) =>
    context.matchBefore(/\.\w*/) === null ? source(context) : null;

const wordsSource =
  (options: (context: CompletionContext) => readonly Completion[]): CompletionSource =>
  (context) => {
    const word = context.matchBefore(/\w+/);
    return word === null ? null : { from: word.from, options: options(context), validFor: /^\w*$/ };
  };

/** The columns of the tables that the statement at the cursor names. */
function columnsOfStatement(
  text: string,
  at: number,
  columns: Completions['columns'],
): readonly Completion[] {
  const sql = statementsAt(text, at, at)[0]?.sql ?? '';
  const words = new Set(sql.toLowerCase().match(/[\p{L}_][\p{L}\d_]*/gu));
  const found = [...words].flatMap((word) => columns.get(word) ?? []);
  return [...new Map(found.map((column) => [column.label, column])).values()];
}
