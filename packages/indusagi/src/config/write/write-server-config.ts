import { lstatSync, mkdirSync, realpathSync, type Stats } from "node:fs";
import { dirname } from "node:path";
import { replaceFileSync } from "../../core/files/index.ts";
import { describeError, errorCode } from "../../core/index.ts";
import { MAX_CONFIG_BYTES } from "../budget.ts";
import { ConfigError } from "../config-error.ts";
import { type JsonNode, membersOf, readJsonTree } from "../parse/json-tree.ts";
import { readConfigText } from "../places/read-config-text.ts";
import { quoted } from "../report.ts";
import { createLineIndex } from "../text-positions.ts";
import { editConfigText, type NamedEntry, newConfigText } from "./edit-config-text.ts";
import type { ServerConfigFile } from "./server-entry.ts";

/** Only the owner may read a new file: it may hold tokens. */
const NEW_FILE_MODE = 0o600;

export interface WriteConfigOptions {
  /** Write over a file that is no valid configuration. Default false: it is refused, because its content would be lost. */
  readonly overwriteMalformed?: boolean;
}

/**
 * Saves a configuration as a whole, atomically, making its folder when needed. Of a file that is there, mode, comments,
 * shape and other members stay as far as they can; a link is written through. A refused save is a `ConfigError` and
 * leaves everything as it was.
 */
export function writeServerConfig(
  path: string,
  config: ServerConfigFile,
  options: WriteConfigOptions = {},
): void {
  const entries = namedEntries(path, config);
  const asList = Array.isArray(config.servers);
  try {
    const target = targetOf(path);
    const before = target.existing ? textBefore(target.path, options) : undefined;
    const text = before ? editConfigText(before.text, before.root, entries) : newConfigText(entries, asList);
    if (Buffer.byteLength(text) > MAX_CONFIG_BYTES)
      throw new ConfigError("invalid", path, `${quoted(path)} would be too large to be read again`);
    mkdirSync(dirname(target.path), { recursive: true });
    replaceFileSync({ ...target, content: Buffer.from(text), mode: NEW_FILE_MODE });
  } catch (thrown) {
    if (thrown instanceof ConfigError) throw thrown;
    const why = errorCode(thrown) ?? describeError(thrown);
    throw new ConfigError("unwritable", path, `${quoted(path)} cannot be saved (${why})`, { cause: thrown });
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

/** Without what is undefined, as a file has it. */
function jsonOf(path: string, name: string, entry: object): NamedEntry["entry"] {
  try {
    const { name: _, ...row } = JSON.parse(JSON.stringify(entry)) as { readonly [member: string]: unknown };
    return row;
  } catch (cause) {
    throw new ConfigError("invalid", path, `server ${quoted(name)} cannot be written as JSON`, { cause });
  }
}

/** Where writing goes: through links, and only to a regular file or a free name. */
function targetOf(path: string): { readonly path: string; readonly existing?: Stats } {
  try {
    const real = realpathSync(path);
    const existing = lstatSync(real);
    if (existing.isFile()) return { path: real, existing };
  } catch (thrown) {
    if (errorCode(thrown) !== "ENOENT") throw thrown;
    if (!isLink(path)) return { path };
    throw new ConfigError("unwritable", path, `${quoted(path)} is a link that leads nowhere; remove it`, {
      cause: thrown,
    });
  }
  throw new ConfigError("unwritable", path, `${quoted(path)} is no regular file; name one`);
}

function isLink(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink();
  } catch {
    return false;
  }
}

/** An editor's settings, with rows in `mcp.servers`, are read but never written: they are not ours. */
function ownFile(path: string, root: JsonNode): JsonNode {
  const isForeign = membersOf(root).some(
    ({ key, value }) => key === "mcp" && membersOf(value).some((member) => member.key === "servers"),
  );
  if (isForeign)
    throw new ConfigError(
      "invalid",
      path,
      `${quoted(path)} holds an editor's settings; save to another file`,
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
    return { text: read.text, root: ownFile(path, reading.root) };
  if (overwriteMalformed || (reading && "isBlank" in reading && reading.isBlank)) return undefined;
  const why =
    "problem" in read ? read.problem : reading && "problem" in reading ? reading.problem : "holds no object";
  const line =
    "text" in read && reading && "problem" in reading
      ? ` (line ${createLineIndex(read.text)(reading.offset).line})`
      : "";
  throw new ConfigError("malformed", path, `${quoted(path)} ${why}${line}; mend or remove it before saving`);
}
