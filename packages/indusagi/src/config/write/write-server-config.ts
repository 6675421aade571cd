import { ConfigError } from "../contract.ts";
import { type JsonNode, membersOf, readJsonTree } from "../parse/json-tree.ts";
import { readConfigText } from "../places/read-config-text.ts";
import { createLineIndex, quoted } from "../report.ts";
import { configTarget, saveConfigText, saveError } from "./edit-config-file.ts";
import { editConfigText, type NamedEntry, newConfigText } from "./edit-config-text.ts";
import type { ServerConfigFile } from "./server-entry.ts";

export interface WriteConfigOptions {
  /** Overwrite a file that is not a valid configuration. Default false: refused, because its content would be lost. */
  readonly overwriteMalformed?: boolean;
}

/**
 * Saves a configuration atomically and creates its folder if needed. Mode, comments, shape and other members of an
 * existing file are kept as far as possible; a link is followed. Throws a `ConfigError` if the save is refused; then
 * nothing has changed.
 */
export function writeServerConfig(
  path: string,
  config: ServerConfigFile,
  options: WriteConfigOptions = {},
): void {
  const entries = namedEntries(path, config);
  const asList = Array.isArray(config.servers);
  try {
    const target = configTarget(path);
    const before = target.existing ? textBefore(target.path, options) : undefined;
    const text = before ? editConfigText(before.text, before.root, entries) : newConfigText(entries, asList);
    saveConfigText(target, text);
  } catch (thrown) {
    throw saveError(path, thrown);
  }
}

function namedEntries(path: string, { servers }: ServerConfigFile): NamedEntry[] {
  const rows = Array.isArray(servers)
    ? servers.map((entry) => [entry.name, entry] as const)
    : Object.entries(servers as { readonly [name: string]: object });
  return rows.map(([name, entry]) => {
    if (typeof name !== "string" || name.trim() === "")
      throw new ConfigError("invalid", path, `a row without a name cannot be saved to ${quoted(path)}`);
    return { name, entry: jsonOf(path, name, entry) };
  });
}

/** The entry as JSON, without undefined members and without the mark of a row that waits for approval. */
function jsonOf(path: string, name: string, entry: object): NamedEntry["entry"] {
  try {
    const {
      name: _,
      pending: _mark,
      ...row
    } = JSON.parse(JSON.stringify(entry)) as { readonly [member: string]: unknown };
    return row;
  } catch (cause) {
    throw new ConfigError("invalid", path, `server ${quoted(name)} cannot be written as JSON`, { cause });
  }
}

/** An editor's settings, with rows in `mcp.servers`, are read but never written: they are not ours. */
function refuseEditorSettings(path: string, root: JsonNode): JsonNode {
  const isForeign = membersOf(root).some(
    ({ key, value }) => key === "mcp" && membersOf(value).some((member) => member.key === "servers"),
  );
  if (isForeign)
    throw new ConfigError(
      "invalid",
      path,
      `${quoted(path)} contains an editor's settings; save to another file`,
    );
  return root;
}

function textBefore(
  path: string,
  { overwriteMalformed }: WriteConfigOptions,
): { readonly text: string; readonly root: JsonNode } | undefined {
  const read = readConfigText(path);
  const reading = "text" in read ? readJsonTree(read.text) : undefined;
  if ("text" in read && reading && "root" in reading && reading.root.type === "object")
    return { text: read.text, root: refuseEditorSettings(path, reading.root) };
  if (overwriteMalformed || (reading && "isBlank" in reading && reading.isBlank)) return undefined;
  const why =
    "problem" in read
      ? read.problem
      : reading && "problem" in reading
        ? reading.problem
        : "does not contain an object";
  const line =
    "text" in read && reading && "problem" in reading
      ? ` (line ${createLineIndex(read.text)(reading.offset).line})`
      : "";
  throw new ConfigError("malformed", path, `${quoted(path)} ${why}${line}; fix or remove it before saving`);
}
