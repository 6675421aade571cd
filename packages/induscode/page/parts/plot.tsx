import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import Uplot from "uplot";
import { axisTime, duration, short } from "../figures.ts";
import { theme } from "../theme.ts";

interface PlotSeries {
  readonly label: string;
  /** The name of a colour variable of the style sheet. */
  readonly colour: string;
  readonly isBars?: boolean;
  readonly isFilled?: boolean;
}

interface PlotProps {
  /** Says in words what the picture shows. */
  readonly label: string;
  /** Seconds since 1970, then one list per series. */
  readonly data: readonly (readonly (number | null)[])[];
  readonly series: readonly PlotSeries[];
  readonly unit: "calls" | "ms";
  readonly heightPx?: number;
}

/** A single point in the middle of two minutes: otherwise it is drawn at the start of a thousand days. */
function widened(data: PlotProps["data"]): Uplot.AlignedData {
  const [[at] = [], ...values] = data;
  if (data[0]?.length !== 1 || typeof at !== "number") return data as Uplot.AlignedData;
  const around = values.map(([value = null]) => [null, value, null]);
  return [[at - 60, at, at + 60], ...around] as Uplot.AlignedData;
}

/** Values over time. It grows with its place and is drawn again when the colours change. */
export function Plot({ label, data, series, unit, heightPx = 140 }: PlotProps): JSX.Element {
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<Uplot | undefined>(undefined);
  const colours = theme.value;
  // One point makes no line.
  const isSparse = (data[0]?.length ?? 0) < 3;
  const shape = series.map(({ label: name }) => name).join();
  useEffect(() => {
    const element = place.current;
    if (!element) return;
    const style = getComputedStyle(document.documentElement);
    const colour = (name: string): string => style.getPropertyValue(`--${name}`).trim();
    const show = unit === "ms" ? duration : short;
    const axis = {
      stroke: colour("muted"),
      font: "11px system-ui, sans-serif",
      grid: { stroke: colour("line"), width: 1 },
      ticks: { show: false },
    };
    const made = new Uplot(
      {
        width: Math.max(100, element.clientWidth),
        height: heightPx,
        legend: { show: false },
        cursor: { drag: { x: false, y: false }, points: { size: 6 } },
        scales: {
          x: { time: true },
          y: { range: (_, __, most) => [0, most > 0 ? most * 1.1 : 1] },
        },
        axes: [
          {
            ...axis,
            space: 80,
            size: 26,
            values: (_, splits) => splits.map((second) => axisTime(second * 1000)),
          },
          {
            ...axis,
            size: unit === "ms" ? 62 : 44,
            space: 26,
            values: (_, splits) => splits.map((value) => show(value)),
          },
        ],
        series: [
          {},
          ...series.map(({ label: name, colour: stroke, isBars = false, isFilled = false }) => ({
            label: name,
            stroke: colour(stroke),
            width: isBars ? 0 : 1.5,
            ...(isBars || isFilled ? { fill: isBars ? colour(stroke) : `${colour(stroke)}22` } : {}),
            points: { show: !isBars && isSparse, size: 6 },
            ...(isBars && Uplot.paths.bars ? { paths: Uplot.paths.bars({ size: [0.9, 24], align: 1 }) } : {}),
          })),
        ],
      },
      widened(data),
      element,
    );
    plot.current = made;
    const observer = new ResizeObserver(() =>
      made.setSize({ width: Math.max(100, element.clientWidth), height: heightPx }),
    );
    observer.observe(element);
    return () => {
      observer.disconnect();
      made.destroy();
      plot.current = undefined;
    };
    // The data is set below, without making the plot again.
  }, [colours, shape, unit, heightPx, isSparse]);
  useEffect(() => plot.current?.setData(widened(data)), [data]);
  return (
    <figure class="plot">
      <figcaption>
        {series.map(({ label: name, colour }) => (
          <span key={name} class={`key key-${colour}`}>
            {name}
          </span>
        ))}
      </figcaption>
      <div ref={place} role="img" aria-label={label} />
    </figure>
  );
}
