import type { JSX } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import type { CallQuery, CallsAnswer, ConsoleCall } from "../../src/console/contract.ts";
import { bytes, clock, count, duration, plural, short, wholeTime } from "../figures.ts";
import { type Column, Grid } from "../parts/grid.tsx";
import { Showing, useLoaded } from "../parts/loaded.tsx";
import { Plot } from "../parts/plot.tsx";
import { Outcome } from "../parts/state.tsx";
import { Tabs } from "../parts/tabs.tsx";
import { request } from "../request.ts";
import { linkTo, replaceQuery, route } from "../route.ts";
import { callKey, droppedCalls, isFailure, calls as liveCalls, servers } from "../store.ts";
import { Json, plain, Said } from "../text.tsx";
import { ByTool } from "./tool-times.tsx";

const OUTCOMES = ["ok", "error", "asked", "refused", "unknown", "cancelled", "timeout", "failed"];
const MAX_ROWS = 5_000;
/** How often the figures of the tools are read again. */
const FIGURES_MS = 10_000;

const SPANS = {
  "15 minutes": 15,
  "1 hour": 60,
  "6 hours": 360,
  "1 day": 1440,
  "7 days": 10_080,
  all: 0,
} as const;

interface Filter {
  readonly server: string;
  readonly tool: string;
  readonly principal: string;
  readonly client: string;
  readonly outcome: string;
  readonly slower: string;
  readonly span: string;
}

function filterOf(query: URLSearchParams, span: string): Filter {
  const of = (name: string): string => query.get(name) ?? "";
  return {
    server: of("server"),
    tool: of("tool"),
    principal: of("principal"),
    client: of("client"),
    outcome: of("outcome"),
    slower: of("slower"),
    span: query.get("span") ?? span,
  };
}

function queryOf({ server, tool, principal, client, outcome, slower, span }: Filter): CallQuery {
  const minutes = SPANS[span as keyof typeof SPANS] ?? 60;
  const slowerThanMs = Number(slower);
  return {
    server,
    tool,
    principal,
    client,
    outcomes:
      outcome === "failures"
        ? OUTCOMES.filter((one) => isFailure(one as ConsoleCall["outcome"])).join()
        : outcome,
    slowerThanMs: slowerThanMs > 0 ? slowerThanMs : undefined,
    sinceMs: minutes === 0 ? 0 : Date.now() - minutes * 60_000,
    last: 2000,
  };
}

/** Whether a call that just arrived belongs to what is shown; the gateway applies the same filter to the others. */
function fits(call: ConsoleCall, { server, tool, principal, client, outcome, slower }: Filter): boolean {
  const name = targetOf(call);
  if (server !== "" && call.server !== server) return false;
  if (tool !== "" && (tool.endsWith("*") ? !name.startsWith(tool.slice(0, -1)) : name !== tool)) return false;
  if (principal !== "" && (principal === "-" ? call.principal !== undefined : call.principal !== principal))
    return false;
  if (client !== "" && !(call.client ?? "").toLowerCase().includes(client.toLowerCase())) return false;
  if (outcome === "failures" ? !isFailure(call.outcome) : outcome !== "" && call.outcome !== outcome)
    return false;
  return !(Number(slower) > 0) || call.ms >= Number(slower);
}

/** The calls as they come, what they take, and how they end. */
export function Calls(): JSX.Element {
  const tab = route.value.parts[0] ?? "live";
  return (
    <CallSearch span="1 hour" label="Calls" isLive tab={tab}>
      {(filter) => (
        <header class="view-head">
          <h1>Calls</h1>
          <Tabs
            label="Parts of Calls"
            current={tab}
            tabs={[
              { id: "live", title: "Live", href: linkTo("calls", [], given(filter)) },
              { id: "tools", title: "By tool", href: linkTo("calls", ["tools"], given(filter)) },
            ]}
          />
        </header>
      )}
    </CallSearch>
  );
}

function given({ span, ...filter }: Filter): { readonly [name: string]: string | undefined } {
  return { ...filter, span: span === "1 hour" ? undefined : span };
}

interface CallSearchProps {
  readonly label: string;
  readonly span: string;
  readonly isLive: boolean;
  readonly tab: string;
  readonly children: (filter: Filter) => JSX.Element;
}

/** Calls of the audit trail by a filter, and with `isLive` those that come. */
export function CallSearch({ label, span, isLive, tab, children }: CallSearchProps): JSX.Element {
  const { query } = route.value;
  const filter = filterOf(query, span);
  const [round, setRound] = useState(0);
  useEffect(() => {
    if (!isLive) return;
    const timer = setInterval(() => document.hidden || setRound((last) => last + 1), FIGURES_MS);
    return () => clearInterval(timer);
  }, [isLive]);
  const key = JSON.stringify(filter);
  const loaded = useLoaded(
    (signal) => request("GET /console/calls", { query: queryOf(filter), signal }),
    [key, round],
  );
  const [opened, setOpened] = useState<ConsoleCall | undefined>(undefined);
  return (
    <div class="view fill">
      {children(filter)}
      <Filters filter={filter} onChange={(next) => replaceQuery(given(next))} />
      <Showing loaded={loaded}>
        {(answer) =>
          tab === "tools" ? (
            <ByTool answer={answer} />
          ) : (
            <div class={opened ? "split open" : "split"}>
              <div class="split-list">
                <List
                  label={label}
                  answer={answer}
                  filter={filter}
                  isLive={isLive}
                  opened={opened}
                  onOpen={setOpened}
                />
              </div>
              {opened && <CallDetail call={opened} onClose={() => setOpened(undefined)} />}
            </div>
          )
        }
      </Showing>
    </div>
  );
}

