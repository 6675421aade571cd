import type { CallOutcome, CallRecord } from "../gateway/operations/audit/internal.ts";

// Everything the page of the console and the gateway exchange. Types and constants only: both sides import this file.
//
// The page is at `/`, its files are below `/console/assets/`, and its data is below `/console/`. A request and an answer are JSON, except
// for the live stream and a try, which are lines of JSON (NDJSON). A gateway of several folders takes the folder as `?folder=ID`.

/** The header that carries the key of a session. Never a cookie: those go to every port of a host. */
export const SESSION_HEADER = "x-indus-session";
/** The link that `indus console` opens is `http://HOST:PORT/#link=CODE`, with `&folder=ID` if the gateway has several folders. */
export const LINK_FRAGMENT = "link=";
export const FOLDER_FRAGMENT = "&folder=";
/** Stands for each secret in a row, as in `indus mcp get`. A text that is sent back as it was keeps the secrets that the file has. */
export const HIDDEN = "…";

export const CONSOLE_LIMITS = {
  /** How long a link is valid. It works once. */
  linkMs: 60_000,
  /** A session without a request or an open stream for this long ends. */
  sessionIdleMs: 43_200_000,
  sessions: 64,
  /** Streams that are open at the same time, and tries that run at the same time. */
  streams: 32,
  tries: 16,
  /** The longest body of a request. */
  bodyBytes: 1_048_576,
  /** How many events a stream can resume from; a stream that missed more starts again with a `hello` that is not resumed. */
  keptEvents: 2_000,
  /** Events are collected for this long and sent together. */
  batchMs: 250,
  /** A line is sent at least this often, so both sides notice a lost connection. */
  keepAliveMs: 15_000,
  /** How often the memory and the processor time of servers are measured while a stream is open. */
  processMs: 5_000,
  /** Calls in one answer, and lines of a log. */
  calls: 2_000,
  logLines: 1_000,
  /** Entries of the ledger's timeline in one answer. */
  timeline: 2_000,
  /** How long a question of a try, such as an elicitation, waits for its answer. */
  answerMs: 600_000,
  /** How long the address of an app's page may be loaded. It works once. */
  appMs: 60_000,
} as const;

/** Why a request is refused. */
export type ConsoleErrorCode =
  /** No session, or it has ended: open a new link. */
  | "no_session"
  /** The link was used, is too old, or is wrong. */
  | "bad_link"
  /** The request comes from another page, or names another host. */
  | "foreign"
  /** The session is not from a local link, or the token is not `--admin`. */
  | "not_allowed"
  | "not_found"
  /** The request is malformed, or the change was refused by its checks. */
  | "bad_request"
  /** The file was changed meanwhile, or what was shown no longer applies. */
  | "conflict"
  /** Too many sessions, streams or tries. */
  | "too_many"
  | "failed";

/** The body of every answer that is not 2xx. */
export interface ConsoleError {
  readonly error: {
    readonly code: ConsoleErrorCode;
    /** One line. Text of servers may be in it: show it as text. */
    readonly message: string;
    /** What to do. */
    readonly remedy?: string | undefined;
  };
}

// --- Sessions -----------------------------------------------------------------------------------------------------------------------

/** `POST /console/session` */
interface OpenSessionRequest {
  readonly code: string;
}

export interface OpenedSession extends SessionInfo {
  /** Sent as `SESSION_HEADER` with every request. Keep it in `sessionStorage`. */
  readonly key: string;
}

/** `GET /console/session`. `DELETE /console/session` ends it and answers `{}`. */
export interface SessionInfo {
  /** Only sessions from a local link may change rows and the files of clients. */
  readonly origin: "local" | "remote";
  readonly version: string;
  readonly folders: readonly ConsoleFolder[];
}

export interface ConsoleFolder {
  /** For `?folder=`. */
  readonly id: string;
  readonly path: string;
  /** How many clients are attached to it. Absent: it is the folder of `indus serve`. */
  readonly attached?: number | undefined;
}

