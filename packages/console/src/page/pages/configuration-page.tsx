import { session } from '../engine/session.ts';
import { DataPage } from './data-page.tsx';
import { usePolledRows } from './polled-rows.ts';

interface Setting {
  readonly name: string;
  readonly value: string | null;
  readonly description: string;
}

interface Parameter {
  readonly parameter: string;
  readonly value: string | null;
  readonly is_set: boolean;
  readonly description: string;
}

const PARAMETERS =
  'SELECT parameter, value, is_set, description FROM information_schema.engine_configuration';

/** The settings for the statements of this browser tab, and the configuration file of the node. */
export const ConfigurationPage = () => (
  <>
    <DataPage
      title="Settings in effect"
      text="The result of SHOW ALL for the statements of this browser tab. SET changes a setting for the statements after it."
      data={usePolledRows<Setting>('SHOW ALL', session.value)}
      columns={[
        { title: 'Setting', cell: ({ name }) => <code>{name}</code> },
        { title: 'Value', cell: ({ value }) => value },
        { title: 'Set here', cell: ({ name }) => (name in session.value ? 'yes' : '') },
        { title: 'Meaning', wide: true, cell: ({ description }) => description },
      ]}
      empty="There are no settings."
      keyOf={({ name }) => name}
    />
    <DataPage
      title="Configuration in effect"
      text="The parameters of the configuration file of this node; they take effect when the node starts."
      data={usePolledRows<Parameter>(PARAMETERS)}
      columns={[
        { title: 'Parameter', cell: ({ parameter }) => <code>{parameter}</code> },
        { title: 'Value', cell: ({ value }) => value },
        { title: 'In the file', cell: ({ is_set: isSet }) => (isSet ? 'yes' : '') },
        { title: 'Meaning', wide: true, cell: ({ description }) => description },
      ]}
      empty="Only administrators see the configuration."
      keyOf={({ parameter }) => parameter}
    />
  </>
);
