import { session } from '../engine/session.ts';
import { DataPage } from './data-page.tsx';
import { usePolledRows } from './polled-rows.ts';

interface Setting {
  readonly name: string;
  readonly value: string | null;
}

/** The settings as they are in effect for the statements of this browser tab. */
export const ConfigurationPage = () => (
  <DataPage
    title="Settings in effect"
    text="What SHOW ALL says for the statements of this browser tab. SET changes a setting for the statements after it."
    data={usePolledRows<Setting>('SHOW ALL', session.value)}
    columns={[
      { title: 'Setting', cell: ({ name }) => <code>{name}</code> },
      { title: 'Value', wide: true, cell: ({ value }) => value },
      { title: 'Set here', cell: ({ name }) => (name in session.value ? 'yes' : '') },
    ]}
    empty="There are no settings."
    keyOf={({ name }) => name}
  />
);
