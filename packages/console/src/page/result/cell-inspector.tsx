import { type Column, cellText, jsonText } from '../engine/answer.ts';
import { Icon } from '../parts/icon.tsx';
import { copy } from '../state/notice.ts';
import { bytesText } from '../units.ts';

interface CellInspectorProps {
  readonly column: Column;
  readonly row: number;
  readonly value: unknown;
  onClose(): void;
}

/** A value in full: JSON, arrays and structs with line breaks. */
export function CellInspector({ column, row, value, onClose }: CellInspectorProps) {
  const text = prettyText(value, column.type);
  return (
    <aside class="cell" aria-label="Cell">
      <header class="row">
        <h3>
          {column.name} <small>{column.type}</small>
        </h3>
        <button
          type="button"
          class="plain"
          title="Copy the value"
          aria-label="Copy the value"
          onClick={() => copy(text, 'the value')}
        >
          <Icon name="copy" />
        </button>
        <button type="button" class="plain" title="Close" aria-label="Close the cell" onClick={onClose}>
          <Icon name="close" />
        </button>
      </header>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard */}
      <pre tabIndex={0} class={value === null ? 'null' : ''}>
        {text}
      </pre>
      <small class="note">
        Row {row}
        {value !== null && `, ${bytesText(new Blob([cellText(value, column.type)]).size)}`}
      </small>
    </aside>
  );
}

function prettyText(value: unknown, type: string): string {
  if (typeof value === 'object' && value !== null) return jsonText(value, type, 2);
  if (typeof value === 'string' && /^\s*[[{]/.test(value)) {
    try {
      return JSON.stringify(JSON.parse(value), null, 2);
    } catch {
      return value;
    }
  }
  return cellText(value);
}
