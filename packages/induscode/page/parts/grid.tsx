import type { ComponentChildren, JSX } from "preact";
import { useEffect, useId, useLayoutEffect, useRef, useState } from "preact/hooks";

export interface Column<Row> {
  readonly key: string;
  readonly title: string;
  /** A width of a CSS grid, such as `8rem` or `minmax(0, 2fr)`. */
  readonly width: string;
  /** The column is left out where the grid is narrower than this. */
  readonly fromPx?: number;
  readonly isNumber?: boolean;
  readonly show: (row: Row) => ComponentChildren;
}

interface GridProps<Row> {
  readonly label: string;
  readonly rows: readonly Row[];
  readonly columns: readonly Column<Row>[];
  readonly keyOf: (row: Row) => string;
  readonly rowPx?: number;
  /** Enter or a click. */
  readonly onOpen?: (row: Row) => void;
  readonly opened?: string | undefined;
  readonly empty: ComponentChildren;
  /** Rows arrive at the top: what is looked at stays where it is. */
  readonly isLive?: boolean;
  readonly class?: string;
}

/** Rows that are drawn above and below the visible ones. */
const MARGIN = 8;
/** The height of the titles, which stay in sight. */
const HEAD_PX = 32;

/**
 * A table of any length: only the rows in sight are in the document. The arrow keys, Page Up, Page Down, Home and End move the selected
 * row, Enter opens it. While somebody points at a live grid, works in it or has scrolled, it stands still and says how many rows wait.
 */
export function Grid<Row>(props: GridProps<Row>): JSX.Element {
  const {
    label,
    columns,
    keyOf,
    rowPx = 34,
    onOpen,
    opened,
    empty,
    isLive = false,
    class: kind = "",
  } = props;
  const id = useId();
  const scroller = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, height: 600, width: 1200 });
  const [selected, setSelected] = useState<string | undefined>(undefined);
  const [held, setHeld] = useState<readonly Row[] | undefined>(undefined);
  const isTouched = useRef(false);
  const rows = held ?? props.rows;

  useLayoutEffect(() => {
    const element = scroller.current;
    if (!element) return;
    const observer = new ResizeObserver(() =>
      setView((last) => ({ ...last, height: element.clientHeight, width: element.clientWidth })),
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, []);

  const hold = (): void => {
    isTouched.current = true;
    if (isLive && held === undefined) setHeld(props.rows);
  };
  const release = (): void => {
    isTouched.current = false;
    if (isLive && (scroller.current?.scrollTop ?? 0) === 0) setHeld(undefined);
  };
  const showNewest = (): void => {
    scroller.current?.scrollTo({ top: 0 });
    setHeld(undefined);
  };
  useEffect(() => {
    if (!isLive) setHeld(undefined);
  }, [isLive]);

  const visible = columns.filter(({ fromPx = 0 }) => view.width >= fromPx);
  const template = visible.map(({ width }) => width).join(" ");
  const first = Math.max(0, Math.floor(view.top / rowPx) - MARGIN);
  const last = Math.min(rows.length, Math.ceil((view.top + view.height) / rowPx) + MARGIN);
  const at = selected === undefined ? -1 : rows.findIndex((row) => keyOf(row) === selected);

  const select = (next: number): void => {
    const row = rows[Math.max(0, Math.min(rows.length - 1, next))];
    if (row === undefined) return;
    setSelected(keyOf(row));
    const top = rows.indexOf(row) * rowPx;
    const element = scroller.current;
    if (!element) return;
    if (top < element.scrollTop) element.scrollTop = top;
    else if (top + rowPx > element.scrollTop + element.clientHeight - HEAD_PX)
      element.scrollTop = top + rowPx - element.clientHeight + HEAD_PX;
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const page = Math.max(1, Math.floor(view.height / rowPx) - 1);
    const moves: { readonly [key: string]: number } = {
      ArrowDown: at + 1,
      ArrowUp: at < 0 ? 0 : at - 1,
      PageDown: at + page,
      PageUp: at - page,
      Home: 0,
      End: rows.length - 1,
    };
    const next = moves[event.key];
    const row = rows[at];
    if (next !== undefined) select(next);
    else if (
      (event.key === "Enter" || event.key === " ") &&
      row !== undefined &&
      event.target === scroller.current
    )
      onOpen?.(row);
    else return;
    event.preventDefault();
  };

  const waiting = held === undefined ? 0 : newerThan(props.rows, held, keyOf);
  return (
    <div
      ref={scroller}
      class={`grid ${kind}${onOpen ? " opens" : ""}`}
      role="grid"
      aria-label={label}
      aria-rowcount={rows.length + 1}
      tabIndex={0}
      aria-activedescendant={at >= first && at < last ? `${id}-${at}` : undefined}
      onScroll={(event) => {
        const { scrollTop } = event.currentTarget;
        setView((old) => ({ ...old, top: scrollTop }));
        if (!isLive) return;
        if (scrollTop > 0) hold();
        else if (!isTouched.current) setHeld(undefined);
      }}
      onKeyDown={onKeyDown}
      onFocusIn={hold}
      onFocusOut={release}
      onPointerEnter={hold}
      onPointerLeave={release}
    >
      <div class="grid-head" role="row" aria-rowindex={1} style={{ gridTemplateColumns: template }}>
        {visible.map(({ key, title, isNumber }) => (
          <span key={key} role="columnheader" class={isNumber ? "number" : ""}>
            {title}
          </span>
        ))}
      </div>
      {waiting > 0 && (
        <div role="row" class="grid-news">
          <span role="gridcell">
            <button type="button" class="pill" onClick={showNewest}>
              {waiting >= 1000 ? "1,000+" : waiting} newer
            </button>
          </span>
        </div>
      )}
      {rows.length === 0 ? (
        <div role="row">
          <div class="empty" role="gridcell">
            {empty}
          </div>
        </div>
      ) : (
        <div class="grid-all" role="presentation" style={{ height: `${rows.length * rowPx}px` }}>
          {rows.slice(first, last).map((row, offset) => {
            const index = first + offset;
            const key = keyOf(row);
            return (
              <div
                key={key}
                id={`${id}-${index}`}
                role="row"
                aria-rowindex={index + 2}
                aria-selected={key === (opened ?? selected)}
                class={rowClass(key === selected, key === opened)}
                style={{
                  gridTemplateColumns: template,
                  height: `${rowPx}px`,
                  transform: `translateY(${index * rowPx}px)`,
                }}
                onClick={() => {
                  setSelected(key);
                  onOpen?.(row);
                }}
              >
                {visible.map(({ key: column, show, isNumber }) => (
                  <span key={column} role="gridcell" class={isNumber ? "number" : ""}>
                    {show(row)}
                  </span>
                ))}
              </div>
            );
          })}
        </div>
      )}
    </div>
  );
}

function rowClass(isSelected: boolean, isOpened: boolean): string {
  return `grid-row${isSelected ? " selected" : ""}${isOpened ? " opened" : ""}`;
}

/** How many rows are above those that are shown. */
function newerThan<Row>(all: readonly Row[], held: readonly Row[], keyOf: (row: Row) => string): number {
  const first = held[0];
  if (first === undefined) return all.length;
  const key = keyOf(first);
  const at = all.findIndex((row) => keyOf(row) === key);
  return at < 0 ? all.length : at;
}
