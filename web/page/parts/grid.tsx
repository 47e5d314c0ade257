/**
 * A table of any number of rows; only the visible rows are rendered. Arrow keys move the selected row, Enter opens it. The
 * selected row stays selected when rows come, go or change places. The heads that sort are one stop of the Tab key; arrow keys
 * go from one to the next.
 */
import { elementScroll, observeElementOffset, observeElementRect, Virtualizer } from "@tanstack/virtual-core";
import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useReducer, useRef, useState } from "preact/hooks";

export interface Column {
  readonly key: string;
  readonly label: string;
  readonly width: number;
  readonly isNumber?: boolean;
  readonly cell: (row: number) => ComponentChildren;
  readonly isSortable?: boolean;
}

interface GridProps {
  readonly name: string;
  readonly columns: readonly Column[];
  readonly rows: Int32Array;
  readonly sort: string;
  readonly onSort: (key: string) => void;
  readonly onOpen: (row: number) => void;
  readonly marked?: (row: number) => boolean;
  readonly jumpTo?: number;
}

const rowHeight = 28;

function useSight(count: number) {
  const scroller = useRef<HTMLDivElement>(null);
  const [, redraw] = useReducer((n: number) => n + 1, 0);
  const virtual = useMemo(
    () =>
      new Virtualizer<HTMLDivElement, Element>({
        count: 0,
        getScrollElement: () => scroller.current,
        estimateSize: () => rowHeight,
        scrollToFn: elementScroll,
        observeElementRect,
        observeElementOffset,
        overscan: 12,
        onChange: () => redraw(undefined),
      }),
    [],
  );
  virtual.setOptions({ ...virtual.options, count });
  useEffect(() => virtual._didMount(), [virtual]);
  useEffect(() => virtual._willUpdate());
  return { scroller, virtual };
}

export function Grid({ name, columns, rows, sort, onSort, onOpen, marked, jumpTo }: GridProps) {
  const { scroller, virtual } = useSight(rows.length);
  const [selected, select] = useState<number>();
  const active = Math.max(0, selected === undefined ? 0 : rows.indexOf(selected));
  useEffect(() => {
    const place = jumpTo === undefined ? -1 : rows.indexOf(jumpTo);
    if (place < 0) return;
    select(jumpTo);
    virtual.scrollToIndex(place, { align: "center" });
  }, [jumpTo, virtual]);
  const sorted = columns.find(({ key }) => key === sort.replace(/^-/, ""));
  const stop = (sorted ?? columns.find(({ isSortable }) => isSortable))?.key;
  const width = columns.reduce((sum, column) => sum + column.width, 0);
  const move = (to: number) => {
    const next = Math.max(0, Math.min(rows.length - 1, to));
    select(rows[next]);
    virtual.scrollToIndex(next);
  };
  const keys: Readonly<Record<string, () => void>> = {
    ArrowDown: () => move(active + 1),
    ArrowUp: () => move(active - 1),
    PageDown: () => move(active + 20),
    PageUp: () => move(active - 20),
    Home: () => move(0),
    End: () => move(rows.length - 1),
    Enter: () => rows[active] !== undefined && onOpen(rows[active] as number),
  };
  return (
    <div
      ref={scroller}
      class="grid"
      role="grid"
      aria-label={name}
      aria-rowcount={rows.length + 1}
      aria-activedescendant={`row-${active}`}
      tabIndex={0}
      onKeyDown={(event) => {
        if (event.target !== event.currentTarget) return moveInHeads(event);
        const act = keys[event.key];
        if (!act) return;
        event.preventDefault();
        act();
      }}
    >
      <div role="rowgroup" class="grid-head" style={{ width: `${width}px` }}>
        <div role="row" class="grid-row" aria-rowindex={1}>
          {columns.map((column) => (
            <HeadCell key={column.key} column={column} sort={sort} onSort={onSort} isStop={column.key === stop} />
          ))}
        </div>
      </div>
      <div role="rowgroup" class="grid-body" style={{ height: `${virtual.getTotalSize()}px`, width: `${width}px` }}>
        {virtual.getVirtualItems().map(({ index, start }) => {
          const row = rows[index] as number;
          return (
            <GridRow
              key={row}
              {...{ row, index, start, columns }}
              isActive={index === active}
              isMarked={marked?.(row) ?? false}
              onOpen={() => {
                select(row);
                onOpen(row);
              }}
            />
          );
        })}
      </div>
    </div>
  );
}

function moveInHeads(event: KeyboardEvent): void {
  const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
  if (step === 0) return;
  const heads = [...(event.currentTarget as HTMLElement).querySelectorAll<HTMLElement>(".grid-head button")];
  heads[heads.indexOf(event.target as HTMLElement) + step]?.focus();
  event.preventDefault();
}

interface RowProps {
  readonly row: number;
  readonly index: number;
  readonly start: number;
  readonly columns: readonly Column[];
  readonly isActive: boolean;
  readonly isMarked: boolean;
  readonly onOpen: () => void;
}

function GridRow({ row, index, start, columns, isActive, isMarked, onOpen }: RowProps) {
  return (
    <div
      id={`row-${index}`}
      role="row"
      aria-rowindex={index + 2}
      aria-selected={isActive}
      class={`grid-row${isMarked ? " marked" : ""}`}
      style={{ transform: `translateY(${start}px)` }}
      onClick={onOpen}
    >
      {columns.map(({ key, width, isNumber, cell }) => (
        <div role="gridcell" key={key} class={isNumber ? "number" : ""} style={{ width: `${width}px` }}>
          {cell(row)}
        </div>
      ))}
    </div>
  );
}

function HeadCell({
  column: { key, label, width, isNumber, isSortable },
  sort,
  onSort,
  isStop,
}: {
  column: Column;
  sort: string;
  onSort: (key: string) => void;
  isStop: boolean;
}) {
  const isUp = sort === key;
  const isDown = sort === `-${key}`;
  return (
    <div
      role="columnheader"
      class={isNumber ? "number" : ""}
      style={{ width: `${width}px` }}
      aria-sort={isUp ? "ascending" : isDown ? "descending" : "none"}
    >
      {isSortable ? (
        <button type="button" tabIndex={isStop ? 0 : -1} onClick={() => onSort(isUp ? `-${key}` : key)}>
          {label}
          {isUp ? " ↑" : isDown ? " ↓" : ""}
        </button>
      ) : (
        label
      )}
    </div>
  );
}
