import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { ConnectedClient, Problem, ServerSummary, ToolCost } from "../../src/console/contract.ts";
import { bytes, count, percent, plural, short } from "../figures.ts";
import { Command } from "../parts/command.tsx";
import { type Column, Grid } from "../parts/grid.tsx";
import { act } from "../parts/notices.tsx";
import { Spark, sum } from "../parts/spark.tsx";
import { State } from "../parts/state.tsx";
import { request } from "../request.ts";
import { goTo, linkTo } from "../route.ts";
import {
  callKey,
  calls,
  clients,
  cost,
  folder,
  gateway,
  listener,
  problems,
  servers,
  waitingCount,
} from "../store.ts";
import { Said } from "../text.tsx";
import { CALL_COLUMNS } from "./calls.tsx";

/** What a person should know in ten seconds: what is wrong, what works, what it costs. */
export function Overview(): JSX.Element {
  return (
    <div class="view overview">
      <Verdict />
      <Problems />
      <div class="columns">
        <section class="panel wide" aria-labelledby="servers-title">
          <h2 id="servers-title">Servers</h2>
          <Servers />
        </section>
        <section class="panel" aria-labelledby="cost-title">
          <h2 id="cost-title">What the tools cost each client</h2>
          <Costs />
        </section>
      </div>
      <section class="panel rest" aria-labelledby="latest-title">
        <h2 id="latest-title">Latest calls</h2>
        <LatestCalls />
      </section>
    </div>
  );
}

const LATEST = 50;

function LatestCalls(): JSX.Element {
  const rows = calls.value.slice(-LATEST).toReversed();
  return (
    <Grid
      label="Latest calls, newest first"
      class="few"
      rows={rows}
      columns={CALL_COLUMNS}
      rowPx={28}
      keyOf={callKey}
      onOpen={({ tool }) => goTo("calls", [], { tool })}
      isLive
      empty={
        <p>
          No calls yet. They appear here as clients make them; <a href={linkTo("try")}>make one yourself</a>.
        </p>
      }
    />
  );
}

function Verdict(): JSX.Element {
  const all = servers.value.filter(({ standing }) => standing !== "disabled");
  const usable = all.filter(({ isUsable }) => isUsable).length;
  const called = sum(all.flatMap(({ activity }) => [...activity.calls]));
  const errors = sum(all.flatMap(({ activity }) => [...activity.errors]));
  const memory = sum(all.map(({ process }) => process?.memoryBytes ?? 0));
  const cpu = sum(all.map(({ process }) => process?.cpuPercent ?? 0));
  const tools = cost.value?.tools ?? 0;
  return (
    <>
      <h1>{verdict(all.length, usable)}</h1>
      <dl class="tiles">
        <Tile name="Servers" value={`${usable} / ${all.length}`} note="usable" href={linkTo("servers")} />
        <Tile
          name="Tools"
          value={short(tools)}
          note={`${short(cost.value?.listedTokens ?? 0)} tokens listed`}
        />
        <Tile
          name="Calls, last hour"
          value={short(called)}
          note={errors === 0 ? "none failed" : `${count(errors)} failed (${percent(errors, called)})`}
          href={linkTo("calls")}
        />
        <Tile
          name="Clients"
          value={count(clients.value.filter(({ isConnected }) => isConnected).length)}
          note={plural(listener.value.requests, "running request")}
          href={linkTo("clients")}
        />
        <Tile
          name="Waiting changes"
          value={count(waitingCount.value)}
          note={waitingCount.value === 0 ? "nothing to decide" : "need your decision"}
          href={linkTo("changes")}
        />
        <Tile name="Server memory" value={bytes(memory)} note={`${count(cpu)} % of a core`} />
        <Tile
          name="Gateway"
          value={gateway.value ? bytes(gateway.value.memoryBytes) : "-"}
          note={`${count(gateway.value?.cpuPercent ?? 0)} % of a core`}
        />
      </dl>
    </>
  );
}

function verdict(all: number, usable: number): string {
  if (all === 0) return "This gateway has no servers yet";
  if (usable === all) return all === 1 ? "The server works" : `All ${all} servers work`;
  const rest = all - usable;
  return `${usable} of ${all} servers work, ${rest} ${rest === 1 ? "does" : "do"} not`;
}

interface TileProps {
  readonly name: string;
  readonly value: string;
  readonly note: JSX.Element | string;
  readonly href?: string;
}

