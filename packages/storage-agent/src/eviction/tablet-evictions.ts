import { measurement } from '@tessera/common';

/** Tablets that were evicted to make room or because they were unused. */
export interface TabletEviction {
  readonly from: 'memory' | 'disk';
  readonly tablets: number;
}

export const tabletEvictions = measurement<TabletEviction>('tablet-eviction');
