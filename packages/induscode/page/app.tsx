import type { ComponentChildren, JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { ConsoleFolder } from "../src/console/contract.ts";
import { access, isLocal, keepFolder, keptFolder, type Access as SessionState } from "./access.ts";
import { clock, plural, wholeTime } from "./figures.ts";
import { connection, follow, reconnect } from "./live.ts";
import { Command } from "./parts/command.tsx";
import { Dialog } from "./parts/dialog.tsx";
import { Notices } from "./parts/notices.tsx";
import { chooseFolder } from "./request.ts";
import { goTo, linkTo, route } from "./route.ts";
import { openSession } from "./session.ts";
import {
  folder,
  forgetFolder,
  isLoaded,
  problems,
  servers,
  startedAt,
  version,
  waitingCount,
} from "./store.ts";
import { Code, plain, Said } from "./text.tsx";
import { setTheme, theme } from "./theme.ts";
import { Access } from "./views/access.tsx";
import { Calls } from "./views/calls.tsx";
import { Changes } from "./views/changes.tsx";
import { Clients } from "./views/clients.tsx";
import { Overview } from "./views/overview.tsx";
import { Server, ServerList } from "./views/server.tsx";
import { Setup } from "./views/setup.tsx";
import { Try } from "./views/try.tsx";

export function App(): JSX.Element {
  const state = access.value;
  if (state.state === "opening") return <Centred>Opening…</Centred>;
  if (state.state === "closed") return <Closed state={state} />;
  return <Console folders={state.info.folders} />;
}

function Centred({ children }: { readonly children: ComponentChildren }): JSX.Element {
  return (
    <main class="centred">
      <div class="card">{children}</div>
    </main>
  );
}

const REASONS = {
  none: "This page needs a link",
  ended: "This session has ended",
  link: "This link does not work",
  unreachable: "The gateway does not answer",
};

function Closed({
  state,
}: {
  readonly state: Extract<SessionState, { readonly state: "closed" }>;
}): JSX.Element {
  return (
    <Centred>
      <Logo />
      <h1>{REASONS[state.reason]}</h1>
      {state.message !== undefined && (
        <p>
          <Said>{state.message}</Said>
        </p>
      )}
      {state.reason === "unreachable" ? (
        <>
          <p>It may have ended. Start it again, then try once more.</p>
          <button type="button" class="primary" onClick={() => void openSession()}>
            Try again
          </button>
        </>
      ) : (
        <p>
          A link is valid for a minute and works once, so nobody else on this machine can use your gateway.
          Run this in the folder of the gateway; it opens a new page:
        </p>
      )}
      <Command line="indus console" />
    </Centred>
  );
}

const VIEWS = [
  { view: "overview", title: "Overview", key: "o", icon: "M3 11l7-7 7 7M5 9.5V17h10V9.5" },
  { view: "servers", title: "Servers", key: "s", icon: "M3 4h14v5H3zM3 11h14v5H3zM6 6.5h.01M6 13.5h.01" },
  { view: "calls", title: "Calls", key: "c", icon: "M3 15l4-5 3 3 4-7 3 4" },
  { view: "changes", title: "Changes", key: "h", icon: "M6 3v14M6 7h6a3 3 0 0 1 0 6H6" },
  { view: "clients", title: "Clients", key: "l", icon: "M3 4h14v9H3zM7 17h6M10 13v4" },
  { view: "access", title: "Access", key: "a", icon: "M5 9h10v8H5zM7 9V6a3 3 0 0 1 6 0v3" },
  { view: "try", title: "Try", key: "t", icon: "M6 4l10 6-10 6z" },
  { view: "setup", title: "Setup", key: "u", icon: "M3 6h8M15 6h2M3 14h2M9 14h8M13 4v4M7 12v4" },
] as const;

function Console({ folders }: { readonly folders: readonly ConsoleFolder[] }): JSX.Element {
  const [chosen, choose] = useFolder(folders);
  const main = useRef<HTMLElement>(null);
  const { view, parts } = route.value;
  const place = [view, parts[0]].join("/");
  useEffect(() => {
    const stopped = new AbortController();
    chooseFolder(chosen);
    follow(chosen, stopped.signal).catch(() => undefined);
    return () => stopped.abort();
  }, [chosen]);
  const title = VIEWS.find((one) => one.view === view)?.title ?? "Indus";
  useEffect(() => {
    const trouble = problems.value.filter(({ level }) => level === "error").length;
    document.title = `${trouble > 0 ? `(${trouble}) ` : ""}${title} · Indus`;
  }, [title, problems.value]);
  // In a narrow window the views are in one line that scrolls.
  useEffect(
    () =>
      document.querySelector(".side [aria-current]")?.scrollIntoView({ block: "nearest", inline: "nearest" }),
    [view],
  );
  // A new view starts at its top, and a reader of screens is told of it.
  const isFirst = useRef(true);
  useEffect(() => {
    if (isFirst.current) isFirst.current = false;
    else {
      main.current?.focus({ preventScroll: true });
      main.current?.scrollTo({ top: 0 });
    }
  }, [place]);
  return (
    <div class="shell">
      <a class="skip" href="#main" onClick={(event) => (event.preventDefault(), main.current?.focus())}>
        Skip to the content
      </a>
      <header class="top">
        <a class="brand" href={linkTo("overview")} aria-label="Indus, overview">
          <Logo />
          <span>Indus</span>
        </a>
        <FolderChoice folders={folders} chosen={chosen} choose={choose} />
        <span class="top-end">
          {!isLocal() && <span class="tag">remote: rows and clients are read-only</span>}
          <ConnectionMark />
          <ThemeButton />
          <Keys />
        </span>
      </header>
      <nav class="side" aria-label="Views">
        {VIEWS.map(({ view: name, title: word, icon }) => (
          <a key={name} href={linkTo(name)} aria-current={name === view ? "page" : undefined}>
            <Icon path={icon} />
            <span>{word}</span>
            {name === "overview" && <Tally count={problems.value.length} label="problems" />}
            {name === "servers" && <Tally count={servers.value.length} label="servers" isQuiet />}
            {name === "changes" && <Tally count={waitingCount.value} label="waiting" />}
          </a>
        ))}
        <span class="version muted">
          {version.value !== "" && (
            <span title={`The gateway was started: ${wholeTime(startedAt.value)}`}>
              {`version ${version.value}, since ${clock(startedAt.value)}`}
            </span>
          )}
        </span>
      </nav>
      <main id="main" ref={main} tabIndex={-1}>
        <LostBanner isFolderGone={chosen !== undefined && !folders.some(({ id }) => id === chosen)} />
        {isLoaded.value ? (
          <View key={chosen} />
        ) : folders.length === 0 ? (
          <NoFolder />
        ) : (
          <p class="loading">Loading…</p>
        )}
      </main>
      <Notices />
    </div>
  );
}

/** The folder that is shown. Undefined for `indus serve`, which has one. */
function useFolder(
  folders: readonly ConsoleFolder[],
): readonly [chosen: string | undefined, choose: (id: string) => void] {
  const [chosen, setChosen] = useState(keptFolder);
  const [first] = folders;
  // What is shown stays when its last client leaves: it may come back.
  const isKnown = chosen !== undefined && (isLoaded.value || folders.some(({ id }) => id === chosen));
  const isOnly = first !== undefined && first.attached === undefined;
  const shown = isOnly ? undefined : isKnown ? chosen : (first?.id ?? chosen);
  useEffect(() => {
    if (shown !== undefined) setChosen(shown);
  }, [shown]);
  const choose = (id: string): void => {
    keepFolder(id);
    forgetFolder();
    setChosen(id);
  };
  return [shown, choose];
}

interface FolderChoiceProps {
  readonly folders: readonly ConsoleFolder[];
  readonly chosen: string | undefined;
  readonly choose: (id: string) => void;
}

function FolderChoice({ folders, chosen, choose }: FolderChoiceProps): JSX.Element {
  const { path = "" } = folder.value ?? {};
  const isGone = chosen !== undefined && !folders.some(({ id }) => id === chosen);
  if (chosen === undefined || folders.length + (isGone ? 1 : 0) < 2)
    return (
      <span class="folder muted" title={plain(path)}>
        <Said>{path}</Said>
      </span>
    );
  return (
    <label class="folder">
      <span class="sr">Folder</span>
      <select value={chosen} onChange={(event) => choose(event.currentTarget.value)}>
        {isGone && <option value={chosen}>{`${plain(path)} (no client)`}</option>}
        {folders.map(({ id, path: at, attached = 0 }) => (
          <option key={id} value={id}>
            {`${plain(at)} (${plural(attached, "client")})`}
          </option>
        ))}
      </select>
    </label>
  );
}

/** The background gateway runs, but nobody uses it yet. */
function NoFolder(): JSX.Element {
  return (
    <div class="view">
      <h1>No client is attached yet</h1>
      <p>
        Your background gateway runs. A program that starts <Code>indus serve --stdio</Code> attaches to it,
        and its folder appears here. To connect one:
      </p>
      <Command line="indus connect" />
    </div>
  );
}

function View(): JSX.Element {
  const { view, parts } = route.value;
  switch (view) {
    case "servers":
      return parts[0] === undefined ? <ServerList /> : <Server key={parts[0]} id={parts[0]} />;
    case "calls":
      return <Calls />;
    case "changes":
      return <Changes />;
    case "clients":
      return <Clients />;
    case "access":
      return <Access />;
    case "try":
      return <Try />;
    case "setup":
      return <Setup />;
    default:
      return <Overview />;
  }
}

function Tally({
  count,
  label,
  isQuiet = false,
}: {
  readonly count: number;
  readonly label: string;
  readonly isQuiet?: boolean;
}): JSX.Element | null {
  if (count === 0) return null;
  return (
    <span class={isQuiet ? "tally" : "tally loud"}>
      {count}
      <span class="sr"> {label}</span>
    </span>
  );
}

const STATES = { connecting: "connecting", live: "live", lost: "connection lost" };

function ConnectionMark(): JSX.Element {
  const { state } = connection.value;
  return (
    <span class={`connection ${state}`} role="status">
      <span class="dot" aria-hidden="true" />
      {STATES[state]}
    </span>
  );
}

/** What is shown stays, and is marked as old. It takes no place until it is there for a moment, so a short gap moves nothing. */
function LostBanner({ isFolderGone }: { readonly isFolderGone: boolean }): JSX.Element | null {
  const now = connection.value;
  const [isShown, setShown] = useState(false);
  useEffect(() => {
    if (now.state !== "lost") return setShown(false);
    const timer = setTimeout(() => setShown(true), 1000);
    return () => clearTimeout(timer);
  }, [now.state]);
  if (now.state !== "lost" || !isShown || !isLoaded.value) return null;
  const why = isFolderGone
    ? `The last client of this folder left at ${clock(now.sinceMs)}. What you see is from then; it continues by itself once a client comes back.`
    : `The connection to the gateway was lost at ${clock(now.sinceMs)}. What you see is from then; it continues by itself once the gateway answers.`;
  return (
    <div class="banner" role="alert">
      <span>{why}</span>
      <button type="button" onClick={reconnect}>
        Try now
      </button>
    </div>
  );
}

function ThemeButton(): JSX.Element {
  const isDark = theme.value === "dark";
  return (
    <button
      type="button"
      class="quiet icon-button"
      aria-label={isDark ? "Light colours" : "Dark colours"}
      onClick={() => setTheme(isDark ? "light" : "dark")}
    >
      <Icon
        path={
          isDark
            ? "M10 6a4 4 0 1 0 0 8a4 4 0 0 0 0-8M10 2v1.5M10 16.5V18M2 10h1.5M16.5 10H18"
            : "M16 12.5A7 7 0 0 1 7.5 4A6.5 6.5 0 1 0 16 12.5z"
        }
      />
    </button>
  );
}

/** `g` and a letter goes to a view, `/` to the filter, `?` shows this. */
function Keys(): JSX.Element {
  const [isShown, setShown] = useState(false);
  useEffect(() => {
    let isGoing = false;
    const onKey = (event: KeyboardEvent): void => {
      const target = event.target as HTMLElement | null;
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (target?.closest("input, textarea, select, dialog, [contenteditable]")) return;
      const to = isGoing ? VIEWS.find(({ key }) => key === event.key) : undefined;
      isGoing = event.key === "g";
      if (to) goTo(to.view);
      else if (event.key === "?") setShown(true);
      else if (event.key === "/") {
        const search = document.querySelector<HTMLElement>("main input[type=search], main .filters input");
        if (!search) return;
        search.focus();
        event.preventDefault();
      }
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
  return (
    <>
      <button type="button" class="quiet icon-button" aria-label="Keys" onClick={() => setShown(true)}>
        ?
      </button>
      {isShown && (
        <Dialog title="Keys" onClose={() => setShown(false)}>
          <dl class="keys">
            {VIEWS.map(({ title, key }) => (
              <div key={key}>
                <dt>
                  <kbd>g</kbd> <kbd>{key}</kbd>
                </dt>
                <dd>{title}</dd>
              </div>
            ))}
            <div>
              <dt>
                <kbd>/</kbd>
              </dt>
              <dd>Filter</dd>
            </div>
            <div>
              <dt>
                <kbd>↑</kbd> <kbd>↓</kbd> <kbd>Enter</kbd>
              </dt>
              <dd>Move in a list, open</dd>
            </div>
          </dl>
        </Dialog>
      )}
    </>
  );
}

function Icon({ path }: { readonly path: string }): JSX.Element {
  return (
    <svg class="icon" viewBox="0 0 20 20" aria-hidden="true">
      <path d={path} />
    </svg>
  );
}

function Logo(): JSX.Element {
  return (
    <svg class="logo" viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="8" />
      <path d="M6 9c7 0 7 7 14 7h6M6 16h20M6 23c7 0 7-7 14-7" />
    </svg>
  );
}