function Tile({ name, value, note, href }: TileProps): JSX.Element {
  return (
    <div class="tile">
      <dt>{href === undefined ? name : <a href={href}>{name}</a>}</dt>
      <dd>
        <span class="value">{value}</span> <span class="muted">{note}</span>
      </dd>
    </div>
  );
}

const LEVELS = { error: 0, warning: 1, info: 2 };
/** More would hide the servers. */
const FIRST_PROBLEMS = 6;

function Problems(): JSX.Element | null {
  const [isWhole, setWhole] = useState(false);
  const sorted = [...problems.value].sort((a, b) => LEVELS[a.level] - LEVELS[b.level]);
  if (sorted.length === 0) return null;
  const shown = isWhole ? sorted : sorted.slice(0, FIRST_PROBLEMS);
  return (
    <section class="problems" aria-labelledby="problems-title">
      <h2 id="problems-title">{plural(sorted.length, "thing needs", "things need")} attention</h2>
      <ul>
        {shown.map((problem) => (
          <ProblemCard key={problem.id} problem={problem} />
        ))}
      </ul>
      {shown.length < sorted.length && (
        <button type="button" onClick={() => setWhole(true)}>
          Show {sorted.length - shown.length} more
        </button>
      )}
    </section>
  );
}

/** Messages name their server, which the card does already. */
function withoutServer(reason: string, server: string | undefined): string {
  const start = `server ${JSON.stringify(server)} `;
  return reason.startsWith(start) ? reason.slice(start.length) : reason;
}

function ProblemCard({ problem }: { readonly problem: Problem }): JSX.Element {
  const { level, server, reason, remedy, command, action } = problem;
  return (
    <li class={`problem ${level}`}>
      <div class="problem-text">
        <p class="reason">
          <span class="sr">{level}: </span>
          {server !== undefined && (
            <a href={linkTo("servers", [server])}>
              <Said>{server}</Said>
            </a>
          )}
          <Said>{withoutServer(reason, server)}</Said>
        </p>
        <p class="muted">
          <Said>{remedy}</Said>
        </p>
        {command !== undefined && <Command line={command} />}
      </div>
      {action && <ProblemButton action={action} />}
    </li>
  );
}

const WORDS = { restart: "Restart", enable: "Enable", login: "Log in" };
const PLACES = { server: "Look at the server", changes: "Compare the change", rows: "Edit the row" };

function ProblemButton({ action }: { readonly action: NonNullable<Problem["action"]> }): JSX.Element {
  const [isBusy, setBusy] = useState(false);
  if (action.kind === "open") {
    const { view, server } = action;
    const href =
      view === "changes"
        ? linkTo("changes")
        : view === "rows"
          ? linkTo("setup", server === undefined ? ["rows"] : ["rows", server])
          : linkTo("servers", server === undefined ? [] : [server]);
    return (
      <a class="button" href={href}>
        {PLACES[view]}
      </a>
    );
  }
  const { kind, server } = action;
  const run = async (): Promise<void> => {
    setBusy(true);
    await act(`${WORDS[kind]}: ${server}`, () => request(`POST /console/servers/ID/${kind}`, { id: server }));
    setBusy(false);
  };
  return (
    <button type="button" class="primary" disabled={isBusy} onClick={() => void run()}>
      {WORDS[kind]}
    </button>
  );
}

