import { measurement } from '@tessera/common';

/** Tablets that were let go to make room, or because nobody used them. */
export interface TabletEviction {
  readonly from: 'memory' | 'disk';
  readonly tablets: number;
}

export const tabletEvictions = measurement<TabletEviction>('tablet-eviction');
