/** One argument of a tool as typed: a text whose type is still open, or a JSON value. */
export type GivenArgument =
  | { readonly name: string; readonly text: string }
  | { readonly name: string; readonly value: unknown };

/** How clients reach `indus serve`: through its standard input and output, or over HTTP. */
export type ServeTransport =
  | { readonly kind: "stdio" }
  | {
      readonly kind: "http";
      /** Absent: the default port, or a free one if that is in use. */
      readonly port?: number;
      readonly host?: string;
      /** The environment variable that holds the token. Never the token itself: other users can read a command line. */
      readonly tokenEnv?: string;
    };

export interface ServeRequest {
  readonly transport: ServeTransport;
  /** Configuration files. Naming a file on the command line approves its servers. */
  readonly mcp: readonly string[];
  /** Serve the example servers too, and show how to connect clients. */
  readonly demo: boolean;
  /** End with the process that started the command, also at a port. Over stdio that is always so. */
  readonly withParent: boolean;
  /** The folder in which the native tools work. */
  readonly cwd?: string;
  /** How long the first listing of a client waits for servers. Absent: by the client. */
  readonly waitMs?: number;
}

export interface ListServersRequest {
  readonly mcp: readonly string[];
  /** The servers to start. Empty: all. */
  readonly names: readonly string[];
  readonly json: boolean;
  /** Whether one failed server is enough for exit code 1. */
  readonly exitCode: boolean;
  /** Whether the lines that say why a server failed are shown below the tables. */
  readonly verbose: boolean;
}

export interface WarmRequest {
  readonly mcp: readonly string[];
}

/** A call of one tool. */
export interface ToolRequest {
  readonly tool: string;
  readonly given: readonly GivenArgument[];
  readonly json: boolean;
  /** Whether the arguments are compared with the tool's schema before they are sent. */
  readonly check: boolean;
  readonly timeoutMs?: number;
}

export interface ServerToolRequest extends ToolRequest {
  readonly mcp: readonly string[];
}

/** A word that the table does not know, and those it knows at that place: for a suggestion. */
interface UnknownWord {
  readonly word: string;
  readonly known: readonly string[];
}

/** Why a command line cannot be carried out, as half a line without a full stop. */
export interface UsageProblem {
  readonly problem: string;
  readonly unknown?: UnknownWord;
}

/** What the command line asks for. */
export type Invocation =
  /** `topic`: the words of a command or of a family of commands. Absent: everything. */
  | { readonly command: "help"; readonly topic?: string }
  | { readonly command: "version" }
  | { readonly command: "tools"; readonly json: boolean }
  | ({ readonly command: "call" } & ToolRequest)
  | ({ readonly command: "mcp list" } & ListServersRequest)
  | ({ readonly command: "mcp call" } & ServerToolRequest)
  | ({ readonly command: "mcp warm" } & WarmRequest)
  | ({ readonly command: "serve" } & ServeRequest)
  | ({ readonly command: "usage" } & UsageProblem);