/** `POST /console/link`, with `Authorization: Bearer TOKEN` of a token made with `--admin`; from `indus console --url`. */
export interface MadeLink {
  readonly code: string;
  readonly expiresInMs: number;
}

// --- Overview -----------------------------------------------------------------------------------------------------------------------

/** `GET /console/snapshot`: everything of the first view. */
export interface Snapshot {
  readonly folder: ConsoleFolder;
  readonly version: string;
  readonly startedAt: string;
  readonly problems: readonly Problem[];
  readonly servers: readonly ServerSummary[];
  readonly clients: readonly ConnectedClient[];
  readonly cost: ToolCost;
  /** How many changes of servers wait for an approval, by server. */
  readonly waiting: { readonly [server: string]: number };
  /** The gateway's own process. */
  readonly gateway: ProcessUse;
  /** Open sessions, running requests and streams of MCP clients. */
  readonly listener: { readonly sessions: number; readonly requests: number; readonly streams: number };
  /** The newest calls, oldest first. At most 200. */
  readonly calls: readonly ConsoleCall[];
  /** Give it to the stream, to get every change since this snapshot. */
  readonly position: string;
}

export interface Problem {
  readonly id: string;
  readonly level: "error" | "warning" | "info";
  readonly kind: "server" | "row" | "change" | "login" | "trust" | "required";
  readonly server?: string | undefined;
  /** What is wrong, and why, in one line. */
  readonly reason: string;
  /** What to do, in one line. */
  readonly remedy: string;
  /** The command that helps. */
  readonly command?: string | undefined;
  /** What a button does here. */
  readonly action?: ProblemAction | undefined;
}

type ProblemAction =
  | { readonly kind: "restart" | "enable" | "login"; readonly server: string }
  | {
      readonly kind: "open";
      readonly view: "server" | "changes" | "rows";
      readonly server?: string | undefined;
    };

/** `serverReport` of a server, with its numbers. */
export interface ServerSummary {
  readonly id: string;
  /** `usable`, `starting`, `restarting`, `unlisted`, `down`, `needs_login`, `untrusted`, `disabled` or `closed`. */
  readonly standing: string;
  /** The word that people read, such as `ready`, `failed` or `list failed`. */
  readonly state: string;
  readonly isUsable: boolean;
  readonly isStarting: boolean;
  readonly isDown: boolean;
  readonly needsUser: boolean;
  /** Absent if it is usable. */
  readonly reason?: string | undefined;
  readonly remedy?: string | undefined;
  readonly command?: string | undefined;
  readonly tools: number;
  readonly restarts: number;
  readonly transport: "stdio" | "sse" | "streamable-http";
  /** `legacy`, `modern`; absent before its first handshake. */
  readonly era?: "legacy" | "modern" | undefined;
  readonly notes: readonly string[];
  readonly activity: Sparkline;
  /** Absent for a server without a process, and before the first measurement. */
  readonly process?: ProcessUse | undefined;
}

/** Calls and errors of the last hour, one element per minute, oldest first. */
export interface Sparkline {
  /** The time of the first element, since 1970. */
  readonly fromMs: number;
  readonly bucketMs: number;
  readonly calls: readonly number[];
  readonly errors: readonly number[];
}

/** A whole process tree. */
export interface ProcessUse {
  readonly memoryBytes: number;
  /** Percent of one core since the last measurement. */
  readonly cpuPercent: number;
  readonly processes: number;
}

/** Estimated tokens that listing the tools costs a model in each request. */
export interface ToolCost {
  /** How tools are listed: `all`, `search` or `auto`. */
  readonly mode: string;
  readonly tools: number;
  readonly tokens: number;
  readonly listed: number;
  readonly listedTokens: number;
  /** What the search costs, or would cost. */
  readonly searchTokens: number;
}

