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
      if (
        menu?.open &&
        (event instanceof KeyboardEvent ? event.key === 'Escape' : !menu.contains(event.target as Node))
      )
        menu.open = false;
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
                details.current!.open = false;
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