function Filters({
  filter,
  onChange,
}: {
  readonly filter: Filter;
  readonly onChange: (next: Filter) => void;
}): JSX.Element {
  const set =
    (name: keyof Filter) =>
    (event: { readonly currentTarget: { readonly value: string } }): void =>
      onChange({ ...filter, [name]: event.currentTarget.value });
  const isFiltered = Object.entries(filter).some(([name, value]) => name !== "span" && value !== "");
  return (
    <form class="filters" aria-label="Filters" onSubmit={(event) => event.preventDefault()}>
      <label>
        Since
        <select value={filter.span} onChange={set("span")}>
          {Object.keys(SPANS).map((span) => (
            <option key={span} value={span}>
              {span === "all" ? "all that is kept" : `last ${span}`}
            </option>
          ))}
        </select>
      </label>
      <label>
        Server
        <select value={filter.server} onChange={set("server")}>
          <option value="">any</option>
          {servers.value.map(({ id }) => (
            <option key={id} value={id}>
              {plain(id)}
            </option>
          ))}
        </select>
      </label>
      <label>
        Tool
        <input value={filter.tool} placeholder="name or beginning*" onInput={set("tool")} />
      </label>
      <label>
        Client
        <input value={filter.client} placeholder="part of its name" onInput={set("client")} />
      </label>
      <label>
        Token
        <input value={filter.principal} placeholder="name, - for none" onInput={set("principal")} />
      </label>
      <label>
        Outcome
        <select value={filter.outcome} onChange={set("outcome")}>
          <option value="">any</option>
          <option value="failures">all failures</option>
          {OUTCOMES.map((outcome) => (
            <option key={outcome} value={outcome}>
              {outcome}
            </option>
          ))}
        </select>
      </label>
      <label>
        Slower than, ms
        <input inputMode="numeric" value={filter.slower} placeholder="0" onInput={set("slower")} />
      </label>
      {isFiltered && (
        <button
          type="button"
          class="quiet"
          onClick={() => onChange(filterOf(new URLSearchParams(), filter.span))}
        >
          Clear
        </button>
      )}
    </form>
  );
}

const targetOf = ({ tool, prompt, resource, extension, method }: ConsoleCall): string =>
  tool ?? prompt ?? resource ?? extension ?? method;

export const CALL_COLUMNS: readonly Column<ConsoleCall>[] = [
  {
    key: "at",
    title: "Time",
    width: "7rem",
    fromPx: 500,
    show: ({ at }) => <time title={wholeTime(at)}>{clock(at)}</time>,
  },
  { key: "target", title: "Tool", width: "minmax(7rem, 2fr)", show: (call) => <Said>{targetOf(call)}</Said> },
  {
    key: "outcome",
    title: "Outcome",
    width: "4.75rem",
    show: ({ outcome }) => <Outcome outcome={outcome} />,
  },
  { key: "ms", title: "Took", width: "4.5rem", isNumber: true, show: ({ ms }) => duration(ms) },
  {
    key: "client",
    title: "Client",
    width: "minmax(6rem, 1fr)",
    fromPx: 640,
    show: ({ client }) => <Said>{client ?? "-"}</Said>,
  },
  {
    key: "principal",
    title: "Token",
    width: "minmax(5rem, 0.7fr)",
    fromPx: 890,
    show: ({ principal }) => <Said>{principal ?? "-"}</Said>,
  },
  {
    key: "in",
    title: "Sent",
    width: "4.5rem",
    isNumber: true,
    fromPx: 800,
    show: ({ argumentBytes }) => bytes(argumentBytes),
  },
  {
    key: "out",
    title: "Received",
    width: "5rem",
    isNumber: true,
    fromPx: 800,
    show: ({ resultBytes }) => bytes(resultBytes),
  },
];

interface ListProps {
  readonly label: string;
  readonly answer: CallsAnswer;
  readonly filter: Filter;
  readonly isLive: boolean;
  readonly opened: ConsoleCall | undefined;
  readonly onOpen: (call: ConsoleCall) => void;
}

