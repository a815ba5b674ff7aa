import { effect, untracked } from '@preact/signals';
import type { RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { catalogCompletions } from '../editor/completions.ts';
import type { Editor, EditorEvents, ErrorMark } from '../editor/editor.ts';
import { placeIn } from '../engine/answer.ts';
import { insertion } from '../state/insertion.ts';
import { tell } from '../state/notice.ts';
import { activeTab, tabs } from '../state/tabs.ts';

/** Most of the console's code is that of the editor, so the page is shown before that is loaded. */
const loadEditor = () => import('../editor/editor.ts');

/**
 * The editor in the element of `host`: it shows the active tab, the errors of its statements and inserted texts. It resolves
 * when the code of the editor is loaded.
 */
export function useEditor(actions: Omit<EditorEvents, 'changed'>): {
  readonly host: RefObject<HTMLDivElement | null>;
  readonly editor: Promise<Editor>;
} {
  const host = useRef<HTMLDivElement>(null);
  const [made] = useState(() => Promise.withResolvers<Editor>());
  useEffect(() => {
    let stop: (() => void) | undefined;
    let isShown = true;
    loadEditor().then(
      (code) => {
        if (!isShown) return;
        const editor = new code.Editor(host.current!, {
          changed: (text) => {
            activeTab.value.sql.value = text;
          },
          ...actions,
        });
        stop = followState(editor);
        made.resolve(editor);
      },
      (error: Error) => tell(`The editor could not be loaded: ${error.message}. Reload the page.`),
    );
    return () => {
      isShown = false;
      stop?.();
    };
  }, []);
  return { host, editor: made.promise };
}

/** Shows the state of the console in the editor, until the returned function is called. */
function followState(editor: Editor): () => void {
  const stops = [
    effect(() => editor.show(activeTab.value.id, activeTab.value.sql.value)),
    effect(() => editor.keepOnly(tabs.value.map((tab) => tab.id))),
    effect(() => editor.complete(catalogCompletions())),
    effect(() => {
      const errors = errorMarks();
      untracked(() => editor.mark(errors));
    }),
    effect(() => {
      const text = insertion.value;
      if (text === undefined) return;
      insertion.value = undefined;
      editor.insert(text);
    }),
  ];
  const isTyping = document.activeElement?.matches('input, select, dialog *') === true;
  if (!isTyping && !matchMedia('(pointer: coarse)').matches) editor.focus();
  return () => {
    for (const stop of stops) stop();
    editor.destroy();
  };
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
