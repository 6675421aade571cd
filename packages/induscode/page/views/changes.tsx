import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type {
  ChangesAnswer,
  LedgerEvent,
  ToolExplained,
  WaitingChangeShown,
} from "../../src/console/contract.ts";
import { clock, plural, wholeTime } from "../figures.ts";
import { Command } from "../parts/command.tsx";
import { type Column, Grid } from "../parts/grid.tsx";
import { Failure, type Loaded, Showing, useLoaded } from "../parts/loaded.tsx";
import { act } from "../parts/notices.tsx";
import { Tabs } from "../parts/tabs.tsx";
import { request } from "../request.ts";
import { linkTo, replaceQuery, route } from "../route.ts";
import { ledgerChanges, waitingCount } from "../store.ts";
import { Code, Difference, plain, Said } from "../text.tsx";

/** What servers changed: what waits for a decision, and what was there when. */
export function Changes(): JSX.Element {
  const tab = route.value.parts[0] ?? "waiting";
  const loaded = useLoaded((signal) => request("GET /console/changes", { signal }), [ledgerChanges.value]);
  return (
    <div class="view fill">
      <header class="view-head">
        <h1>Changes</h1>
        <Tabs
          label="Parts of Changes"
          current={tab}
          tabs={[
            { id: "waiting", title: "Waiting", href: linkTo("changes"), count: waitingCount.value },
            { id: "ledger", title: "Ledger", href: linkTo("changes", ["ledger"]) },
            { id: "explain", title: "Explain a tool", href: linkTo("changes", ["explain"]) },
          ]}
        />
      </header>
      {tab === "explain" ? (
        <Explain />
      ) : (
        <Showing loaded={loaded}>
          {(answer) =>
            tab === "ledger" ? <Ledger answer={answer} /> : <Waiting answer={answer} loaded={loaded} />
          }
        </Showing>
      )}
    </div>
  );
}

function Waiting({
  answer: { waiting, unusable },
  loaded,
}: {
  readonly answer: ChangesAnswer;
  readonly loaded: Loaded<ChangesAnswer>;
}): JSX.Element {
  return (
    <div class="scroll">
      {unusable.map(({ path, problem }) => (
        <div key={path} class="problem error">
          <div class="problem-text">
            <p class="reason">
              <Said>{`${path} cannot be used: ${problem}`}</Said>
            </p>
            <p class="muted">Everything of its servers is withheld until the file is repaired or removed.</p>
          </div>
        </div>
      ))}
      {waiting.length === 0 && (
        <div class="empty">
          <p>
            Nothing waits for you. When a server changes what a tool you use says about itself, the change is
            held here until you decide.
          </p>
          <p>
            <a href={linkTo("changes", ["ledger"])}>See what was mounted when</a>
          </p>
        </div>
      )}
      {waiting.map((change) => (
        <WaitingChange
          key={`${change.server} ${change.subject} ${change.name} ${change.after}`}
          change={change}
          reload={loaded.reload}
        />
      ))}
    </div>
  );
}

const EFFECTS = {
  hold: "Held: clients still get the approved text.",
  quarantine: "Withheld: clients can neither see nor call it.",
};

function WaitingChange({
  change,
  reload,
}: {
  readonly change: WaitingChangeShown;
  readonly reload: () => void;
}): JSX.Element {
  const [isBusy, setBusy] = useState(false);
  const { server, subject, name, op, reason, since, difference, after, isRefused, approve, refuse } = change;
  const decide = async (decision: "approve" | "refuse"): Promise<void> => {
    setBusy(true);
    const body = { changes: [{ server, subject, name, after }] };
    const said = decision === "approve" ? "Approved" : "Refused";
    await act(`${said}: ${name === "" ? server : name}`, () =>
      request(`POST /console/changes/${decision}`, { body }),
    );
    setBusy(false);
    reload();
  };
  const title = subject === "instructions" ? "Instructions" : name;
  return (
    <article class="change" aria-label={`Change of ${plain(title)} of ${plain(server)}`}>
      <header>
        <h2>
          <a href={linkTo("servers", [server])}>
            <Said>{server}</Said>
          </a>{" "}
          <Said>{title}</Said> <span class={`tag tag-${op}`}>{op === "hold" ? "held" : "withheld"}</span>
          {isRefused && <span class="tag">refused</span>}
        </h2>
        <div class="actions">
          <button type="button" class="primary" disabled={isBusy} onClick={() => void decide("approve")}>
            Approve
          </button>
          {!isRefused && (
            <button type="button" disabled={isBusy} onClick={() => void decide("refuse")}>
              Refuse
            </button>
          )}
        </div>
      </header>
      <p>
        <Said>{reason}</Said> <span class="muted">{`${EFFECTS[op]} Since `}</span>
        <time class="muted" title={wholeTime(since)}>
          {clock(since)}
        </time>
      </p>
      <Difference text={difference} label={`What changed in ${plain(title)}`} />
      <p class="commands">
        <Command line={approve} />
        {!isRefused && <Command line={refuse} />}
      </p>
    </article>
  );
}

