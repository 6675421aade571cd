import { quoted } from "../report.ts";
import type { JsonMember } from "./json-tree.ts";
import type { RowReader } from "./row-reader.ts";

/** Every member of a row that has an effect. */
export const ROW_MEMBERS: ReadonlySet<string> = new Set([
  "name",
  "type",
  "command",
  "args",
  "env",
  "environment",
  "envFile",
  "cwd",
  "url",
  "serverUrl",
  "httpUrl",
  "headers",
  "oauth",
  "timeout",
  "timeouts",
  "enabled",
  "disabled",
  "includeTools",
  "excludeTools",
  "disabledTools",
  "toolOverrides",
  "required",
  "share",
  "pin",
  "lazy",
  "idleMs",
]);

/** Members that other clients use and we do not, with what to do instead. */
const FOREIGN: { readonly [member: string]: string } = {
  alwaysAllow: "set permissions in this program, not in a server's row",
  autoApprove: "set permissions in this program, not in a server's row",
  pending: "approvals are kept outside of this file",
  trust: "set permissions in this program, not in a server's row",
  tools: 'list tools in "includeTools" or "excludeTools"',
  headersHelper: 'no program is run to create headers; write them in "headers"',
};

/** Members that only describe and cause no warning. */
const DESCRIPTIVE = new Set([
  "description",
  "$comment",
  "note",
  "source",
  "gallery",
  "version",
  "icon",
  "title",
]);

/** Warns about members of a row that have no effect. */
export function warnUnknownMembers(row: RowReader, members: Iterable<JsonMember>): void {
  for (const { key, offset } of members) {
    if (ROW_MEMBERS.has(key) || DESCRIPTIVE.has(key)) continue;
    const advice = Object.hasOwn(FOREIGN, key) ? FOREIGN[key] : undefined;
    row.warn(
      { offset, path: [...row.path, key] },
      `${quoted(key)} has no effect here; ${advice ?? "remove it or check its spelling"}`,
    );
  }
}
