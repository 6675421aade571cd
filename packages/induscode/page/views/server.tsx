import { useComputed } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import type {
  ServerAction,
  ServerDetail,
  ServerItem,
  ServerLogLine,
  ServerPrompt,
} from "../../src/console/contract.ts";
import { isLocal } from "../access.ts";
import { bytes, clock, count, plural, wholeTime } from "../figures.ts";
import { watchedLogs } from "../live.ts";
import { Command } from "../parts/command.tsx";
import { type Column, Grid } from "../parts/grid.tsx";
import { type Loaded, Showing, useLoaded } from "../parts/loaded.tsx";
import { act } from "../parts/notices.tsx";
import { Spark } from "../parts/spark.tsx";
import { State } from "../parts/state.tsx";
import { Tabs } from "../parts/tabs.tsx";
import { request } from "../request.ts";
import { goTo, linkTo, route } from "../route.ts";
import { addLogLines, logs, serverById, toolChanges } from "../store.ts";
import { Code, Json, plain, Said } from "../text.tsx";
import { Servers } from "./overview.tsx";
import { Tools } from "./server-tools.tsx";

export function ServerList(): JSX.Element {
  return (
    <div class="view fill">
      <h1>Servers</h1>
      <Servers />
    </div>
  );
}

/** One server: what it offers, what it says, what happened to it. */
export function Server({ id }: { readonly id: string }): JSX.Element {
  const summary = serverById.value.get(id);
  const changes = toolChanges.value[id] ?? 0;
  const tab = route.value.parts[1] ?? "tools";
  const isLogShown = tab === "log" || tab === "timeline";
  useEffect(() => {
    if (!isLogShown) return undefined;
    watchedLogs.value = [id];
    return () => void (watchedLogs.value = []);
  }, [id, isLogShown]);
  // The timeline is read from the log, which is written a little later than a state changes.
  const told = isLogShown ? logs.value[id]?.findLast(({ kind }) => kind === "state")?.at : undefined;
  const detail = useLoaded(
    (signal) => request("GET /console/servers/ID", { id, signal }),
    [id, changes, summary?.state, summary?.restarts, told],
  );
  const shown = summary ?? detail.value?.server;
  const info = detail.value?.serverInfo;
  return (
    <div class="view fill">
      <header class="view-head">
        <div>
          <h1>
            <Said>{id}</Said>
          </h1>
          <p class="muted facts">
            {shown && <State server={shown} />}
            {shown && <span>{shown.transport}</span>}
            {shown?.era && <span>{shown.era} protocol</span>}
            {info && (
              <span>
                <Said>{`${info.name} ${info.version ?? ""}`}</Said>
              </span>
            )}
            {shown?.process && (
              <span>{`${bytes(shown.process.memoryBytes)}, ${count(shown.process.cpuPercent)} % CPU, ${plural(shown.process.processes, "process", "processes")}`}</span>
            )}
            {shown && shown.restarts > 0 && <span>{plural(shown.restarts, "restart")}</span>}
          </p>
        </div>
        <Actions id={id} standing={shown?.standing} />
      </header>
      {shown?.reason !== undefined && (
        <div class={shown.isDown ? "problem error" : "problem warning"}>
          <div class="problem-text">
            <p class="reason">
              <Said>{shown.reason}</Said>
            </p>
            {shown.remedy !== undefined && (
              <p class="muted">
                <Said>{shown.remedy}</Said>
              </p>
            )}
            {shown.command !== undefined && <Command line={shown.command} />}
          </div>
        </div>
      )}
      {shown?.notes.map((note) => (
        <p key={note} class="hint">
          <Said>{note}</Said>
        </p>
      ))}
      {shown && (
        <div class="server-spark">
          <Spark activity={shown.activity} />
          <span class="muted">calls in the last hour</span>
        </div>
      )}
      <Tabs
        label={`Parts of ${plain(id)}`}
        current={tab}
        tabs={[
          { id: "tools", title: "Tools", href: linkTo("servers", [id]), count: detail.value?.tools.length },
          {
            id: "resources",
            title: "Resources",
            href: linkTo("servers", [id, "resources"]),
            count: detail.value && detail.value.resources.length + detail.value.templates.length,
          },
          {
            id: "prompts",
            title: "Prompts",
            href: linkTo("servers", [id, "prompts"]),
            count: detail.value?.prompts.length,
          },
          { id: "log", title: "Log", href: linkTo("servers", [id, "log"]) },
          { id: "timeline", title: "Timeline", href: linkTo("servers", [id, "timeline"]) },
          { id: "row", title: "Configuration", href: linkTo("servers", [id, "row"]) },
        ]}
      />
      {tab === "log" ? (
        <Log id={id} command={detail.value?.logCommand} />
      ) : (
        <Showing loaded={detail}>
          {(value) => <Part id={id} tab={tab} detail={value} loaded={detail} />}
        </Showing>
      )}
    </div>
  );
}

