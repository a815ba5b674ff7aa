import { unlimitedRights } from '@tessera/access-control';
import { CatalogState } from '@tessera/catalog';
import { asNodeName } from '@tessera/common';
import type { SystemFacts } from './system-facts.ts';

const USER = 'tessera';

/** The facts of a node without objects, for what does not depend on facts: the columns of system relations. */
export const EMPTY_NODE: SystemFacts = {
  snapshot: CatalogState.empty,
  database: 'tessera',
  user: USER,
  preparedStatements: [],
  rights: unlimitedRights(USER),
  viewColumns: new Map(),
  configuration: [],
  isVisible: () => true,
  engine: '',
  transactions: [],
  running: [],
  elsewhere: [],
  cluster: undefined,
  otherClusters: [],
  node: asNodeName(''),
  history: [],
  metrics: [],
  nodes: [],
};
