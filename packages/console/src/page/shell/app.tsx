import { effect, useSignal, useSignalEffect } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { startAccess, token } from '../engine/access.ts';
import { currentDatabase } from '../engine/session.ts';
import { PAGE_VIEWS } from '../pages/page-views.tsx';
import { loadCatalog, loadFunctions } from '../state/catalog.ts';
import { notice } from '../state/notice.ts';
import { go, route } from '../state/route.ts';
import { writeInFreeTab } from '../state/tabs.ts';
import { SchemaTree } from '../tree/schema-tree.tsx';
import { attachAndRead } from '../workbench/attach-and-read.ts';
import { QueryPage } from '../workbench/query-page.tsx';
import { Header } from './header.tsx';
import { Login } from './login.tsx';

/** The whole console: header, schema tree and the page that the address names. */
export function App() {
  const treeOpen = useSignal(!matchMedia('(max-width: 800px)').matches);
  const dropping = useSignal(false);

  useEffect(() => void startAccess(), []);
  useSignalEffect(() => {
    // A login and another database change what the catalog shows.
    token.value;
    currentDatabase();
    void loadCatalog();
  });
  useSignalEffect(() => {
    token.value;
    void loadFunctions();
  });
  useEffect(
    () =>
      effect(() => {
        const { page, sql } = route.value;
        if (sql === undefined) return;
        writeInFreeTab(sql);
        go(page);
      }),
    [],
  );
  useEffect(() => listenForFiles((on) => (dropping.value = on)), [dropping]);

  const { page } = route.value;
  const View = page === 'query' ? undefined : PAGE_VIEWS[page];
  return (
    <div class={`app ${treeOpen.value ? 'tree-open' : ''}`}>
      <Header treeOpen={treeOpen} />
      <div class="body">
        {treeOpen.value && <SchemaTree onClose={() => (treeOpen.value = false)} />}
        <main>{View === undefined ? <QueryPage /> : <View />}</main>
      </div>
      <Login />
      <output class="toast" aria-live="polite">
        {notice.value}
      </output>
      {dropping.value && <div class="drop-target">Drop files to query them</div>}
    </div>
  );
}

/** Attaches files that are dropped anywhere on the page, and writes the statement that reads the first. */
function listenForFiles(setDropping: (on: boolean) => void): () => void {
  const holdsFiles = (event: DragEvent) => event.dataTransfer?.types.includes('Files') === true;
  const over = (event: DragEvent) => {
    if (!holdsFiles(event)) return;
    event.preventDefault();
    setDropping(true);
  };
  const leave = (event: DragEvent) => {
    if (event.relatedTarget === null) setDropping(false);
  };
  const drop = (event: DragEvent) => {
    setDropping(false);
    if (!holdsFiles(event)) return;
    event.preventDefault();
    attachAndRead(event.dataTransfer?.files ?? []);
  };
  document.addEventListener('dragover', over);
  document.addEventListener('dragleave', leave);
  document.addEventListener('drop', drop);
  return () => {
    document.removeEventListener('dragover', over);
    document.removeEventListener('dragleave', leave);
    document.removeEventListener('drop', drop);
  };
}