// --- Servers ------------------------------------------------------------------------------------------------------------------------

/** `GET /console/servers/ID` */
export interface ServerDetail {
  readonly server: ServerSummary;
  readonly tools: readonly ServerTool[];
  readonly resources: readonly ServerItem[];
  readonly templates: readonly ServerItem[];
  readonly prompts: readonly ServerPrompt[];
  readonly instructions?: string | undefined;
  readonly serverInfo?: { readonly name: string; readonly version?: string | undefined } | undefined;
  /** Absent: it is in no file, as with `--run`. */
  readonly row?: ConfigRow | undefined;
  /** The command that shows its log. */
  readonly logCommand: string;
  /** Starts, failures and restarts, newest first. At most 200. */
  readonly timeline: readonly TimelineEntry[];
}

export interface ServerTool {
  /** The name on its server. */
  readonly name: string;
  /** The name that clients see. */
  readonly shownAs: string;
  /** A typed function: `add(text: string, tags?: string[])`. */
  readonly signature: string;
  readonly title?: string | undefined;
  readonly description: string;
  readonly annotations: { readonly [name: string]: unknown };
  readonly inputSchema: unknown;
  readonly outputSchema?: unknown;
  /** `hidden`: its row leaves it out. `withheld`: it changed and waits for an approval. */
  readonly state: "offered" | "hidden" | "withheld";
  /** Why it is not offered. */
  readonly reason?: string | undefined;
  /** Estimated tokens in each request of a model. */
  readonly tokens: number;
  /** The resource of its MCP App. */
  readonly app?: string | undefined;
}

/** A resource, or a template of resources. */
export interface ServerItem {
  readonly uri: string;
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly mimeType?: string | undefined;
}

export interface ServerPrompt {
  readonly name: string;
  readonly shownAs: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly arguments: readonly {
    readonly name: string;
    readonly description?: string | undefined;
    readonly required: boolean;
  }[];
}

export interface TimelineEntry {
  readonly at: string;
  /** Such as `ready (3 tools)` or `failed: the program was not found`. */
  readonly text: string;
  readonly level: "good" | "bad" | "plain";
}

/** `GET /console/servers/ID/log?last=N` answers `{ lines }`, oldest first. */
export interface ServerLogLine {
  readonly at: string;
  readonly server: string;
  readonly kind: "stderr" | "sent" | "received" | "dropped" | "state";
  /** The line as `indus mcp log` shows it, without the time. */
  readonly text: string;
}

// --- Calls --------------------------------------------------------------------------------------------------------------------------

/** One call. Never its values: see `indus audit`. */
export interface ConsoleCall extends CallRecord {
  /** The shape of the arguments. Only of calls that a stream saw. */
  readonly shape?: unknown;
}

/** The members of `GET /console/calls?…`, all optional. */
export interface CallQuery {
  readonly server?: string | undefined;
  /** A name, or a prefix that ends in `*`. */
  readonly tool?: string | undefined;
  /** The name of a token; `-` for calls without one. */
  readonly principal?: string | undefined;
  /** Part of the name that the client claims. */
  readonly client?: string | undefined;
  /** Separated by commas. */
  readonly outcomes?: string | undefined;
  readonly methods?: string | undefined;
  /** At least this long. */
  readonly slowerThanMs?: number | undefined;
  /** Milliseconds since 1970. Default: an hour ago. */
  readonly sinceMs?: number | undefined;
  readonly untilMs?: number | undefined;
  /** At most `CONSOLE_LIMITS.calls`. Default 500. */
  readonly last?: number | undefined;
}

export interface CallsAnswer {
  /** The newest that match, oldest first. */
  readonly calls: readonly ConsoleCall[];
  /** How many match. */
  readonly matching: number;
  /** Of all that match, the most called first. */
  readonly tools: readonly ToolTimes[];
}