interface PartProps {
  readonly id: string;
  readonly tab: string;
  readonly detail: ServerDetail;
  readonly loaded: Loaded<ServerDetail>;
}

function Part({ id, tab, detail, loaded }: PartProps): JSX.Element {
  switch (tab) {
    case "resources":
      return <Resources items={[...detail.resources, ...detail.templates]} />;
    case "prompts":
      return <Prompts prompts={detail.prompts} />;
    case "timeline":
      return <Timeline detail={detail} />;
    case "row":
      return <Row id={id} detail={detail} />;
    default:
      return <Tools id={id} tools={detail.tools} reload={loaded.reload} />;
  }
}

const ACTIONS: readonly {
  readonly action: ServerAction;
  readonly title: string;
  readonly fits: (standing: string) => boolean;
}[] = [
  { action: "login", title: "Log in", fits: (standing) => standing === "needs_login" },
  {
    action: "restart",
    title: "Restart",
    fits: (standing) => standing !== "disabled" && standing !== "untrusted",
  },
  { action: "enable", title: "Enable", fits: (standing) => standing === "disabled" },
  { action: "disable", title: "Disable", fits: (standing) => standing !== "disabled" },
];

function Actions({
  id,
  standing,
}: {
  readonly id: string;
  readonly standing: string | undefined;
}): JSX.Element {
  const [busy, setBusy] = useState<ServerAction | undefined>(undefined);
  const run = async (action: ServerAction): Promise<void> => {
    setBusy(action);
    await act(`${action}: ${id}`, () => request(`POST /console/servers/ID/${action}`, { id }));
    setBusy(undefined);
  };
  return (
    <div class="actions">
      {standing !== undefined &&
        ACTIONS.filter(({ fits }) => fits(standing)).map(({ action, title }) => (
          <button key={action} type="button" disabled={busy !== undefined} onClick={() => void run(action)}>
            {busy === action ? `${title}…` : title}
          </button>
        ))}
      <a class="button" href={linkTo("calls", [], { server: id })}>
        Calls
      </a>
    </div>
  );
}

const ITEM_COLUMNS: readonly Column<ServerItem>[] = [
  { key: "uri", title: "URI", width: "minmax(10rem, 2fr)", show: ({ uri }) => <Said>{uri}</Said> },
  {
    key: "name",
    title: "Name",
    width: "minmax(6rem, 1fr)",
    fromPx: 400,
    show: ({ name, title }) => <Said>{title ?? name}</Said>,
  },
  {
    key: "type",
    title: "Type",
    width: "9rem",
    fromPx: 600,
    show: ({ mimeType }) => <Said>{mimeType ?? ""}</Said>,
  },
  {
    key: "description",
    title: "Description",
    width: "minmax(6rem, 2fr)",
    fromPx: 800,
    show: ({ description }) => <Said>{description ?? ""}</Said>,
  },
];

function Resources({ items }: { readonly items: readonly ServerItem[] }): JSX.Element {
  return (
    <Grid
      label="Resources and templates"
      rows={items}
      columns={ITEM_COLUMNS}
      keyOf={({ uri }) => uri}
      onOpen={({ uri }) => goTo("try", ["resource", uri])}
      empty={<p>This server offers no resources.</p>}
    />
  );
}

const PROMPT_COLUMNS: readonly Column<ServerPrompt>[] = [
  { key: "name", title: "Prompt", width: "minmax(8rem, 1fr)", show: ({ name }) => <Said>{name}</Said> },
  {
    key: "arguments",
    title: "Arguments",
    width: "minmax(6rem, 1fr)",
    fromPx: 400,
    show: ({ arguments: all }) => (
      <Said>{all.map(({ name, required }) => (required ? name : `${name}?`)).join(", ")}</Said>
    ),
  },
  {
    key: "description",
    title: "Description",
    width: "minmax(6rem, 2fr)",
    fromPx: 600,
    show: ({ description }) => <Said>{description ?? ""}</Said>,
  },
];