function List({ label, answer, filter, isLive, opened, onOpen }: ListProps): JSX.Element {
  const live = isLive ? liveCalls.value : undefined;
  const rows = useMemo(() => {
    const known = new Map(answer.calls.map((call) => [callKey(call), call]));
    const since = queryOf(filter).sinceMs ?? 0;
    // Those that the stream saw have their shapes.
    for (const call of live ?? [])
      if (fits(call, filter) && Date.parse(call.at) >= since) known.set(callKey(call), call);
    return [...known.values()].sort((a, b) => (a.at < b.at ? 1 : -1)).slice(0, MAX_ROWS);
  }, [answer, live, JSON.stringify(filter)]);
  return (
    <>
      <CallPlot calls={rows} sinceMs={queryOf(filter).sinceMs ?? 0} />
      <p class="muted" role="status">
        {`${short(Math.max(answer.matching, rows.length))} calls match`}
        {answer.matching > rows.length && `, the newest ${count(rows.length)} are shown`}
        {droppedCalls.value > 0 && isLive && `; ${plural(droppedCalls.value, "call")} came too fast to show`}
      </p>
      <Grid
        label={`${label}, newest first`}
        rows={rows}
        columns={CALL_COLUMNS}
        rowPx={28}
        keyOf={callKey}
        onOpen={onOpen}
        opened={opened && callKey(opened)}
        isLive={isLive}
        empty={
          <p>
            No call matches. Calls appear here as clients make them;{" "}
            <a href={linkTo("try")}>make one yourself</a>.
          </p>
        }
      />
    </>
  );
}

const SLICES = 60;

interface CallPlotProps {
  readonly calls: readonly ConsoleCall[];
  readonly sinceMs: number;
}

/** How many calls ended well and badly, over the time until now. */
function CallPlot({ calls, sinceMs }: CallPlotProps): JSX.Element {
  const { data, failed } = useMemo(() => slices(calls, sinceMs, Date.now()), [calls]);
  return (
    <Plot
      label={`${count(calls.length)} calls over time, of which ${count(failed)} failed`}
      data={data}
      series={[
        { label: "calls", colour: "accent", isBars: true },
        { label: "failed", colour: "bad", isBars: true },
      ]}
      unit="calls"
      heightPx={104}
    />
  );
}

/** A few calls of this minute should not look like all there is. */
const MIN_SPAN_MS = 300_000;

/** From the oldest call, or a little earlier, until now. */
function slices(
  calls: readonly ConsoleCall[],
  sinceMs: number,
  nowMs: number,
): { readonly data: number[][]; readonly failed: number } {
  const oldestMs = Math.min(nowMs, Date.parse(calls.at(-1)?.at ?? "") || nowMs);
  const from = Math.max(sinceMs, Math.min(oldestMs, nowMs - MIN_SPAN_MS));
  const step = (nowMs - from) / SLICES;
  // The last one is now: a bar reaches from its time to the next.
  const times = Array.from({ length: SLICES + 1 }, (_, at) => (from + at * step) / 1000);
  const all = times.map(() => 0);
  const bad = times.map(() => 0);
  let failed = 0;
  for (const { at, outcome } of calls) {
    const slice = Math.max(0, Math.min(SLICES - 1, Math.floor((Date.parse(at) - from) / step)));
    all[slice] = (all[slice] ?? 0) + 1;
    if (!isFailure(outcome)) continue;
    bad[slice] = (bad[slice] ?? 0) + 1;
    failed++;
  }
  return { data: [times, all, bad], failed };
}

function CallDetail({
  call,
  onClose,
}: {
  readonly call: ConsoleCall;
  readonly onClose: () => void;
}): JSX.Element {
  const facts: readonly (readonly [string, string | undefined])[] = [
    ["Started", wholeTime(call.at)],
    ["Outcome", call.outcome],
    ["Time taken", duration(call.ms)],
    ["Method", call.method],
    ["Server", call.server ?? "the gateway's own tool"],
    ["Client", call.client],
    ["Token", call.principal ?? "none"],
    ["Session", call.session],
    ["Request", call.id],
    ["Sent", bytes(call.argumentBytes)],
    ["Received", bytes(call.resultBytes)],
  ];
  return (
    <article class="split-detail" aria-label="The call">
      <div class="detail-head">
        <h2>
          <Said>{targetOf(call)}</Said>
        </h2>
        <button type="button" class="quiet" aria-label="Close" onClick={onClose}>
          ✕
        </button>
      </div>
      <dl class="facts-list">
        {facts.map(([name, value]) => (
          <div key={name} class="fact">
            <dt>{name}</dt>
            <dd>
              <Said>{value ?? "-"}</Said>
            </dd>
          </div>
        ))}
      </dl>
      <div class="actions">
        {call.server !== undefined && (
          <a class="button" href={linkTo("servers", [call.server])}>
            Server
          </a>
        )}
        {call.tool !== undefined && (
          <a class="button" href={linkTo("try", ["tool", call.tool])}>
            Try this tool
          </a>
        )}
      </div>
      <h3>Shape of the arguments</h3>
      {call.shape === undefined ? (
        <p class="muted">Known for calls that arrive while a console is open. Values are never kept.</p>
      ) : (
        <Json value={call.shape} label="Shape of the arguments" />
      )}
    </article>
  );
}