export interface ToolTimes {
  /** `server__tool`, or the method of another request. */
  readonly tool: string;
  readonly server?: string | undefined;
  readonly calls: number;
  readonly errors: number;
  /** Over the whole time. */
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  readonly maxMs: number;
  readonly argumentBytes: number;
  readonly resultBytes: number;
  /** Over time: at most 60 slices without the empty ones. */
  readonly series: readonly {
    readonly atMs: number;
    readonly calls: number;
    readonly p50: number;
    readonly p95: number;
    readonly p99: number;
  }[];
}

// --- Changes ------------------------------------------------------------------------------------------------------------------------

/** `GET /console/changes` */
export interface ChangesAnswer {
  readonly waiting: readonly WaitingChangeShown[];
  /** Pin files that cannot be used: everything of their servers is withheld. */
  readonly unusable: readonly { readonly path: string; readonly problem: string }[];
  /** The ledger, newest first. */
  readonly timeline: readonly LedgerEvent[];
  /** The time of the oldest record. */
  readonly oldest?: string | undefined;
  readonly damaged: readonly { readonly path: string; readonly offset: number }[];
}

export interface WaitingChangeShown {
  readonly server: string;
  readonly subject: "tool" | "prompt" | "instructions";
  /** The exact name on the server; empty for its instructions. */
  readonly name: string;
  /** How a command names it. */
  readonly target: string;
  /** `hold`: the approved text stays in use. `quarantine`: it is withheld. */
  readonly op: "hold" | "quarantine";
  readonly reason: string;
  readonly since: string;
  /** The lines that differ, each with `- ` or `+ `, below the name of their part. */
  readonly difference: string;
  /** Identifies the form that waits, so only what was shown is approved. */
  readonly after: string;
  /** It was refused: nobody is asked again until it changes. */
  readonly isRefused: boolean;
  readonly approve: string;
  readonly refuse: string;
}

export interface LedgerEvent {
  readonly at: string;
  readonly op: "enroll" | "retire" | "hold" | "adopt" | "quarantine" | "approve";
  readonly server: string;
  readonly tool: string;
  readonly subject: "tool" | "prompt" | "instructions";
  /** The run that recorded it. */
  readonly run: string;
  readonly reason?: string | undefined;
  readonly difference?: string | undefined;
}

/** `GET /console/explain?tool=NAME` answers `{ explanations }`: why each tool of this name is offered or not. */
export interface ToolExplained {
  readonly server: string;
  readonly tool: string;
  readonly state: "here" | "gone" | "quarantined";
  readonly since: string;
  readonly reason: string;
  readonly changes: readonly { readonly at: string; readonly difference: string }[];
  /** The same as a command. */
  readonly command: string;
}

/** `POST /console/changes/approve`, `POST /console/changes/refuse` */
export interface DecideRequest {
  readonly changes: readonly Pick<WaitingChangeShown, "server" | "subject" | "name" | "after">[];
}

// --- Clients and access -------------------------------------------------------------------------------------------------------------

/** `GET /console/clients` answers `{ clients }`. */
export interface ConnectedClient {
  readonly id: string;
  /** What it claims to be. */
  readonly name: string;
  readonly version?: string | undefined;
  readonly era: "legacy" | "modern";
  readonly transport: "http" | "stdio" | "console";
  /** `/mcp`, `/mcp/SERVER` or `/mcp/p/PROFILE`. */
  readonly route: string;
  /** The name of its token. Absent: it has none. */
  readonly principal?: string | undefined;
  readonly since?: string | undefined;
  readonly lastSeen?: string | undefined;
  /** A legacy client has a session; a modern one is here as long as it sends requests. */
  readonly isConnected: boolean;
  /** What it sees. */
  readonly cost: ToolCost;
  readonly servers: readonly string[];
}

