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
  "connectors",
  "passBaggage",
  "extensionMethods",
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

/** How a server is reached. An approval covers these as part of the launch. */
export const LAUNCH_MEMBERS: ReadonlySet<string> = new Set([
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
]);

/**
 * Members that may change after an approval. The name is part of the approval anyway. `type` only selects the protocol for the
 * approved program or URL; anything else that depends on the row's format is in its launch, or marked in `coveredMembers`. A row
 * that is disabled and enabled again starts what was approved. The others have no effect.
 */
const HARMLESS: ReadonlySet<string> = new Set([
  "name",
  "type",
  "enabled",
  "disabled",
  ...DESCRIPTIVE,
  ...Object.keys(FOREIGN),
]);

/** The members besides the launch that an approval covers, as written, including those that a later version adds. */
export function coveredMembers(row: RowReader): { readonly [member: string]: unknown } | undefined {
  const covered = [...row.members()].filter(({ key, value }) => {
    // A weaker level is part of the launch.
    const isOfLaunch =
      LAUNCH_MEMBERS.has(key) || (key === "pin" && (value.value === "off" || value.value === "warn"));
    return !isOfLaunch && !HARMLESS.has(key);
  });
  if (covered.length === 0) return undefined;
  return {
    ...Object.fromEntries(covered.map((member) => [member.key, row.exactValue(member)])),
    // In opencode `timeout` limits something else. No row can write this mark itself: its own `type` is left out.
    ...(row.isOpencode && row.member("timeout") && { type: "opencode" }),
  };
}

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
