import { useSignal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';

/** A row or column that is rendered. */
export interface ShownItem {
  readonly index: number;
  /** Its place in pixels. */
  readonly start: number;
  readonly size: number;
  /**
   * The key of its element. What scrolls into sight takes over the element of what has left it: changing the texts of an
   * element costs the browser much less than making a new one.
   */
  readonly slot: number;
}

/** The rows or the columns of a grid. */
export interface Axis {
  readonly count: number;
  /** The place of an item in pixels; of `count`, the size of all items. */
  startOf(index: number): number;
  /** The item at a place. */
  indexAt(place: number): number;
  /** How many items outside of the visible part are rendered on both sides. */
  readonly overscan: number;
  /** The size in pixels of what stays in sight in front of the items. */
  readonly before: number;
}

export const evenAxis = (count: number, size: number, more: Pick<Axis, 'overscan' | 'before'>): Axis => ({
  count,
  startOf: (index) => index * size,
  indexAt: (place) => Math.floor(place / size),
  ...more,
});

export function unevenAxis(sizes: readonly number[], more: Pick<Axis, 'overscan' | 'before'>): Axis {
  const starts = [0];
  for (const size of sizes) starts.push(starts.at(-1)! + size);
  return {
    count: sizes.length,
    startOf: (index) => starts[index]!,
    indexAt: (place) => starts.findLastIndex((start) => start <= place),
    ...more,
  };
}

/** The items of both axes of a scrolled element that are visible, with a few around them, in the order of their slots. */
export function useVisible(scroller: RefObject<HTMLDivElement | null>, rows: Axis, columns: Axis) {
  const place = useSignal({ top: 0, left: 0, height: 0, width: 0 });
  useLayoutEffect(() => {
    const element = scroller.current!;
    // Both axes are read before anything is rendered: reading one of them afterwards would compute the layout twice.
    const look = () => {
      const { scrollTop, scrollLeft, clientHeight, clientWidth } = element;
      place.value = { top: scrollTop, left: scrollLeft, height: clientHeight, width: clientWidth };
    };
    const watcher = new ResizeObserver(look);
    watcher.observe(element);
    element.addEventListener('scroll', look, { passive: true });
    look();
    return () => {
      watcher.disconnect();
      element.removeEventListener('scroll', look);
    };
  }, [scroller, place]);
  const { top, left, height, width } = place.value;
  return { rows: useItems(rows, top, height), columns: useItems(columns, left, width) };
}

/**
 * @param from where the visible part begins, in pixels
 * @param length the size of the visible part, with what stays in sight in front of the items
 */
function useItems(axis: Axis, from: number, length: number): readonly ShownItem[] {
  const first = Math.max(0, axis.indexAt(from) - axis.overscan);
  const end = Math.min(
    axis.count,
    axis.indexAt(from + Math.max(0, length - axis.before)) + 1 + axis.overscan,
  );
  const slots = useRef(1);
  slots.current = Math.max(slots.current, end - first);
  return useMemo(() => itemsOf(axis, first, end, slots.current), [axis, first, end, slots.current]);
}

function itemsOf(axis: Axis, first: number, end: number, slots: number): ShownItem[] {
  const items: ShownItem[] = [];
  for (let index = first; index < end; index++) {
    const start = axis.startOf(index);
    items.push({ index, start, size: axis.startOf(index + 1) - start, slot: index % slots });
  }
  return items.sort((a, b) => a.slot - b.slot);
}

/** The scroll position from which an item is in sight: the present one if it already is. */
export function scrolledTo(axis: Axis, index: number, from: number, length: number): number {
  const start = axis.startOf(index);
  const latest = axis.startOf(index + 1) - (length - axis.before);
  return Math.min(start, Math.max(from, latest));
}
