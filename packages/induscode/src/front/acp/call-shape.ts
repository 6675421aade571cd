import { isAbsolute, resolve } from "node:path";
import type { ToolCallContent, ToolCallLocation, ToolKind } from "@agentclientprotocol/sdk";

/** How an editor shows a call. */
export interface CallShape {
  readonly title: string;
  readonly kind: ToolKind;
  readonly locations: ToolCallLocation[];
  /** The change to a file, for a call that makes one. */
  readonly content: ToolCallContent[];
}

type Members = { readonly [name: string]: unknown };

const KINDS: { readonly [tool: string]: ToolKind } = {
  read: "read",
  ls: "read",
  todo_read: "read",
  grep: "search",
  find: "search",
  websearch: "fetch",
  webfetch: "fetch",
  write: "edit",
  edit: "edit",
  bash: "execute",
  process: "execute",
  "bg-process": "execute",
  todo: "think",
  todo_set: "think",
  task: "think",
  enter_plan_mode: "switch_mode",
  exit_plan_mode: "switch_mode",
};

const MAX_TITLE_CHARS = 200;
/** The old content of a larger file is not sent. */
const MAX_OLD_BYTES = 1_000_000;

/** `cwd`: the folder of relative paths. */
export function callShape(name: string, input: unknown, cwd: string): CallShape {
  const members = (typeof input === "object" && input !== null ? input : {}) as Members;
  const { path, command, pattern, query, url, objective } = members;
  const subject = [command, path, pattern, query, url, objective].find((each) => typeof each === "string");
  const title = subject === undefined ? name : `${name}: ${subject}`;
  return {
    title: title.replaceAll(/\s+/g, " ").slice(0, MAX_TITLE_CHARS),
    kind: KINDS[name] ?? "other",
    locations: typeof path === "string" ? [{ path: absolute(path, cwd) }] : [],
    content: changeOf(name, members, cwd),
  };
}

function changeOf(name: string, members: Members, cwd: string): ToolCallContent[] {
  const { path, oldText, newText, content } = members;
  if (typeof path !== "string") return [];
  const file = absolute(path, cwd);
  if (name === "edit" && typeof oldText === "string" && typeof newText === "string")
    return [{ type: "diff", path: file, oldText, newText }];
  if (name === "write" && typeof content === "string")
    return [{ type: "diff", path: file, oldText: oldContent(file), newText: content }];
  return [];
}

/** The current text of a file. Null if it does not exist or cannot be shown. */
function oldContent(file: string): string | null {
  const { readFileSync, statSync } = process.getBuiltinModule("node:fs");
  try {
    const found = statSync(file);
    return found.isFile() && found.size <= MAX_OLD_BYTES ? readFileSync(file, "utf8") : null;
  } catch {
    return null;
  }
}

function absolute(path: string, cwd: string): string {
  return isAbsolute(path) ? path : resolve(cwd, path);
}