function Prompts({ prompts }: { readonly prompts: readonly ServerPrompt[] }): JSX.Element {
  return (
    <Grid
      label="Prompts"
      rows={prompts}
      columns={PROMPT_COLUMNS}
      keyOf={({ name }) => name}
      onOpen={({ shownAs }) => goTo("try", ["prompt", shownAs])}
      empty={<p>This server offers no prompts.</p>}
    />
  );
}

const LOG_COLUMNS: readonly Column<ServerLogLine & { readonly line: number }>[] = [
  {
    key: "at",
    title: "Time",
    width: "7.5rem",
    fromPx: 380,
    show: ({ at }) => <time title={wholeTime(at)}>{clock(at)}</time>,
  },
  {
    key: "kind",
    title: "Kind",
    width: "5.5rem",
    fromPx: 480,
    show: ({ kind }) => <span class={`kind kind-${kind}`}>{kind}</span>,
  },
  { key: "text", title: "Line", width: "minmax(0, 1fr)", show: ({ text }) => <Said>{text}</Said> },
];

/** Newest first, so that what arrives is in sight without scrolling. */
function Log({ id, command }: { readonly id: string; readonly command: string | undefined }): JSX.Element {
  const [kinds, setKinds] = useState<"all" | "stderr" | "state">("all");
  const [chosen, setChosen] = useState<ServerLogLine | undefined>(undefined);
  const loaded = useLoaded(
    async (signal) => {
      const { lines } = await request("GET /console/servers/ID/log", { id, query: { last: 1000 }, signal });
      addLogLines(lines, id);
      return lines.length;
    },
    [id],
  );
  const rows = useComputed(() => (logs.value[id] ?? []).map((line, at) => ({ ...line, line: at }))).value;
  const shown = rows.filter(({ kind }) => kinds === "all" || kind === kinds).toReversed();
  return (
    <Showing loaded={loaded}>
      {() => (
        <>
          <div class="filters">
            <label>
              Lines
              <select value={kinds} onChange={(event) => setKinds(event.currentTarget.value as typeof kinds)}>
                <option value="all">all</option>
                <option value="stderr">standard error</option>
                <option value="state">changes of state</option>
              </select>
            </label>
            {command !== undefined && <Command line={command} />}
          </div>
          {chosen && (
            <div class="hint">
              <pre class="whole" tabIndex={0} role="region" aria-label="The whole line">
                <Said lines>{chosen.text}</Said>
              </pre>
              <button type="button" class="quiet" onClick={() => setChosen(undefined)}>
                Close
              </button>
            </div>
          )}
          <Grid
            label={`Log of ${plain(id)}, newest first`}
            rows={shown}
            columns={LOG_COLUMNS}
            rowPx={26}
            isLive
            keyOf={({ at, kind, text, line }) => `${at} ${kind} ${line} ${text.length}`}
            onOpen={setChosen}
            empty={<p>Nothing was logged yet. Lines appear here as they come.</p>}
          />
        </>
      )}
    </Showing>
  );
}

function Timeline({ detail: { timeline, instructions } }: { readonly detail: ServerDetail }): JSX.Element {
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Timeline">
      {timeline.length === 0 && <p class="empty">Nothing has happened to this server yet.</p>}
      <ol class="timeline">
        {timeline.map(({ at, text, level }, index) => (
          <li key={`${at} ${index}`} class={level}>
            <time title={wholeTime(at)}>{clock(at)}</time>
            <span>
              <Said>{text}</Said>
            </span>
          </li>
        ))}
      </ol>
      {instructions !== undefined && (
        <>
          <h3>Instructions for models</h3>
          <pre class="whole">
            <Said lines>{instructions}</Said>
          </pre>
        </>
      )}
    </div>
  );
}

function Row({ id, detail: { row } }: { readonly id: string; readonly detail: ServerDetail }): JSX.Element {
  if (!row)
    return (
      <div class="empty">
        <p>This server is in no file: it was named on the command line. Put it into a file to keep it:</p>
        <Command line="indus mcp add NAME -- COMMAND" />
      </div>
    );
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Configuration">
      <p>
        From <Code>{row.file}</Code> <span class="tag">{row.scope}</span>
      </p>
      <Json value={row.row} label="Row" />
      {row.isEditable ? (
        <a class="button" href={linkTo("setup", ["rows", id])}>
          Edit
        </a>
      ) : (
        <p class="muted">
          {isLocal()
            ? "This file is not one that the console edits."
            : "Rows change only in a console opened on the gateway's own machine."}
        </p>
      )}
    </div>
  );
}
