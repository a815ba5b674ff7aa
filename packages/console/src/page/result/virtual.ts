import { useSignal } from '@preact/signals';
import {
  elementScroll,
  observeElementOffset,
  observeElementRect,
  type VirtualItem,
  Virtualizer,
} from '@tanstack/virtual-core';
import type { RefObject } from 'preact';
import { useLayoutEffect, useState } from 'preact/hooks';

interface VirtualAxis {
  readonly items: readonly VirtualItem[];
  readonly size: number;
  scrollTo(index: number): void;
}

/** The rows (or columns) of a scrolled element that are visible now, with a few around them. */
export function useVirtualAxis(
  scroller: RefObject<HTMLDivElement | null>,
  count: number,
  sizeOf: (index: number) => number,
  axis: { readonly horizontal: boolean; readonly overscan: number; readonly before: number },
): VirtualAxis {
  const version = useSignal(0);
  // Reading the signal renders the component again when the visible range changes.
  version.value;
  const options = {
    count,
    estimateSize: sizeOf,
    getScrollElement: () => scroller.current,
    horizontal: axis.horizontal,
    overscan: axis.overscan,
    scrollPaddingStart: axis.before,
    observeElementRect,
    observeElementOffset,
    scrollToFn: elementScroll,
    onChange: () => {
      version.value = version.peek() + 1;
    },
  };
  const [virtualizer] = useState(() => new Virtualizer<HTMLElement, HTMLElement>(options));
  virtualizer.setOptions(options);
  useLayoutEffect(() => virtualizer._didMount(), [virtualizer]);
  useLayoutEffect(() => virtualizer._willUpdate());
  return {
    items: virtualizer.getVirtualItems(),
    size: virtualizer.getTotalSize(),
    scrollTo: (index) => virtualizer.scrollToIndex(index, { align: 'auto' }),
  };
}
