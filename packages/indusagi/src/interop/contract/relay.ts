import type { Caller } from "../../runtime/index.ts";
import type { ExtensionKey } from "./extensions.ts";
import type { ProtocolFault } from "./fault.ts";
import type { CacheHint, CompletionRequest, RawResult } from "./host.ts";
import type { ListedItem } from "./remote-tool.ts";
import type { SkillRequest } from "./skills.ts";

/** The lists of a server besides its tools. `templates` are resource templates. */
export type ItemKind = "resources" | "templates" | "prompts";

export interface RelayOptions {
  readonly signal?: AbortSignal;
  /** The caller that the request is made for. It gets the server's questions. */
  readonly caller?: Caller;
  /** The request's `_meta`, passed on. */
  readonly meta?: { readonly [key: string]: unknown };
  /** Time limit per server, including its start and all pages. Default 30 s. */
  readonly timeoutMs?: number;
  /** Declared to a modern server for a list that is not for one caller, see `extensionKey`. Default: none. */
  readonly extensions?: ExtensionKey | undefined;
}

export interface RelayListOptions extends RelayOptions {
  /** The servers to ask. Default: all that are not disabled. */
  readonly servers?: readonly string[];
}

/** One server's part of a list. */
export interface ServerItems {
  readonly server: string;
  /** Exactly as the server sent them. Empty if there are none or listing failed. */
  readonly items: readonly ListedItem[];
  /** Why listing failed. */
  readonly fault?: ProtocolFault;
  /** Why the list is incomplete, such as a cursor that loops. */
  readonly note?: string;
  /** How long the server says that the list may be used, from when it was asked. Absent if it says nothing. */
  readonly hint?: CacheHint | undefined;
  /** The prompts that a review withholds, by name, each with the reason and the remedy. */
  readonly withheld?: ReadonlyMap<string, string>;
}

/** Which servers have a resource. */
export interface ResourceOwners {
  readonly servers: readonly string[];
  /** Whether they list the URI itself, or a template that matches it. */
  readonly by: "uri" | "template";
  /** The servers that could not be asked, with their faults: they may have it too. */
  readonly unknown: readonly ServerItems[];
}

/** Everything a fleet offers besides tools, read through its connections. */
export interface Relay {
  /**
   * The items of one kind, one entry per server, in configuration order. A server that fails or hangs has an entry with
   * its fault and does not delay the others beyond its deadline. Rejects only when the signal aborts.
   */
  list(kind: ItemKind, options?: RelayListOptions): Promise<readonly ServerItems[]>;
  /**
   * The servers that list a URI; if none does, those with a matching template. Servers are never tried in turn: several
   * may answer, but only one is meant. Rejects only when the signal aborts.
   */
  ownersOf(uri: string, options?: RelayListOptions): Promise<ResourceOwners>;
  /** Reads a resource of one server. Rejects with a fault. */
  readResource(server: string, uri: string, options?: RelayOptions): Promise<RawResult>;
  /** Fetches a prompt of one server. Rejects with a fault. */
  getPrompt(server: string, prompt: PromptRequest, options?: RelayOptions): Promise<RawResult>;
  /** Completes an argument of a prompt or template of one server, by its name there. Rejects with a fault. */
  complete(server: string, completion: CompletionRequest, options?: RelayOptions): Promise<RawResult>;
  /** Sends a request of an extension to one server, as it is. Rejects with a fault. */
  forward(server: string, request: ForwardedRequest, options?: RelayOptions): Promise<RawResult>;
  /**
   * Sends a request about a task to the server that created it, in the form of the extension; the answer of a legacy server is
   * translated. `tasks/result` waits for the result on a legacy server and is `unsupported` on others. Rejects with a fault.
   */
  task(server: string, request: ForwardedRequest, options?: RelayOptions): Promise<RawResult>;
  /** Sends a request about skills to one server. Rejects with a fault: `unsupported` if the server has no skills. */
  skills(server: string, request: SkillRequest, options?: RelayOptions): Promise<RawResult>;
}

export interface ForwardedRequest {
  readonly method: string;
  readonly params: RawResult;
}

export interface PromptRequest {
  readonly name: string;
  readonly args?: { readonly [argument: string]: string };
}

/** The URIs and templates that several servers had at the same time. They stay namespaced, so the record should outlive the process. */
export interface ClashRecord {
  /** The servers that had a URI; undefined if it never clashed. */
  serversOf(uri: string): readonly string[] | undefined;
  /** Records URIs with the servers that have them. Never throws. */
  add(clashes: ReadonlyMap<string, readonly string[]>): void;
}
