import type { ComponentType } from 'preact';
import type { Page } from '../state/route.ts';
import { ConfigurationPage } from './configuration-page.tsx';
import { HistoryPage } from './history-page.tsx';
import { NodesPage } from './nodes-page.tsx';
import { RunningPage } from './running-page.tsx';
import { TablesPage } from './tables-page.tsx';

/** The pages other than the query page. */
export const PAGE_VIEWS: Readonly<Record<Exclude<Page, 'query'>, ComponentType>> = {
  running: RunningPage,
  history: HistoryPage,
  nodes: NodesPage,
  tables: TablesPage,
  configuration: ConfigurationPage,
};