const LEDGER_COLUMNS: readonly Column<LedgerEvent & { readonly line: number }>[] = [
  {
    key: "at",
    title: "Time",
    width: "8rem",
    fromPx: 520,
    show: ({ at }) => <time title={wholeTime(at)}>{clock(at)}</time>,
  },
  {
    key: "op",
    title: "What",
    width: "6.5rem",
    show: ({ op }) => <span class={`op op-${op}`}>{OPS[op]}</span>,
  },
  { key: "server", title: "Server", width: "minmax(4rem, 1fr)", show: ({ server }) => <Said>{server}</Said> },
  {
    key: "tool",
    title: "Name",
    width: "minmax(6rem, 1.6fr)",
    show: ({ tool, subject }) => <Said>{subject === "instructions" ? "instructions" : tool}</Said>,
  },
  {
    key: "reason",
    title: "Why",
    width: "minmax(8rem, 2fr)",
    fromPx: 700,
    show: ({ reason }) => <Said>{reason ?? ""}</Said>,
  },
];

const OPS = {
  enroll: "added",
  retire: "removed",
  hold: "held",
  adopt: "first seen",
  quarantine: "withheld",
  approve: "approved",
};

function Ledger({ answer: { timeline, oldest, damaged } }: { readonly answer: ChangesAnswer }): JSX.Element {
  const [wanted, setWanted] = useState("");
  const [opened, setOpened] = useState<(LedgerEvent & { readonly line: number }) | undefined>(undefined);
  const text = wanted.toLowerCase();
  const rows = timeline
    .map((event, line) => ({ ...event, line }))
    .filter(({ server, tool }) => `${server} ${tool}`.toLowerCase().includes(text));
  return (
    <>
      {damaged.map(({ path, offset }) => (
        <p key={path} class="problem error">
          <Said>{`${path} is damaged at byte ${offset}; what follows is not read.`}</Said>
        </p>
      ))}
      <label class="search">
        <span class="sr">Filter the ledger by server or name</span>
        <input
          type="search"
          placeholder="Filter by server or name"
          value={wanted}
          onInput={(event) => setWanted(event.currentTarget.value)}
        />
        <span class="muted">
          {plural(rows.length, "record")}
          {oldest !== undefined && `, the oldest of ${clock(oldest)}`}
        </span>
      </label>
      {opened?.difference !== undefined && (
        <div>
          <Difference text={opened.difference} label="What changed" />
          <button type="button" class="quiet" onClick={() => setOpened(undefined)}>
            Close
          </button>
        </div>
      )}
      <Grid
        label="Ledger, newest first"
        rows={rows}
        columns={LEDGER_COLUMNS}
        rowPx={28}
        keyOf={({ at, op, server, tool, line }) => `${at} ${op} ${server} ${tool} ${line}`}
        onOpen={setOpened}
        empty={<p>Nothing is recorded yet. The ledger fills when servers list their tools.</p>}
      />
    </>
  );
}

function Explain(): JSX.Element {
  const asked = route.value.query.get("tool") ?? "";
  const name = useSignal(asked);
  const loaded = useLoaded(
    async (signal) =>
      asked === ""
        ? []
        : (await request("GET /console/explain", { query: { tool: asked }, signal })).explanations,
    [asked, ledgerChanges.value],
  );
  return (
    <div class="scroll">
      <form
        class="inline-form"
        onSubmit={(event) => {
          event.preventDefault();
          replaceQuery({ tool: name.value.trim() });
        }}
      >
        <label>
          Tool
          <input
            value={name.value}
            placeholder="server__tool"
            onInput={(event) => (name.value = event.currentTarget.value)}
          />
        </label>
        <button type="submit" class="primary">
          Explain
        </button>
      </form>
      {asked === "" ? (
        <p class="empty">Enter a tool's name to see whether it is offered, since when, and what changed.</p>
      ) : loaded.error !== undefined && loaded.value === undefined ? (
        <Failure error={loaded.error} />
      ) : (
        <>
          {loaded.value?.length === 0 && <p class="empty">No server has, or had, a tool of this name.</p>}
          {loaded.value?.map((explained) => (
            <Explanation key={`${explained.server} ${explained.tool}`} explained={explained} />
          ))}
        </>
      )}
    </div>
  );
}

function Explanation({
  explained: { server, tool, state, since, reason, changes, command },
}: {
  readonly explained: ToolExplained;
}): JSX.Element {
  return (
    <article class="change">
      <h2>
        <Said>{server}</Said> <Said>{tool}</Said> <span class={`tag tag-${state}`}>{state}</span>
      </h2>
      <p>
        <Said>{reason}</Said>{" "}
        <span class="muted">
          Since <time title={wholeTime(since)}>{clock(since)}</time>
        </span>
      </p>
      {changes.map(({ at, difference }) => (
        <div key={at}>
          <h3>
            <time title={wholeTime(at)}>{clock(at)}</time>
          </h3>
          <Difference text={difference} label={`What changed at ${clock(at)}`} />
        </div>
      ))}
      <Command line={command} />
      <p class="muted">
        Server: <Code>{server}</Code>
      </p>
    </article>
  );
}
