import { useEffect, useRef } from 'preact/hooks';
import { Icon } from '../parts/icon.tsx';
import { clearHistory, history } from '../state/history.ts';
import { writeInFreeTab } from '../state/tabs.ts';

/** The statements run in this browser; a click opens one. */
export function HistoryDialog({ onClose }: { onClose(): void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} class="history" aria-labelledby="history-title" onClose={onClose}>
      <header class="row">
        <h2 id="history-title">Recent statements</h2>
        <button type="button" onClick={clearHistory}>
          Forget all
        </button>
        <button type="button" class="plain" aria-label="Close" onClick={() => dialog.current?.close()}>
          <Icon name="close" />
        </button>
      </header>
      {history.value.length === 0 ? (
        <p class="note">Statements that you run are kept here, in this browser only.</p>
      ) : (
        <ol>
          {history.value.map(({ sql, at }) => (
            <li key={at}>
              <button
                type="button"
                onClick={() => {
                  writeInFreeTab(sql);
                  dialog.current?.close();
                }}
              >
                <code>{sql.slice(0, 1_000)}</code>
                <small>{new Date(at).toLocaleString('en-GB')}</small>
              </button>
            </li>
          ))}
        </ol>
      )}
    </dialog>
  );
}
