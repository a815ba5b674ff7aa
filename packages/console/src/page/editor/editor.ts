import {
  acceptCompletion,
  autocompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
} from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { type SQLNamespace, sql } from '@codemirror/lang-sql';
import { bracketMatching, syntaxHighlighting } from '@codemirror/language';
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
import { dialect } from './dialect.ts';
import { editorTheme, highlighting } from './editor-theme.ts';

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
  readonly functions: readonly Completion[];
}

/** The SQL editor: one view, and one state per tab, so that every tab has its own undo history and cursor. */
export class Editor {
  readonly #view: EditorView;
  readonly #events: EditorEvents;
  readonly #language = new Compartment();
  readonly #states = new Map<number, EditorState>();
  #completions: Completions = { tables: {}, functions: [] };
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

  get selection(): { readonly from: number; readonly to: number } {
    return this.#view.state.selection.main;
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
    const command = (action: () => void) => () => {
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

  #languageOf({ tables, functions }: Completions): Extension {
    const completeFunctions = (context: CompletionContext): CompletionResult | null => {
      const word = context.matchBefore(/\w+/);
      if (word === null || (word.from === word.to && !context.explicit)) return null;
      return { from: word.from, options: functions, validFor: /^\w*$/ };
    };
    return [
      sql({ dialect, schema: tables, defaultSchema: 'public', upperCaseKeywords: true }),
      dialect.language.data.of({ autocomplete: completeFunctions }),
    ];
  }
}
