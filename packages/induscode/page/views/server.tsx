import { useComputed, useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type {
  ServerAction,
  ServerDetail,
  ServerItem,
  ServerLogLine,
  ServerPrompt,
  ServerTool,
  ToolChange,
} from "../../src/console/contract.ts";
import { isLocal } from "../access.ts";
import { bytes, clock, count, plural, short, wholeTime } from "../figures.ts";
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

// --- Tools --------------------------------------------------------------------------------------------------------------------------

const TOOL_COLUMNS: readonly Column<ServerTool>[] = [
  {
    key: "name",
    title: "Tool",
    width: "minmax(8rem, 1fr)",
    show: ({ name, state }) => (
      <span class={state === "offered" ? "name" : "name muted"}>
        <Said>{name}</Said>
        {state !== "offered" && <span class={`tag tag-${state}`}>{state}</span>}
      </span>
    ),
  },
  {
    key: "description",
    title: "Description",
    width: "minmax(8rem, 2fr)",
    fromPx: 420,
    show: ({ description }) => <Said>{description.slice(0, 300)}</Said>,
  },
  {
    key: "hints",
    title: "Hints",
    width: "7rem",
    fromPx: 760,
    show: ({ annotations }) => <Hints annotations={annotations} />,
  },
  {
    key: "tokens",
    title: "Tokens",
    width: "4.5rem",
    isNumber: true,
    fromPx: 340,
    show: ({ tokens }) => short(tokens),
  },
];

function Hints({ annotations }: { readonly annotations: { readonly [name: string]: unknown } }): JSX.Element {
  const said = [
    annotations["readOnlyHint"] === true && "read-only",
    annotations["destructiveHint"] === true && annotations["readOnlyHint"] !== true && "destructive",
    annotations["openWorldHint"] === true && "open world",
  ].filter((hint) => hint !== false);
  return <span class="muted">{said.join(", ")}</span>;
}

function Tools({
  id,
  tools,
  reload,
}: {
  readonly id: string;
  readonly tools: readonly ServerTool[];
  readonly reload: () => void;
}): JSX.Element {
  const wanted = useSignal("");
  const [opened, setOpened] = useState<string | undefined>(route.value.query.get("tool") ?? undefined);
  const rows = useFiltered(
    tools,
    wanted.value,
    ({ name, shownAs, description }) => `${name} ${shownAs} ${description}`,
  );
  const tool = tools.find(({ name }) => name === opened);
  return (
    <div class={tool ? "split open" : "split"}>
      <div class="split-list">
        <label class="search">
          <span class="sr">Filter tools by name or description</span>
          <input
            type="search"
            placeholder={`Filter ${plural(tools.length, "tool")}`}
            value={wanted.value}
            onInput={(event) => (wanted.value = event.currentTarget.value)}
          />
          <span class="muted" role="status">
            {wanted.value === "" ? "" : `${count(rows.length)} found`}
          </span>
        </label>
        <Grid
          label={`Tools of ${plain(id)}`}
          rows={rows}
          columns={TOOL_COLUMNS}
          keyOf={({ name }) => name}
          opened={opened}
          onOpen={({ name }) => setOpened(name)}
          empty={
            tools.length > 0 ? (
              <p>No tool matches this filter.</p>
            ) : (
              <p>
                This server has no tools so far. Its <a href={linkTo("servers", [id, "log"])}>log</a> says
                what it does.
              </p>
            )
          }
        />
      </div>
      {tool && <ToolDetail tool={tool} onClose={() => setOpened(undefined)} onChanged={reload} />}
    </div>
  );
}

/** Filters as one types, at most once per frame. */
function useFiltered<Item>(
  items: readonly Item[],
  wanted: string,
  textOf: (item: Item) => string,
): readonly Item[] {
  const texts = useRef<{ readonly of: readonly Item[]; readonly texts: readonly string[] }>({
    of: [],
    texts: [],
  });
  if (texts.current.of !== items)
    texts.current = { of: items, texts: items.map((item) => textOf(item).toLowerCase()) };
  const words = wanted.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return items;
  return items.filter((_, at) => words.every((word) => texts.current.texts[at]?.includes(word)));
}

interface ToolDetailProps {
  readonly tool: ServerTool;
  readonly onClose: () => void;
  readonly onChanged: () => void;
}

function ToolDetail({ tool, onClose, onChanged }: ToolDetailProps): JSX.Element {
  const {
    name,
    shownAs,
    title,
    signature,
    description,
    annotations,
    inputSchema,
    outputSchema,
    state,
    reason,
    tokens,
    app,
  } = tool;
  return (
    <article class="split-detail" aria-label={plain(name)}>
      <div class="detail-head">
        <h2>
          <Said>{name}</Said>
        </h2>
        <button type="button" class="quiet" aria-label="Close" onClick={onClose}>
          ✕
        </button>
      </div>
      {title !== undefined && (
        <p class="muted">
          <Said>{title}</Said>
        </p>
      )}
      {state !== "offered" && (
        <p class={`hint tag-${state}`}>
          {state === "withheld" ? "Withheld: " : "Hidden: "}
          <Said>{reason ?? "its row leaves it out"}</Said>{" "}
          {state === "withheld" && <a href={linkTo("changes")}>Compare and decide</a>}
        </p>
      )}
      <pre class="signature" tabIndex={0} role="region" aria-label="Signature">
        <Said lines>{signature}</Said>
      </pre>
      <p class="description">
        <Said lines>{description === "" ? "No description." : description}</Said>
      </p>
      <dl class="facts-list">
        <dt>Clients see</dt>
        <dd>
          <Code>{shownAs}</Code>
        </dd>
        <dt>Cost</dt>
        <dd>{`${count(tokens)} tokens in each request`}</dd>
        {Object.entries(annotations).map(([hint, value]) => (
          <FactRow key={hint} name={hint} value={typeof value === "string" ? value : JSON.stringify(value)} />
        ))}
        {app !== undefined && <FactRow name="App" value={app} />}
      </dl>
      <div class="actions">
        {state === "offered" && (
          <a class="button primary" href={linkTo("try", ["tool", shownAs])}>
            Try it
          </a>
        )}
        <a class="button" href={linkTo("changes", ["explain"], { tool: shownAs })}>
          Explain
        </a>
        {isLocal() && <Visibility tool={tool} onChanged={onChanged} />}
      </div>
      {isLocal() && <Names tool={tool} onChanged={onChanged} />}
      <h3>Input schema</h3>
      <Json value={inputSchema} label="Input schema" />
      {outputSchema !== undefined && (
        <>
          <h3>Output schema</h3>
          <Json value={outputSchema} label="Output schema" />
        </>
      )}
    </article>
  );
}

function FactRow({ name, value }: { readonly name: string; readonly value: string }): JSX.Element {
  return (
    <>
      <dt>
        <Said>{name}</Said>
      </dt>
      <dd>
        <Said>{value}</Said>
      </dd>
    </>
  );
}

type ChangeProps = Pick<ToolDetailProps, "tool" | "onChanged">;

async function changeTool(change: ToolChange, onChanged: () => void): Promise<boolean> {
  const done = await act("Done", () => request("POST /console/tools", { body: change }));
  if (done) onChanged();
  return done !== undefined;
}

function Visibility({ tool: { shownAs, state }, onChanged }: ChangeProps): JSX.Element | null {
  if (state === "withheld") return null;
  const kind = state === "hidden" ? "show" : "hide";
  return (
    <button type="button" onClick={() => void changeTool({ kind, tool: shownAs }, onChanged)}>
      {kind === "show" ? "Show to clients" : "Hide from clients"}
    </button>
  );
}

function Names({ tool: { shownAs, description }, onChanged }: ChangeProps): JSX.Element {
  const name = useSignal(shownAs.includes("__") ? shownAs.slice(shownAs.indexOf("__") + 2) : shownAs);
  const text = useSignal(description);
  useEffect(() => {
    name.value = shownAs.includes("__") ? shownAs.slice(shownAs.indexOf("__") + 2) : shownAs;
    text.value = description;
  }, [shownAs, description]);
  const save = (kind: "rename" | "describe", value: string) => (event: Event) => {
    event.preventDefault();
    void changeTool({ kind, tool: shownAs, text: value }, onChanged);
  };
  return (
    <details class="more">
      <summary>Name and description for clients</summary>
      <form class="inline-form" onSubmit={save("rename", name.value)}>
        <label>
          Name
          <input value={name.value} onInput={(event) => (name.value = event.currentTarget.value)} />
        </label>
        <button type="submit">Rename</button>
        <button
          type="button"
          onClick={() => void changeTool({ kind: "rename", tool: shownAs, text: "" }, onChanged)}
        >
          Use the server's name
        </button>
      </form>
      <form class="inline-form" onSubmit={save("describe", text.value)}>
        <label>
          Description
          <textarea
            rows={3}
            value={text.value}
            onInput={(event) => (text.value = event.currentTarget.value)}
          />
        </label>
        <button type="submit">Change</button>
        <button
          type="button"
          onClick={() => void changeTool({ kind: "describe", tool: shownAs, text: "" }, onChanged)}
        >
          Use the server's description
        </button>
      </form>
    </details>
  );
}

// --- Everything else ----------------------------------------------------------------------------------------------------------------

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
