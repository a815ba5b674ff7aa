import { Access } from './access.js';
import { failureView, tableView } from './answer-view.js';
import { browserStorage } from './browser-storage.js';
import { byId, element } from './element.js';
import { FileList, sizeText } from './file-list.js';
import { LoginDialog } from './login-dialog.js';
import { ROW_LIMIT, runQuery } from './query-run.js';
import { StatementHistory } from './statement-history.js';

const editor = byId('sql', HTMLTextAreaElement);
const answer = byId('answer', HTMLElement);
const status = byId('status', HTMLOutputElement);
const runButton = byId('run', HTMLButtonElement);
const cancelButton = byId('cancel', HTMLButtonElement);
const progress = byId('progress', HTMLProgressElement);
const picker = byId('picker', HTMLInputElement);
const historyDialog = byId('history', HTMLDialogElement);

const storage = browserStorage('localStorage');
const access = new Access(browserStorage('sessionStorage'));
const login = new LoginDialog(access);
const history = new StatementHistory(storage);
const files = new FileList(byId('files', HTMLElement), (call) => insert(call));
/** @type {import('./query-run.js').QueryRun | undefined} */
let running;

async function run() {
  const sql = editor.value;
  if (running !== undefined || sql.trim() === '') return;
  history.add(sql, Date.now());
  const parts = files.usedBy(sql);
  const uploadBytes = parts.reduce((sum, part) => sum + part.file.size, 0);
  const started = performance.now();
  let cancelled = false;
  let sent = parts.length > 0 ? 0 : 1;
  const showProgress = () => {
    progress.hidden = sent === 1;
    progress.value = sent;
    const what = sent === 1 ? 'Running' : `Sending ${sizeText(uploadBytes)}`;
    status.value = `${what}, ${secondsText((performance.now() - started) / 1000)}`;
  };
  const query = runQuery(sql, parts, access.headers, (fraction) => {
    sent = fraction;
    showProgress();
  });
  running = query;
  cancelButton.onclick = () => {
    cancelled = true;
    cancelButton.disabled = true;
    query.cancel();
  };
  runButton.disabled = true;
  cancelButton.disabled = false;
  cancelButton.hidden = false;
  answer.classList.add('stale');
  showProgress();
  const clock = setInterval(showProgress, 100);

  const result = await query.finished;
  clearInterval(clock);
  running = undefined;
  runButton.disabled = false;
  cancelButton.hidden = true;
  progress.hidden = true;
  answer.classList.remove('stale');
  const seconds = (performance.now() - started) / 1000;
  if (cancelled && result.kind === 'failed') {
    answer.replaceChildren(element('p', { className: 'note' }, 'Cancelled.'));
    status.value = `Cancelled after ${secondsText(seconds)}`;
  } else show(result, sql, seconds);
  if (query.wasRefused()) login.refused();
}

/** @param {import('./answer.js').Answer} result @param {string} sql @param {number} seconds */
function show(result, sql, seconds) {
  if (result.kind === 'failed') {
    answer.replaceChildren(...result.failures.map((failure) => failureView(failure, sql, select)));
    status.value = `Failed after ${secondsText(seconds)}`;
  } else if (result.kind === 'done') {
    const count = result.affectedRows;
    answer.replaceChildren(
      element('p', { className: 'note' }, count === null ? 'Done.' : `Done: ${count} rows.`),
    );
    status.value = secondsText(seconds);
  } else {
    const { rows, columns } = result;
    answer.replaceChildren(tableView(columns, rows));
    answer.scrollTo(0, 0);
    const atLeast = rows.length >= ROW_LIMIT ? 'at least ' : '';
    const engine = result.seconds === undefined ? '' : ` (engine ${secondsText(result.seconds)})`;
    status.value = `${atLeast}${rows.length.toLocaleString('en')} ${rows.length === 1 ? 'row' : 'rows'} in ${secondsText(seconds)}${engine}`;
  }
}

/** @param {number} seconds */
function secondsText(seconds) {
  return seconds < 1 ? `${Math.round(seconds * 1000)} ms` : `${seconds.toFixed(1)} s`;
}

/** @param {Iterable<File>} chosen */
function attach(chosen) {
  const calls = [...chosen].map((file) => files.add(file));
  const first = calls[0];
  if (first !== undefined && editor.value.trim() === '') editor.value = `SELECT *\nFROM ${first}\nLIMIT 100`;
  files.markUsed(editor.value);
  editor.focus();
}

/** @param {string} text */
function insert(text) {
  editor.focus();
  editor.setRangeText(text, editor.selectionStart, editor.selectionEnd, 'end');
  files.markUsed(editor.value);
}

/** @param {number} start @param {number} end */
function select(start, end) {
  editor.focus();
  editor.setSelectionRange(start, end);
}

function openHistory() {
  const items = history.entries().map(({ sql, at }) => {
    const button = element('button', { type: 'button' }, element('code', {}, sql.slice(0, 1_000)));
    button.append(element('small', {}, new Date(at).toLocaleString()));
    button.onclick = () => {
      editor.value = sql;
      files.markUsed(sql);
      historyDialog.close();
      editor.focus();
    };
    return element('li', {}, button);
  });
  const empty = element(
    'li',
    { className: 'note' },
    'Statements you run are kept here, in this browser only.',
  );
  byId('history-list', HTMLElement).replaceChildren(...(items.length > 0 ? items : [empty]));
  if (!historyDialog.open) historyDialog.showModal();
}

function listenForFiles() {
  const holdsFiles = (/** @type {DragEvent} */ event) => event.dataTransfer?.types.includes('Files') === true;
  document.addEventListener('dragover', (event) => {
    if (!holdsFiles(event)) return;
    event.preventDefault();
    document.body.classList.add('dropping');
  });
  document.addEventListener('dragleave', (event) => {
    if (event.relatedTarget === null) document.body.classList.remove('dropping');
  });
  document.addEventListener('drop', (event) => {
    document.body.classList.remove('dropping');
    if (!holdsFiles(event)) return;
    event.preventDefault();
    attach(event.dataTransfer?.files ?? []);
  });
  byId('attach', HTMLButtonElement).onclick = () => picker.click();
  picker.onchange = () => {
    attach(picker.files ?? []);
    // Choosing the same file again must count as a change.
    picker.value = '';
  };
}

function listenForTheme() {
  const root = document.documentElement;
  const saved = storage.getItem('tessera.theme');
  if (saved !== null) root.dataset.theme = saved;
  byId('theme', HTMLButtonElement).onclick = () => {
    const dark =
      root.dataset.theme ?? (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light');
    root.dataset.theme = dark === 'dark' ? 'light' : 'dark';
    storage.setItem('tessera.theme', root.dataset.theme);
  };
}

runButton.onclick = run;
editor.addEventListener('input', () => files.markUsed(editor.value));
document.addEventListener('renamed', () => files.markUsed(editor.value));
document.addEventListener('keydown', (event) => {
  if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
  event.preventDefault();
  run();
});
byId('history-open', HTMLButtonElement).onclick = openHistory;
byId('history-close', HTMLButtonElement).onclick = () => historyDialog.close();
byId('history-clear', HTMLButtonElement).onclick = () => {
  history.clear();
  openHistory();
};
listenForFiles();
listenForTheme();
editor.focus();
login.start();
