import { batch, computed, effect, type Signal, signal } from '@preact/signals';
import { browserStorage, keep, kept } from '../browser-storage.ts';
import type { StatementRun } from './outcome.ts';

const KEY = 'tessera.tabs';
const storage = browserStorage('localStorage');

/** A tab of the editor. Its text outlives a reload of the page, its results do not. */
export interface Tab {
  readonly id: number;
  readonly title: Signal<string>;
  readonly sql: Signal<string>;
  readonly runs: Signal<readonly StatementRun[]>;
  /** The number of the run that is shown. */
  readonly shown: Signal<number>;
}

let lastId = 0;

const newTab = (title: string, sql: string): Tab => ({
  id: ++lastId,
  title: signal(title),
  sql: signal(sql),
  runs: signal([]),
  shown: signal(0),
});

interface Draft {
  readonly title: string;
  readonly sql: string;
}

function drafts(): { tabs: Draft[]; active: number } {
  const stored = kept(storage, KEY) as { tabs?: unknown; active?: unknown } | undefined;
  const found = Array.isArray(stored?.tabs) ? stored.tabs : [];
  const good = found.filter(
    (draft): draft is Draft => typeof draft?.title === 'string' && typeof draft.sql === 'string',
  );
  return { tabs: good, active: typeof stored?.active === 'number' ? stored.active : 0 };
}

const restored = drafts();
export const tabs = signal<readonly Tab[]>(
  restored.tabs.length > 0
    ? restored.tabs.map(({ title, sql }) => newTab(title, sql))
    : [newTab('Statement 1', '')],
);
export const activeId = signal(tabs.value[Math.min(Math.max(restored.active, 0), tabs.value.length - 1)]!.id);
export const activeTab = computed(
  () => tabs.value.find((tab) => tab.id === activeId.value) ?? tabs.value[0]!,
);

effect(() => {
  const active = tabs.value.findIndex((tab) => tab.id === activeId.value);
  const texts = tabs.value.map((tab) => ({ title: tab.title.value, sql: tab.sql.value }));
  keep(storage, KEY, { tabs: texts, active });
});

/** Opens a tab and makes it the active one. Without a title it is numbered. */
export function openTab(sql: string, title?: string): Tab {
  const tab = newTab(title ?? `Statement ${freeNumber()}`, sql);
  batch(() => {
    tabs.value = [...tabs.value, tab];
    activeId.value = tab.id;
  });
  return tab;
}

/** The active tab if nothing is written in it yet, otherwise a new one, with this text. */
export function writeInFreeTab(sql: string, title?: string): Tab {
  const tab = activeTab.value;
  if (tab.sql.value.trim() !== '') return openTab(sql, title);
  tab.sql.value = sql;
  if (title !== undefined) tab.title.value = title;
  return tab;
}

/** Closes a tab and cancels what runs in it. The last tab is emptied instead. */
export function closeTab(tab: Tab): void {
  for (const run of tab.runs.value) run.cancel();
  batch(() => {
    const at = tabs.value.indexOf(tab);
    const others = tabs.value.filter((other) => other !== tab);
    tabs.value = others.length > 0 ? others : [newTab('Statement 1', '')];
    if (activeId.value === tab.id) activeId.value = tabs.value[Math.max(at - 1, 0)]!.id;
  });
}

function freeNumber(): number {
  const titles = new Set(tabs.value.map((tab) => tab.title.value));
  let number = 1;
  while (titles.has(`Statement ${number}`)) number++;
  return number;
}