const COLUMNS: readonly Column<ServerSummary>[] = [
  {
    key: "name",
    title: "Server",
    width: "minmax(6rem, 1.4fr)",
    show: ({ id }) => (
      <a href={linkTo("servers", [id])} tabIndex={-1}>
        <Said>{id}</Said>
      </a>
    ),
  },
  {
    key: "state",
    title: "State",
    width: "minmax(8.25rem, 1fr)",
    show: (server) => <State server={server} />,
  },
  {
    key: "tools",
    title: "Tools",
    width: "2.75rem",
    isNumber: true,
    fromPx: 360,
    show: ({ tools }) => count(tools),
  },
  {
    key: "spark",
    title: "Last hour",
    width: "minmax(5rem, 1.2fr)",
    fromPx: 560,
    show: ({ activity }) => <Spark activity={activity} />,
  },
  {
    key: "calls",
    title: "Calls",
    width: "3rem",
    isNumber: true,
    fromPx: 440,
    show: ({ activity }) => short(sum(activity.calls)),
  },
  {
    key: "failed",
    title: "Failed",
    width: "3rem",
    isNumber: true,
    fromPx: 520,
    show: ({ activity }) => {
      const failed = sum(activity.errors);
      return <span class={failed > 0 ? "bad-text" : "muted"}>{short(failed)}</span>;
    },
  },
  {
    key: "memory",
    title: "Memory",
    width: "4.5rem",
    isNumber: true,
    fromPx: 640,
    show: ({ process }) => (process ? bytes(process.memoryBytes) : <span class="muted">-</span>),
  },
  {
    key: "cpu",
    title: "CPU",
    width: "3.5rem",
    isNumber: true,
    fromPx: 700,
    show: ({ process }) => (process ? `${count(process.cpuPercent)} %` : <span class="muted">-</span>),
  },
  {
    key: "restarts",
    title: "Restarts",
    width: "4rem",
    isNumber: true,
    fromPx: 790,
    show: ({ restarts }) => count(restarts),
  },
];

/** All servers, or those of a search. */
export function Servers(): JSX.Element {
  const [wanted, setWanted] = useState("");
  const rows = servers.value.filter(({ id }) => id.toLowerCase().includes(wanted.toLowerCase()));
  const isShort = servers.value.length <= 12;
  return (
    <>
      {!isShort && (
        <label class="search">
          <span class="sr">Filter servers by name</span>
          <input
            type="search"
            placeholder={`Filter ${servers.value.length} servers`}
            value={wanted}
            onInput={(event) => setWanted(event.currentTarget.value)}
          />
        </label>
      )}
      <Grid
        label="Servers"
        rows={rows}
        columns={COLUMNS}
        keyOf={({ id }) => id}
        onOpen={({ id }) => goTo("servers", [id])}
        empty={
          servers.value.length > 0 ? (
            <p>No server has this name.</p>
          ) : (
            <>
              <p>No servers yet. Bring in those that your other programs use, or add one:</p>
              <Command line="indus mcp import" />
              <p>
                <a href={linkTo("setup", ["rows"])}>Add a server here</a>
              </p>
            </>
          )
        }
      />
    </>
  );
}

function Costs(): JSX.Element {
  const whole = cost.value;
  if (clients.value.length === 0)
    return (
      <div class="empty">
        <p>No client is connected. Connect one, for example:</p>
        <Command line="indus connect cursor" />
        {whole && <CostBar name="A client would see" cost={whole} />}
      </div>
    );
  const list = [...clients.value].sort((a, b) => b.cost.listedTokens - a.cost.listedTokens);
  return (
    <>
      {list.map((client) => (
        <CostBar key={client.id} name={clientName(client)} cost={client.cost} />
      ))}
      {whole && whole.listedTokens > whole.searchTokens && (
        <p class="hint">
          With the search, a model gets a few tools and finds the others:{" "}
          <strong>{short(whole.searchTokens)}</strong> instead of <strong>{short(whole.tokens)}</strong>{" "}
          tokens in each request.{" "}
          <Command
            line={
              folder.value?.attached === undefined
                ? "indus serve --port 7717 --tools search"
                : "indus serve --stdio --tools search"
            }
          />
        </p>
      )}
    </>
  );
}

export const clientName = ({ name, version }: ConnectedClient): string =>
  version === undefined ? name : `${name} ${version}`;

function CostBar({
  name,
  cost: { listedTokens, listed, tools, tokens, searchTokens, mode },
}: {
  readonly name: string;
  readonly cost: ToolCost;
}): JSX.Element {
  const most = Math.max(1, tokens, listedTokens, searchTokens);
  const saved = listedTokens - searchTokens;
  return (
    <div class="cost">
      <div class="cost-head">
        <Said>{name}</Said>
        <span>
          <strong>{short(listedTokens)}</strong> <span class="muted">tokens</span>
        </span>
      </div>
      <div class="bar" aria-hidden="true">
        <span class="bar-listed" style={{ width: `${(100 * listedTokens) / most}%` }} />
        <span class="bar-search" style={{ width: `${(100 * searchTokens) / most}%` }} />
      </div>
      <p class="muted">
        {`${count(listed)} of ${plural(tools, "tool")} listed (${mode})`}
        {saved > 0 && `; the search would save ${percent(saved, listedTokens)}`}
      </p>
    </div>
  );
}
