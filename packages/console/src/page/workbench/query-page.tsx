import { effect, untracked, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { catalogCompletions } from '../editor/completions.ts';
import { Editor, type ErrorMark } from '../editor/editor.ts';
import { formatSql } from '../editor/format.ts';
import { statementsAt, statementsIn } from '../editor/statements.ts';
import { placeIn } from '../engine/answer.ts';
import { session, setParameter } from '../engine/session.ts';
import { FilePicker } from '../parts/file-picker.tsx';
import { Icon } from '../parts/icon.tsx';
import { Menu } from '../parts/menu.tsx';
import { loadCatalog } from '../state/catalog.ts';
import { insertion } from '../state/insertion.ts';
import { copy, tell } from '../state/notice.ts';
import { linkTo } from '../state/route.ts';
import { isRunning, runStatements } from '../state/run.ts';
import { activeTab, type Tab, tabs } from '../state/tabs.ts';
import { attachAndRead } from './attach-and-read.ts';
import { FileChips } from './file-chips.tsx';
import { HistoryDialog } from './history-dialog.tsx';
import { Results } from './results.tsx';
import { TabBar } from './tab-bar.tsx';
import { Welcome } from './welcome.tsx';

/** The editor with its tabs, and the results of the active tab. */
export function QueryPage() {
  const historyOpen = useSignal(false);
  const { host, editor } = useEditor({
    run: () => void run(),
    runAll: () => void runAll(),
    format: () => void format(),
  });

  const statementsHere = () => {
    const { from, to } = editor.current!.selection;
    return statementsAt(editor.current!.text, from, to);
  };
  const run = () => runAndReload(statementsHere(), 'table');
  const explain = (prefix: string) => {
    const explained = statementsHere().map(({ sql, from }) => ({
      sql: prefix + sql,
      from: from - prefix.length,
    }));
    return runAndReload(explained, 'plan');
  };
  const runAll = () => runAndReload(statementsIn(editor.current!.text), 'table');
  const format = () => formatText(editor.current!);

  const tab = activeTab.value;
  const isEmpty = tab.sql.value.trim() === '' && tab.runs.value.length === 0;
  return (
    <div class="workbench">
      <TabBar />
      <section class="statement" aria-label="Statements">
        <div class="editor" ref={host} />
        <FileChips insert={(text) => editor.current?.insert(text)} />
        <Toolbar
          tab={tab}
          run={run}
          runAll={runAll}
          explain={explain}
          format={format}
          showHistory={() => (historyOpen.value = true)}
        />
        <SessionChips />
      </section>
      <section class="results" aria-label="Results">
        {isEmpty ? (
          <Welcome run={() => void runAll()} />
        ) : (
          <Results tab={tab} onShow={(from, to) => editor.current?.select(from, to)} />
        )}
      </section>
      {historyOpen.value && (
        <HistoryDialog
          onClose={() => {
            historyOpen.value = false;
            editor.current?.focus();
          }}
        />
      )}
    </div>
  );
}

async function formatText(editor: Editor): Promise<void> {
  const { text } = editor;
  try {
    editor.replace(0, text.length, await formatSql(text));
  } catch (error) {
    tell(`The text cannot be formatted: ${(error as Error).message.split('\n')[0]}`);
  }
}

interface ToolbarProps {
  readonly tab: Tab;
  readonly run: () => void;
  readonly runAll: () => void;
  /** Runs the statement at the cursor behind this prefix. */
  readonly explain: (prefix: string) => void;
  readonly format: () => void;
  readonly showHistory: () => void;
}

function Toolbar({ tab, run, runAll, explain, format, showHistory }: ToolbarProps) {
  const running = isRunning(tab);
  return (
    <div class="toolbar row">
      {running ? (
        <button type="button" class="primary" onClick={() => tab.runs.value[0]?.cancel()}>
          <Icon name="stop" /> Cancel
        </button>
      ) : (
        <button
          type="button"
          class="primary"
          title="Run the statement at the cursor, or the selection"
          onClick={run}
        >
          <Icon name="play" /> Run <kbd>Ctrl ⏎</kbd>
        </button>
      )}
      <button type="button" disabled={running} title="Run all statements (Ctrl-Shift-Enter)" onClick={runAll}>
        Run all
      </button>
      <Menu
        label={
          <>
            <Icon name="plan" /> Explain
          </>
        }
        title="Show how the engine runs the statement at the cursor"
        items={[
          { text: 'Plan', run: () => explain('EXPLAIN (FORMAT JSON) ') },
          { text: 'Plan with times (runs it)', run: () => explain('EXPLAIN (ANALYZE, FORMAT JSON) ') },
        ]}
      />
      <span class="gap" />
      <FilePicker class="plain" title="Query files of this computer" onFiles={attachAndRead}>
        <Icon name="file" /> <span>Files</span>
      </FilePicker>
      <button type="button" class="plain" title="Format (Shift-Alt-F)" onClick={format}>
        <Icon name="format" /> <span>Format</span>
      </button>
      <button type="button" class="plain" title="Statements run in this browser" onClick={showHistory}>
        <Icon name="clock" /> <span>Recent</span>
      </button>
      <button
        type="button"
        class="plain"
        title="Copy a link that opens this text"
        onClick={() => copy(linkTo(tab.sql.value), 'the link')}
      >
        <Icon name="link" /> <span>Link</span>
      </button>
    </div>
  );
}

type EditorActions = Pick<ConstructorParameters<typeof Editor>[1], 'run' | 'runAll' | 'format'>;

/** The editor in the element of `host`: it shows the active tab, the errors of its statements and inserted texts. */
function useEditor(actions: EditorActions) {
  const host = useRef<HTMLDivElement>(null);
  const editor = useRef<Editor>(undefined);
  useEffect(() => {
    const made = new Editor(host.current!, {
      changed: (text) => {
        activeTab.value.sql.value = text;
      },
      ...actions,
    });
    editor.current = made;
    const stops = [
      effect(() => made.show(activeTab.value.id, activeTab.value.sql.value)),
      effect(() => made.keepOnly(tabs.value.map((tab) => tab.id))),
      effect(() => made.complete(catalogCompletions())),
      effect(() => {
        const errors = errorMarks();
        untracked(() => made.mark(errors));
      }),
      effect(() => {
        const text = insertion.value;
        if (text === undefined) return;
        insertion.value = undefined;
        made.insert(text);
      }),
    ];
    if (!matchMedia('(pointer: coarse)').matches) made.focus();
    return () => {
      for (const stop of stops) stop();
      made.destroy();
      editor.current = undefined;
    };
  }, []);
  return { host, editor };
}

const CHANGES_CATALOG = /^\s*(create|drop|alter|insert|copy|truncate|use|delete|update|merge|vacuum)\b/i;

async function runAndReload(statements: ReturnType<typeof statementsIn>, view: 'table' | 'plan') {
  await runStatements(activeTab.value, statements, view);
  if (statements.some(({ sql }) => CHANGES_CATALOG.test(sql))) await loadCatalog();
}

/** The places of the errors of the active tab, in its text. */
function errorMarks(): ErrorMark[] {
  return activeTab.value.runs.value.flatMap((run) => {
    const outcome = run.outcome.value;
    if (outcome.kind !== 'answered' || outcome.answer.kind !== 'failed') return [];
    return outcome.answer.failures.flatMap(({ location, description }) => {
      const place = location && placeIn(run.sql, location);
      return place ? [{ from: run.from + place.start, to: run.from + place.end, message: description }] : [];
    });
  });
}

/** What earlier statements have set for the following ones; each can be taken back. */
function SessionChips() {
  const parameters = Object.entries(session.value).filter(([name]) => name !== 'database');
  if (parameters.length === 0) return null;
  return (
    <ul class="chips" aria-label="Session">
      {parameters.map(([name, value]) => (
        <li key={name}>
          {name === 'transaction_id' ? 'a transaction is open' : `${name} = ${value}`}
          <button
            type="button"
            class="plain"
            aria-label={`Forget ${name}`}
            title="Following statements do without it"
            onClick={() => setParameter(name, undefined)}
          >
            <Icon name="close" />
          </button>
        </li>
      ))}
    </ul>
  );
}
