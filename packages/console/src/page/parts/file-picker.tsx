import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';

interface FilePickerProps {
  readonly class: string;
  readonly title?: string;
  readonly children: ComponentChildren;
  onFiles(files: readonly File[]): void;
}

/** A button that lets the user choose files. */
export function FilePicker({ class: className, title, children, onFiles }: FilePickerProps) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <button type="button" class={className} title={title} onClick={() => input.current?.click()}>
        {children}
      </button>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label="Files to query"
        onChange={(event) => {
          onFiles([...(event.currentTarget.files ?? [])]);
          // Choosing the same file again must count as a change.
          event.currentTarget.value = '';
        }}
      />
    </>
  );
}
