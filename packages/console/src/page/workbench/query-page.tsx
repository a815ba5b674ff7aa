import { useSignal } from '@preact/signals';
import type { Editor } from '../editor/editor.ts';
import { formatSql } from '../editor/format.ts';
import { session, setParameter } from '../engine/session.ts';
import { FilePicker } from '../parts/file-picker.tsx';
import { Icon } from '../parts/icon.tsx';
import { Menu } from '../parts/menu.tsx';
import { loadCatalog } from '../state/catalog.ts';
import { copy, tell } from '../state/notice.ts';
import type { Statement } from '../state/outcome.ts';
import { linkTo } from '../state/route.ts';
import { isRunning, runStatements } from '../state/run.ts';
import { activeTab, type Tab } from '../state/tabs.ts';
import { attachAndRead } from './attach-and-read.ts';
import { FileChips } from './file-chips.tsx';
import { HistoryDialog } from './history-dialog.tsx';
import { Results } from './results.tsx';
import { TabBar } from './tab-bar.tsx';
import { useEditor } from './use-editor.ts';
import { Welcome } from './welcome.tsx';

/** The editor with its tabs, and the results of the active tab. */
export function QueryPage() {
  const historyOpen = useSignal(false);
  const { host, editor } = useEditor({
    run: () => void run(),
    runAll: () => void runAll(),
    format: () => void format(),
  });

  const run = async () => runAndReload((await editor).statementsAtCursor, 'table');
  const explain = async (prefix: string) => {
    const explained = (await editor).statementsAtCursor.map(({ sql, from, place }) => ({
      sql: prefix + sql,
      from: from - prefix.length,
      ...(place && { place: { ...place, characters: place.characters - prefix.length } }),
    }));
    await runAndReload(explained, 'plan');
  };
  const runAll = async () => runAndReload((await editor).statements, 'table');
  const format = async () => formatText(await editor);
  const withEditor = (action: (loaded: Editor) => void) => void editor.then(action);

  const tab = activeTab.value;
  const isEmpty = tab.sql.value.trim() === '' && tab.runs.value.length === 0;
  return (
    <div class="workbench">
      <TabBar />
      <section class="statement" aria-label="Statements">
        <div class="editor" ref={host} />
        <FileChips insert={(text) => withEditor((loaded) => loaded.insert(text))} />
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
          <Results tab={tab} onShow={(from, to) => withEditor((loaded) => loaded.select(from, to))} />
        )}
      </section>
      {historyOpen.value && (
        <HistoryDialog
          onClose={() => {
            historyOpen.value = false;
            withEditor((loaded) => loaded.focus());
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
  /** Runs the statement at the cursor after this prefix. */
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

const CHANGES_CATALOG = /^\s*(create|drop|alter|insert|copy|truncate|use|delete|update|merge|vacuum)\b/i;

async function runAndReload(statements: readonly Statement[], view: 'table' | 'plan') {
  await runStatements(activeTab.value, statements, view);
  if (statements.some(({ sql }) => CHANGES_CATALOG.test(sql))) await loadCatalog();
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