/** `GET /console/tokens` answers `{ tokens }`. */
export interface TokenShown {
  readonly id: string;
  readonly name: string;
  readonly createdAt: string;
  readonly servers?: readonly string[] | undefined;
  readonly tools?: readonly string[] | undefined;
  /** Concurrent calls. */
  readonly calls?: number | undefined;
  readonly listing?: string | undefined;
  /** It may open the console. Never of a token made here. */
  readonly admin?: boolean | undefined;
  /** The command that revokes it. */
  readonly revoke: string;
}

/** `POST /console/tokens` answers `TokenMade`. `DELETE /console/tokens/NAME` answers `Done`. */
export interface TokenRequest {
  readonly name: string;
  readonly servers?: readonly string[] | undefined;
  readonly tools?: readonly string[] | undefined;
  readonly calls?: number | undefined;
  readonly listing?: "all" | "search" | "auto" | undefined;
}

export interface TokenMade extends Done {
  /** Shown once: it is not stored. */
  readonly token: string;
}

// --- Changes by the user ------------------------------------------------------------------------------------------------------------

/** The answer to every change. */
export interface Done {
  /** The same change as a command line. */
  readonly command: string;
  /** What the command says. */
  readonly messages: readonly string[];
  /** What changed in a file, with secrets hidden. */
  readonly difference?: string | undefined;
}

/**
 * `POST /console/servers/ID/restart|enable|disable|login` without a body answers `Done`; the answer to `login` comes when the login has
 * ended. `restart` ends nobody's session.
 */
export type ServerAction = "restart" | "enable" | "disable" | "login";

/** `POST /console/tools`: which tools are shown, and how. Local sessions only. */
export type ToolChange =
  | { readonly kind: "show" | "hide"; readonly tool: string }
  /** An empty text restores the server's own. */
  | { readonly kind: "rename" | "describe"; readonly tool: string; readonly text: string };

/** A row of a file of ours, with its secrets hidden. `GET /console/rows` answers `{ rows, files }`. */
export interface ConfigRow {
  readonly name: string;
  readonly file: string;
  readonly scope: "user" | "project" | "file";
  readonly row: { readonly [member: string]: unknown };
  /** It may be edited here: the session is local, and the file is ours. */
  readonly isEditable: boolean;
}

export interface RowsAnswer {
  readonly rows: readonly ConfigRow[];
  /** Where a new row may go. */
  readonly files: readonly { readonly scope: ConfigRow["scope"]; readonly file: string }[];
}

/** `POST /console/rows/check` answers `RowChecked`, and writes nothing. `POST /console/rows` writes it and answers `Done`. Local only. */
export interface RowRequest {
  readonly action: "add" | "edit" | "remove";
  readonly name: string;
  /** Not for `remove`. */
  readonly row?: { readonly [member: string]: unknown } | undefined;
  /** For `add`. Default: the first of `RowsAnswer.files`. Other actions find the row. */
  readonly scope?: ConfigRow["scope"] | undefined;
}

export interface RowChecked {
  readonly problems: readonly string[];
  /** With secrets hidden. */
  readonly difference: string;
  readonly file: string;
  readonly command: string;
}

/** `GET /console/connect` answers `{ clients }`: the programs that `indus connect` knows. Local only. */
export interface KnownClient {
  readonly id: string;
  readonly title: string;
  readonly places: readonly {
    readonly scope: "user" | "project";
    readonly file: string;
    readonly exists: boolean;
    readonly isConnected: boolean;
    /** Its own servers there. */
    readonly servers: readonly string[];
  }[];
}

/** `POST /console/connect/preview` answers `ConnectPreview` and writes nothing; `POST /console/connect` answers `Done`. Local only. */
export interface ConnectRequest {
  readonly client: string;
  readonly scope?: "user" | "project" | undefined;
  readonly undo?: boolean | undefined;
  /** Put the client's own servers behind the gateway. */
  readonly move?: boolean | undefined;
  /** Native tools: `read-only`, `full`, `all` or `none`. */
  readonly profile?: string | undefined;
}

