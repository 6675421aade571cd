import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import type { CallsAnswer, ToolTimes } from "../../src/console/contract.ts";
import { bytes, duration, percent, short } from "../figures.ts";
import { type Column, Grid } from "../parts/grid.tsx";
import { Plot } from "../parts/plot.tsx";
import { Code, plain, Said } from "../text.tsx";

/** How long the calls of each tool took. */
export function ByTool({ answer: { tools } }: { readonly answer: CallsAnswer }): JSX.Element {
  const [chosen, setChosen] = useState<string | undefined>(undefined);
  const tool = tools.find((one) => one.tool === chosen) ?? tools[0];
  return (
    <>
      {tool && <TimesPlot times={tool} />}
      <Grid
        label="Times by tool"
        rows={tools}
        columns={TIME_COLUMNS}
        keyOf={(one) => one.tool}
        opened={tool?.tool}
        onOpen={(one) => setChosen(one.tool)}
        empty={<p>No call matches, so there is nothing to measure yet.</p>}
      />
    </>
  );
}

const TIME_COLUMNS: readonly Column<ToolTimes>[] = [
  { key: "tool", title: "Tool", width: "minmax(7rem, 2fr)", show: ({ tool }) => <Said>{tool}</Said> },
  { key: "calls", title: "Calls", width: "4.5rem", isNumber: true, show: ({ calls }) => short(calls) },
  {
    key: "errors",
    title: "Failed",
    width: "5rem",
    isNumber: true,
    fromPx: 450,
    show: ({ calls, errors }) => (
      <span class={errors > 0 ? "bad-text" : "muted"}>{errors === 0 ? "0" : percent(errors, calls)}</span>
    ),
  },
  { key: "p50", title: "p50", width: "5rem", isNumber: true, fromPx: 540, show: ({ p50 }) => duration(p50) },
  { key: "p95", title: "p95", width: "5rem", isNumber: true, show: ({ p95 }) => duration(p95) },
  { key: "p99", title: "p99", width: "5rem", isNumber: true, fromPx: 640, show: ({ p99 }) => duration(p99) },
  {
    key: "max",
    title: "Longest",
    width: "5.5rem",
    isNumber: true,
    fromPx: 760,
    show: ({ maxMs }) => duration(maxMs),
  },
  {
    key: "in",
    title: "Sent",
    width: "5rem",
    isNumber: true,
    fromPx: 940,
    show: ({ argumentBytes }) => bytes(argumentBytes),
  },
  {
    key: "out",
    title: "Received",
    width: "5.5rem",
    isNumber: true,
    fromPx: 940,
    show: ({ resultBytes }) => bytes(resultBytes),
  },
];

function TimesPlot({ times }: { readonly times: ToolTimes }): JSX.Element {
  const data = useMemo(
    () => [
      times.series.map(({ atMs }) => atMs / 1000),
      times.series.map(({ p50 }) => p50),
      times.series.map(({ p95 }) => p95),
      times.series.map(({ p99 }) => p99),
    ],
    [times],
  );
  return (
    <section class="panel">
      <h2>
        How long <Code>{times.tool}</Code> takes
      </h2>
      <Plot
        label={`Times of ${plain(times.tool)}: half of the calls take at most ${duration(times.p50)}, 95 % at most ${duration(times.p95)}, 99 % at most ${duration(times.p99)}`}
        data={data}
        series={[
          { label: "p50", colour: "good", isFilled: true },
          { label: "p95", colour: "warn" },
          { label: "p99", colour: "bad" },
        ]}
        unit="ms"
        heightPx={150}
      />
    </section>
  );
}
