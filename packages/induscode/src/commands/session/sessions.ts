import { describeError, escapeForDisplay, isoTime } from "indusagi/core";
import type { Run } from "../../boot/internal.ts";
import { type SavedSession, savedSessions, sessionNamed, sessionsIn } from "../../conductor/internal.ts";
import { deleteSession } from "../../conductor/open/internal.ts";
import { type CommandSpec, CWD, type Flag, JSON_OUTPUT, YES } from "../../launch/internal.ts";
import { showJson, showTable } from "../../screen/index.ts";
import { listStateFolders, type StateFolder } from "../../state/index.ts";
import { confirmed } from "../mcp/confirmed.ts";

interface ListRequest {
  /** Empty: every session. */
  readonly words: readonly string[];
  readonly all: boolean;
  readonly json: boolean;
}

interface DeleteRequest {
  /** Ids, or their beginnings. */
  readonly ids: readonly string[];
  readonly all: boolean;
  readonly yes: boolean;
  readonly json: boolean;
}

const ALL: Flag = {
  name: "--all",
  aliases: [],
  kind: "boolean",
  describe: "The sessions of every folder, not only of this one.",
};

export const SESSIONS_LIST: CommandSpec<ListRequest> = {
  name: "sessions list",
  aliases: ["sessions"],
  group: "everyday",
  summary:
    "List the saved sessions of this folder, latest first. indus sessions alone does the same; indus --resume ID continues one.",
  flags: [ALL, JSON_OUTPUT, CWD],
  examples: ["indus sessions", "indus sessions list --all"],
  read: (flags) => ({ words: [], all: flags.has("--all"), json: flags.has("--json") }),
};

export const SESSIONS_SEARCH: CommandSpec<ListRequest> = {
  name: "sessions search",
  group: "everyday",
  operands: "WORD …",
  summary:
    "Find the sessions of this folder whose messages, answers or tool results have all these words, in any order. Upper and lower case are the same.",
  flags: [ALL, JSON_OUTPUT, CWD],
  examples: ["indus sessions search login timeout", "indus sessions search parser --all --json"],
  read: (flags) => {
    const words = [...flags.operands, ...flags.afterEnd].filter((word) => word.trim() !== "");
    if (words.length === 0) return { problem: "sessions search needs a word to look for" };
    return { words, all: flags.has("--all"), json: flags.has("--json") };
  },
};

export const SESSIONS_DELETE: CommandSpec<DeleteRequest> = {
  name: "sessions delete",
  group: "everyday",
  operands: "ID …",
  summary:
    "Delete sessions: transcript, results, and what a rewind would need. Asks first. A session that is open elsewhere is refused. The beginning of an id is enough.",
  flags: [ALL, YES, JSON_OUTPUT, CWD],
  examples: ["indus sessions delete 01KA5QZ", "indus sessions delete 01KA5QZ 01KA61C --yes"],
  read: (flags) => {
    const ids = [...flags.operands, ...flags.afterEnd];
    if (ids.length === 0)
      return { problem: "sessions delete needs the id of a session; indus sessions lists them" };
    return { ids, all: flags.has("--all"), yes: flags.has("--yes"), json: flags.has("--json") };
  },
};

/** A session and the state folder that holds it. */
interface PlacedSession extends SavedSession {
  readonly state: StateFolder;
}

/** `indus sessions` and `indus sessions search`. Exit code 1 if nothing was found. */
export async function listSessions(run: Run, { words, all, json }: ListRequest): Promise<number> {
  const sessions = await placedSessions(run, all, words);
  const isFound = sessions.length > 0 || words.length === 0;
  if (json) run.terminal.out(showJson({ sessions: sessions.map(plainSession) }));
  else if (sessions.length > 0) run.terminal.out(showSessions(run, sessions, all));
  else {
    const what = words.length > 0 ? ` with ${words.map((word) => JSON.stringify(word)).join(" and ")}` : "";
    run.report(
      all ? `there is no session${what}` : `this folder has no session${what}; --all looks into every folder`,
    );
  }
  return isFound ? 0 : 1;
}

/** `indus sessions delete`. Exit code 1 if one of them could not be deleted. */
export async function deleteSessions(run: Run, { ids, all, yes, json }: DeleteRequest): Promise<number> {
  const { terminal, report } = run;
  const known = await placedSessions(run, all);
  let chosen: readonly PlacedSession[];
  try {
    const place = all ? "this machine" : "this folder";
    chosen = [...new Set(ids.map((id) => sessionNamed(known, id, place)))];
  } catch (thrown) {
    report(describeError(thrown));
    return 1;
  }
  if (!yes) {
    if (!json) terminal.out(showSessions(run, chosen, all));
    const which = chosen.length === 1 ? "this session" : `these ${chosen.length} sessions`;
    if (!(await confirmed(run, `Delete ${which} for good?`))) return 1;
  }
  const deleted: PlacedSession[] = [];
  for (const session of chosen) {
    try {
      await deleteSession(session.state, session);
      deleted.push(session);
      if (!json) terminal.out(`deleted session ${session.id}\n`);
    } catch (thrown) {
      report(`session ${session.id} was not deleted: ${describeError(thrown)}`);
    }
  }
  if (json)
    terminal.out(showJson({ deleted: deleted.map(({ id, state }) => ({ id, folder: state.workspace })) }));
  return deleted.length === chosen.length ? 0 : 1;
}

/** Latest first, over all folders. */
async function placedSessions(
  run: Run,
  all: boolean,
  words: readonly string[] = [],
): Promise<readonly PlacedSession[]> {
  const states = all ? await listStateFolders(run.env) : [await run.state.folder()];
  return states
    .flatMap((state) =>
      savedSessions(sessionsIn(state.path), { words }).map((session) => ({ ...session, state })),
    )
    .toSorted((a, b) => b.lastAt - a.lastAt);
}

function plainSession({ id, state, at, lastAt, turns, model, title, match, problem }: PlacedSession): object {
  return {
    id,
    folder: state.workspace,
    startedAt: isoTime(at),
    lastAt: isoTime(lastAt),
    turns,
    model,
    title,
    match,
    problem,
  };
}

/** A table for each folder. Texts of transcripts may come from anyone. */
function showSessions({ terminal }: Run, sessions: readonly PlacedSession[], withFolders: boolean): string {
  const isSearch = sessions.some(({ match }) => match !== undefined);
  const header = ["ID", "LAST (UTC)", "TURNS", isSearch ? "FOUND IN" : "FIRST WORDS"];
  return [...new Set(sessions.map(({ state }) => state.workspace))]
    .map((folder) => {
      const own = sessions.filter(({ state }) => state.workspace === folder);
      const rows = own.map(({ id, lastAt, turns, title, match, problem }) => [
        id,
        isoTime(lastAt).slice(0, 16).replace("T", " "),
        String(turns),
        escapeForDisplay(problem ?? match ?? (title === "" ? "-" : shortTitle(title))),
      ]);
      const heading = withFolders ? `${escapeForDisplay(folder)}\n` : "";
      return `${heading}${showTable([header, ...rows], terminal.outLook ?? {})}`;
    })
    .join("\n");
}

const MAX_TITLE_CHARS = 80;

function shortTitle(title: string): string {
  return title.length > MAX_TITLE_CHARS ? `${title.slice(0, MAX_TITLE_CHARS - 1)}…` : title;
}
