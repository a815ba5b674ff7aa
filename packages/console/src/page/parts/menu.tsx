import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

interface MenuProps {
  readonly label: ComponentChildren;
  readonly title?: string;
  readonly items: readonly { readonly text: string; readonly run: () => void }[];
}

/** A button that opens a list of actions. Escape and a click elsewhere close it. */
export function Menu({ label, title, items }: MenuProps) {
  const details = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    const close = (event: Event) => {
      const menu = details.current;
      if (!menu?.open) return;
      if (event instanceof KeyboardEvent) {
        if (event.key === 'Escape') closeAndFocus(menu);
      } else if (!menu.contains(event.target as Node)) menu.open = false;
    };
    document.addEventListener('click', close);
    document.addEventListener('keydown', close);
    return () => {
      document.removeEventListener('click', close);
      document.removeEventListener('keydown', close);
    };
  }, []);
  return (
    <details class="menu" ref={details}>
      <summary class="button" title={title}>
        {label}
      </summary>
      <ul>
        {items.map(({ text, run }) => (
          <li key={text}>
            <button
              type="button"
              onClick={() => {
                closeAndFocus(details.current!);
                run();
              }}
            >
              {text}
            </button>
          </li>
        ))}
      </ul>
    </details>
  );
}

/** The keyboard goes on at the button of the menu, because the chosen action is no longer there. */
function closeAndFocus(menu: HTMLDetailsElement): void {
  menu.open = false;
  menu.querySelector('summary')!.focus();
}