export interface ConnectPreview {
  readonly command: string;
  readonly file: string;
  readonly difference: string;
  readonly messages: readonly string[];
}

// --- Try ----------------------------------------------------------------------------------------------------------------------------

export type Era = "legacy" | "modern";

/** `GET /console/try?era=ERA` : what the console sees as a client of the gateway, in this era. */
export interface TryOffer {
  readonly tools: readonly TryTool[];
  readonly resources: readonly ServerItem[];
  readonly templates: readonly ServerItem[];
  readonly prompts: readonly ServerPrompt[];
}

export interface TryTool {
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly inputSchema: unknown;
  readonly outputSchema?: unknown;
  readonly annotations?: { readonly [name: string]: unknown } | undefined;
  readonly app?: string | undefined;
}

/** `POST /console/try` answers lines of `TryEvent`, until the result. To cancel it, end the request. */
export type TryRequest = { readonly era: Era } & (
  | {
      readonly kind: "tool";
      readonly name: string;
      readonly arguments: { readonly [name: string]: unknown };
      /** The app that asks, as `MadeApp.id`: it may only use the tools of its own server that are for apps. */
      readonly app?: string | undefined;
    }
  | { readonly kind: "resource"; readonly uri: string; readonly app?: string | undefined }
  | {
      readonly kind: "prompt";
      readonly name: string;
      readonly arguments: { readonly [name: string]: string };
    }
);

export type TryEvent =
  | { readonly type: "begun"; readonly id: string }
  /** One message of the exchange, as it is on the wire. Large ones are cut: `cutBytes` is what is missing. */
  | {
      readonly type: "message";
      readonly direction: "sent" | "received";
      readonly atMs: number;
      readonly message: unknown;
      readonly cutBytes?: number | undefined;
    }
  /** Answer it with `POST /console/try/ID/answer`. */
  | { readonly type: "question"; readonly question: string; readonly request: TryQuestion }
  | { readonly type: "result"; readonly ms: number; readonly result: unknown }
  | {
      readonly type: "failed";
      readonly ms: number;
      readonly message: string;
    }
  | { readonly type: "keep-alive" };

export type TryQuestion =
  | {
      readonly kind: "form";
      readonly message: string;
      readonly schema: unknown;
      readonly server?: string | undefined;
    }
  | {
      readonly kind: "url";
      readonly message: string;
      readonly url: string;
      readonly server?: string | undefined;
    };

/** `POST /console/try/ID/answer` answers `{}`. */
export interface TryAnswer {
  readonly question: string;
  readonly action: "accept" | "decline" | "cancel";
  readonly content?: { readonly [name: string]: unknown } | undefined;
}

/** `POST /console/apps`: prepares the page of an MCP App. */
export interface AppRequest {
  readonly era: Era;
  /** The tool as the console sees it. */
  readonly tool: string;
}

export interface MadeApp {
  readonly id: string;
  /** For `<iframe sandbox="allow-scripts allow-forms" src=…>`, once. Its answer carries the policy and the sandbox again. */
  readonly url: string;
  readonly server: string;
  readonly uri: string;
  /** The policy that holds in the frame. */
  readonly csp: string;
  readonly prefersBorder?: boolean | undefined;
}

// --- The live stream ----------------------------------------------------------------------------------------------------------------

/**
 * `GET /console/stream?after=POSITION` answers lines of `StreamEvent`. Without `after`, or if too much was missed, `hello.resumed` is
 * false: load the snapshot again. The position of each line is in `at`.
 */
