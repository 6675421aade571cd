import { randomBytes } from "node:crypto";
import { isLoopbackHost, isRecord } from "indusagi/core";
import { appPagesOf, EXTENSION_KEYS, type RemoteTool } from "indusagi/interop";
import { type AppRequest, CONSOLE_LIMITS, type MadeApp } from "./contract.ts";
import { ConsoleRefusal } from "./guard.ts";
import type { ConsoleSource } from "./source.ts";
import { readAt } from "./try.ts";

/** The page of an app, until its frame has loaded it. */
interface AppPage {
  readonly html: string;
  readonly csp: string;
  readonly untilMs: number;
}

/** An app that was opened: it may use its own server only. */
interface OpenApp {
  readonly owner: object;
  readonly server: string;
}

const MAX_APPS = 64;

/** The MCP Apps that somebody looks at. */
export class Apps {
  readonly #pages = new Map<string, AppPage>();
  readonly #open = new Map<string, OpenApp>();

  /** Reads the page of a tool's app. Throws, with the reason, if there is none. */
  async make(
    source: ConsoleSource,
    { era, tool }: AppRequest,
    { owner, signal }: { readonly owner: object; readonly signal: AbortSignal },
  ): Promise<MadeApp> {
    const found = toolShownAs(source, tool);
    const uri = found && appPagesOf({ definition: found.definition })[0];
    if (!found || uri === undefined)
      throw new ConsoleRefusal(404, "not_found", `the tool ${JSON.stringify(tool)} has no app`);
    const { server } = found.ref;
    const route = { kind: "server", id: server } as const;
    const { html, meta } = pageIn(await readAt(source.view, { route, era, uri }, signal), uri);
    const csp = appPolicy(meta["csp"]);
    const [id, secret] = [randomBytes(12).toString("hex"), randomBytes(32).toString("base64url")];
    keep(this.#open, id, { owner, server });
    keep(this.#pages, secret, { html, csp, untilMs: Date.now() + CONSOLE_LIMITS.appMs });
    const prefersBorder = meta["prefersBorder"];
    return {
      ...{ id, server, uri, csp, url: `/console/app/${secret}` },
      ...(typeof prefersBorder === "boolean" && { prefersBorder }),
    };
  }

  /** Gives the page to its frame, once. */
  take(secret: string): Pick<AppPage, "html" | "csp"> | undefined {
    const page = this.#pages.get(secret);
    this.#pages.delete(secret);
    return page && page.untilMs > Date.now() ? page : undefined;
  }

  /** The server of an app, if this session opened it. */
  serverOf(id: string, owner: object): string | undefined {
    const app = this.#open.get(id);
    return app?.owner === owner ? app.server : undefined;
  }
}

/** Whether an app of this server may call a tool by its name there. */
export function isForApps(
  { servers }: Pick<ConsoleSource, "servers">,
  server: string,
  name: string,
): boolean {
  const tool = listed(servers, server).find(({ ref }) => ref.name === name);
  const ui = isRecord(tool?.definition["_meta"]) ? tool.definition["_meta"]["ui"] : undefined;
  const visibility = isRecord(ui) ? ui["visibility"] : undefined;
  // By default both the model and the app may.
  return tool !== undefined && (!Array.isArray(visibility) || visibility.includes("app"));
}

/** A mounted tool by the name that clients see. */
export function toolShownAs({ servers }: ConsoleSource, shown: string): RemoteTool | undefined {
  for (const { config } of servers.fleet.endpoints()) {
    const tool = listed(servers, config.id).find(({ descriptor }) => descriptor.name === shown);
    if (tool) return tool;
  }
  return undefined;
}

function listed({ fleet }: ConsoleSource["servers"], server: string): readonly RemoteTool[] {
  return ["", ...EXTENSION_KEYS].flatMap((key) => fleet.catalogue(server, key));
}

function keep<Value>(map: Map<string, Value>, key: string, value: Value): void {
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > MAX_APPS && oldest !== undefined) map.delete(oldest);
}

function pageIn(
  result: unknown,
  uri: string,
): { readonly html: string; readonly meta: { readonly [member: string]: unknown } } {
  const contents: unknown = isRecord(result) ? result["contents"] : undefined;
  const [content] = Array.isArray(contents) ? (contents as unknown[]) : [];
  if (!isRecord(content)) throw new Error(`${uri} has no content`);
  const { text, blob, mimeType, _meta } = content;
  if (typeof mimeType !== "string" || !/^text\/html\b/i.test(mimeType))
    throw new Error(`${uri} is not an HTML page`);
  const html =
    typeof text === "string" ? text : typeof blob === "string" ? Buffer.from(blob, "base64").toString() : "";
  const ui = isRecord(_meta) ? _meta["ui"] : undefined;
  return { html, meta: isRecord(ui) ? ui : {} };
}

/**
 * The policy of an app's page: scripts and styles in the page itself, and of others only what the app declares. The page gets an
 * origin of its own, even if it is opened without our frame.
 */
export function appPolicy(declared: unknown): string {
  const of = (member: string): string =>
    (isRecord(declared) && Array.isArray(declared[member]) ? (declared[member] as unknown[]) : [])
      .flatMap((each) => (typeof each === "string" && isForeignSource(each) ? [each] : []))
      .slice(0, MAX_SOURCES)
      .join(" ");
  const [resources, connect, frames, base] = [
    of("resourceDomains"),
    of("connectDomains"),
    of("frameDomains"),
    of("baseUriDomains"),
  ];
  return [
    "default-src 'none'",
    `script-src 'unsafe-inline' ${resources}`,
    `style-src 'unsafe-inline' ${resources}`,
    `img-src data: blob: ${resources}`,
    `font-src data: ${resources}`,
    `media-src data: blob: ${resources}`,
    `connect-src ${connect || "'none'"}`,
    `frame-src ${frames || "'none'"}`,
    `base-uri ${base || "'none'"}`,
    "form-action 'none'",
    "object-src 'none'",
    "worker-src 'none'",
    "frame-ancestors 'self'",
    "sandbox allow-scripts allow-forms",
  ]
    .map((rule) => rule.trim())
    .join("; ");
}

const MAX_SOURCES = 50;
const SOURCE = /^(?:https|wss):\/\/((?:\*\.)?[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?)(?::\d{1,5})?$/i;

/** A host of somebody else, encrypted. Never this machine: other programs listen there, and so do we. */
function isForeignSource(text: string): boolean {
  const host = SOURCE.exec(text)?.[1];
  return (
    host !== undefined &&
    host.includes(".") &&
    !isLoopbackHost(host) &&
    !/(^|\.)localhost$|^[\d.]+$/i.test(host)
  );
}
