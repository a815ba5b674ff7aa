import { type Signal, useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { uploadReference } from '../engine/part-names.ts';
import { currentDatabase, setParameter } from '../engine/session.ts';
import { Icon } from '../parts/icon.tsx';
import {
  type CatalogTable,
  catalog,
  catalogProblem,
  columnsByTable,
  databases,
  loadCatalog,
  quoted,
  tableReference,
} from '../state/catalog.ts';
import { type AttachedFile, attached } from '../state/files.ts';
import { insertion } from '../state/insertion.ts';
import { go } from '../state/route.ts';
import { runStatements } from '../state/run.ts';
import { openTab } from '../state/tabs.ts';
import { bytesText, rowsText } from '../units.ts';

/** Databases, their tables and views with columns, and the files that were dropped on the page. */
export function SchemaTree({ onClose }: { onClose(): void }) {
  const filter = useSignal('');
  const wanted = filter.value.toLowerCase();
  const matches = (table: CatalogTable) =>
    table.table_name.toLowerCase().includes(wanted) ||
    (columnsByTable.value.get(`${table.table_schema}.${table.table_name}`) ?? []).some((column) =>
      column.column_name.toLowerCase().includes(wanted),
    );
  const tables = (catalog.value?.tables ?? []).filter(matches);
  const others = databases.value.filter((name) => name !== currentDatabase());
  return (
    <aside class="tree" aria-label="Schema">
      <TreeHead filter={filter} onClose={onClose} />
      <h2>
        <Icon name="database" /> {currentDatabase()}
      </h2>
      {catalogProblem.value !== undefined && <p class="problem">{catalogProblem.value}</p>}
      {catalog.value !== undefined && tables.length === 0 && (
        <p class="note">{wanted === '' ? 'No tables yet.' : `Nothing is called “${filter.value}”.`}</p>
      )}
      <ul>
        {tables.map((table) => (
          <TableNode key={`${table.table_schema}.${table.table_name}`} table={table} />
        ))}
      </ul>
      {attached.value.length > 0 && (
        <>
          <h2>Dropped files</h2>
          <ul>
            {attached.value.map((entry) => (
              <FileNode key={entry.file} entry={entry} />
            ))}
          </ul>
        </>
      )}
      {others.length > 0 && (
        <>
          <h2>Other databases</h2>
          <ul>
            {others.map((name) => (
              <li key={name}>
                <button type="button" class="node" onClick={() => setParameter('database', name)}>
                  <Icon name="database" /> <span class="name">{name}</span>
                </button>
              </li>
            ))}
          </ul>
        </>
      )}
    </aside>
  );
}

/** The field that searches the tree, and the buttons beside it. */
function TreeHead({ filter, onClose }: { filter: Signal<string>; onClose(): void }) {
  return (
    <div class="row">
      <input
        type="search"
        placeholder="Find tables and columns"
        aria-label="Find tables and columns"
        value={filter.value}
        onInput={(event) => (filter.value = event.currentTarget.value)}
      />
      <button
        type="button"
        class="plain"
        title="Read the schema again"
        aria-label="Read the schema again"
        onClick={loadCatalog}
      >
        <Icon name="refresh" />
      </button>
      <button type="button" class="plain narrow-only" aria-label="Close the schema" onClick={onClose}>
        <Icon name="close" />
      </button>
    </div>
  );
}

interface NodeProps {
  readonly icon: 'table' | 'view' | 'file';
  readonly name: string;
  readonly detail: string;
  readonly title: string;
  readonly children: ComponentChildren;
}

/** An entry that opens to show its actions and columns. */
function Node({ icon, name, detail, title, children }: NodeProps) {
  const open = useSignal(false);
  return (
    <li class={open.value ? 'open' : ''}>
      <button
        type="button"
        class="node"
        aria-expanded={open.value}
        title={`${name}\n${title}`}
        onClick={() => (open.value = !open.value)}
        onKeyDown={(event) => {
          if (event.key === 'ArrowRight') open.value = true;
          else if (event.key === 'ArrowLeft') open.value = false;
          else moveFocus(event);
        }}
      >
        <Icon name="chevron" />
        <Icon name={icon} />
        <span class="name">{name}</span>
        <small>{detail}</small>
      </button>
      {open.value && children}
    </li>
  );
}

/** The arrow keys go from entry to entry. */
function moveFocus(event: KeyboardEvent): void {
  const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
  if (step === undefined) return;
  event.preventDefault();
  const all = [...document.querySelectorAll<HTMLElement>('.tree .node')];
  all[all.indexOf(event.currentTarget as HTMLElement) + step]?.focus();
}

function TableNode({ table }: { table: CatalogTable }) {
  const reference = tableReference(table);
  const columns = columnsByTable.value.get(`${table.table_schema}.${table.table_name}`) ?? [];
  const isView = table.table_type === 'VIEW';
  const rows = table.number_of_rows === null ? undefined : Number(table.number_of_rows);
  const facts = [
    isView ? 'View' : table.table_type === 'EXTERNAL' ? 'External table' : 'Table',
    rows === undefined ? '' : rowsText(rows),
    table.compressed_bytes === null ? '' : bytesText(Number(table.compressed_bytes)),
    table.number_of_tablets === null ? '' : tabletsText(table.number_of_tablets),
  ].filter((fact) => fact !== '');
  return (
    <Node
      icon={isView ? 'view' : 'table'}
      name={table.table_schema === 'public' ? table.table_name : `${table.table_schema}.${table.table_name}`}
      detail={rows === undefined ? '' : compactCount.format(rows)}
      title={facts.join(' · ')}
    >
      <p class="facts">{facts.join(' · ')}</p>
      <div class="row actions">
        <button
          type="button"
          onClick={() => runInTab(`SELECT *\nFROM ${reference}\nLIMIT 100`, table.table_name)}
        >
          Preview
        </button>
        <button
          type="button"
          disabled={table.ddl === null}
          onClick={() => openInTab(`${table.ddl}`, `${table.table_name} DDL`)}
        >
          DDL
        </button>
        <button type="button" onClick={() => insert(reference)}>
          Insert name
        </button>
      </div>
      <ColumnList
        columns={columns.map(({ column_name, data_type, is_nullable }) => ({
          column_name,
          data_type,
          title: `Insert ${column_name} (${data_type}${is_nullable === 'NO' ? ', never NULL' : ''})`,
        }))}
      />
    </Node>
  );
}

function FileNode({ entry: { name, file, contents } }: { entry: AttachedFile }) {
  const call = uploadReference(name);
  return (
    <Node icon="file" name={name} detail={bytesText(file.size)} title={file.name}>
      <div class="row actions">
        <button type="button" onClick={() => runInTab(`SELECT *\nFROM ${call}\nLIMIT 100`, file.name)}>
          Preview
        </button>
        <button type="button" onClick={() => insert(call)}>
          Insert
        </button>
      </div>
      {contents === undefined && <p class="facts">Reading its columns…</p>}
      {typeof contents === 'string' && <p class="problem">{contents}</p>}
      {Array.isArray(contents) && <ColumnList columns={contents} />}
    </Node>
  );
}

interface ListedColumn {
  readonly column_name: string;
  readonly data_type: string;
  readonly title?: string;
}

/** Columns whose names a click inserts into the statement. */
function ColumnList({ columns }: { columns: readonly ListedColumn[] }) {
  return (
    <ul class="columns">
      {columns.map(({ column_name, data_type, title }) => (
        <li key={column_name}>
          <button
            type="button"
            class="node"
            title={title}
            onClick={() => insert(quoted(column_name))}
            onKeyDown={moveFocus}
          >
            <span class="name">{column_name}</span>
            <small>{data_type}</small>
          </button>
        </li>
      ))}
    </ul>
  );
}

const tabletsText = (count: string): string => `${count} tablet${count === '1' ? '' : 's'}`;

const compactCount = new Intl.NumberFormat('en', { notation: 'compact' });

function insert(text: string): void {
  go('query');
  insertion.value = text;
}

function openInTab(sql: string, title: string): void {
  go('query');
  openTab(sql, title);
}

function runInTab(sql: string, title: string): void {
  go('query');
  void runStatements(openTab(sql, title), [{ sql, from: 0 }]);
}