export type StreamEvent = { readonly at: string } & (
  | { readonly type: "hello"; readonly stream: string; readonly resumed: boolean }
  /** Servers that changed. */
  | { readonly type: "servers"; readonly servers: readonly ServerSummary[] }
  | { readonly type: "removed"; readonly servers: readonly string[] }
  /** The problems are these now. */
  | { readonly type: "problems"; readonly problems: readonly Problem[] }
  | {
      readonly type: "calls";
      readonly calls: readonly ConsoleCall[] /** Left out: too many at once. */;
      readonly dropped: number;
    }
  /** The tools of these servers changed. */
  | { readonly type: "tools"; readonly servers: readonly string[]; readonly cost: ToolCost }
  | { readonly type: "clients"; readonly clients: readonly ConnectedClient[] }
  | { readonly type: "waiting"; readonly waiting: { readonly [server: string]: number } }
  | {
      readonly type: "processes";
      readonly gateway: ProcessUse;
      readonly servers: { readonly [server: string]: ProcessUse };
    }
  /** A client came to a gateway of several folders, or left it. */
  | { readonly type: "folders"; readonly folders: readonly ConsoleFolder[] }
  /** Of the servers in `POST /console/stream/logs`. */
  | { readonly type: "log"; readonly lines: readonly ServerLogLine[] }
  | { readonly type: "keep-alive" }
);

/** `POST /console/stream/logs`: whose logs this stream gets, from now on. Answers `{}`. */
export interface LogsRequest {
  /** `hello.stream` */
  readonly stream: string;
  readonly servers: readonly string[];
}

/** All routes, for both sides. `ID`, `NAME` stand for one percent-encoded segment. */
export interface ConsoleRoutes {
  "POST /console/session": { request: OpenSessionRequest; answer: OpenedSession };
  "GET /console/session": { request: undefined; answer: SessionInfo };
  "DELETE /console/session": { request: undefined; answer: object };
  "POST /console/link": { request: undefined; answer: MadeLink };
  "GET /console/snapshot": { request: undefined; answer: Snapshot };
  "GET /console/stream": { request: undefined; answer: StreamEvent };
  "POST /console/stream/logs": { request: LogsRequest; answer: object };
  "GET /console/servers/ID": { request: undefined; answer: ServerDetail };
  "GET /console/servers/ID/log": { request: undefined; answer: { lines: readonly ServerLogLine[] } };
  "POST /console/servers/ID/restart": { request: undefined; answer: Done };
  "POST /console/servers/ID/enable": { request: undefined; answer: Done };
  "POST /console/servers/ID/disable": { request: undefined; answer: Done };
  "POST /console/servers/ID/login": { request: undefined; answer: Done };
  "GET /console/calls": { request: undefined; answer: CallsAnswer };
  "GET /console/changes": { request: undefined; answer: ChangesAnswer };
  "POST /console/changes/approve": { request: DecideRequest; answer: Done };
  "POST /console/changes/refuse": { request: DecideRequest; answer: Done };
  "GET /console/explain": { request: undefined; answer: { explanations: readonly ToolExplained[] } };
  "GET /console/clients": { request: undefined; answer: { clients: readonly ConnectedClient[] } };
  "GET /console/tokens": { request: undefined; answer: { tokens: readonly TokenShown[] } };
  "POST /console/tokens": { request: TokenRequest; answer: TokenMade };
  "DELETE /console/tokens/NAME": { request: undefined; answer: Done };
  "POST /console/tools": { request: ToolChange; answer: Done };
  "GET /console/rows": { request: undefined; answer: RowsAnswer };
  "POST /console/rows/check": { request: RowRequest; answer: RowChecked };
  "POST /console/rows": { request: RowRequest; answer: Done };
  "GET /console/connect": { request: undefined; answer: { clients: readonly KnownClient[] } };
  "POST /console/connect/preview": { request: ConnectRequest; answer: ConnectPreview };
  "POST /console/connect": { request: ConnectRequest; answer: Done };
  "GET /console/try": { request: undefined; answer: TryOffer };
  "POST /console/try": { request: TryRequest; answer: TryEvent };
  "POST /console/try/ID/answer": { request: TryAnswer; answer: object };
  "POST /console/apps": { request: AppRequest; answer: MadeApp };
}

export type { CallOutcome };
