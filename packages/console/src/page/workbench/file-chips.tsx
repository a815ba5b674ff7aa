import { useRef } from 'preact/hooks';
import { partsNamedIn, uploadReference } from '../engine/part-names.ts';
import { Icon } from '../parts/icon.tsx';
import { type AttachedFile, attached, detach, rename } from '../state/files.ts';
import { activeTab } from '../state/tabs.ts';
import { bytesText } from '../units.ts';

/** The attached files. Those that the text does not name are shown as unused: they do not travel. */
export function FileChips({ insert }: { insert(text: string): void }) {
  const used = partsNamedIn(activeTab.value.sql.value);
  if (attached.value.length === 0) return null;
  return (
    <ul class="chips files" aria-label="Attached files">
      {attached.value.map((entry) => (
        <FileChip key={entry.file} entry={entry} used={used.has(entry.name)} insert={insert} />
      ))}
    </ul>
  );
}

interface FileChipProps {
  readonly entry: AttachedFile;
  readonly used: boolean;
  insert(text: string): void;
}

function FileChip({ entry, used, insert }: FileChipProps) {
  const input = useRef<HTMLInputElement>(null);
  const { name, file } = entry;
  return (
    <li class={used ? '' : 'unused'} title={used ? '' : 'No statement of this tab reads it'}>
      <Icon name="file" />
      <input
        ref={input}
        value={name}
        aria-label={`Name of ${file.name}`}
        pattern="[_0-9a-zA-Z.\-]+"
        title="Letters, digits, _, . and -; every file has its own name"
        onChange={(event) => {
          // A name that is not valid never reaches a request: the last good one comes back.
          if (!rename(entry, event.currentTarget.value)) event.currentTarget.value = name;
        }}
      />
      <small>{bytesText(file.size)}</small>
      <button
        type="button"
        class="plain"
        title="Read it in the statement"
        aria-label={`Read ${file.name}`}
        onClick={() => insert(uploadReference(name))}
      >
        <Icon name="insert" />
      </button>
      <button
        type="button"
        class="plain"
        title="Detach"
        aria-label={`Detach ${file.name}`}
        onClick={() => detach(entry)}
      >
        <Icon name="close" />
      </button>
    </li>
  );
}
