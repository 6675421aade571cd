import { definedMembers, MAX_TIMER_MS } from "../../core/internal.ts";
import {
  CALL_TOTAL_MS,
  type ConnectionSharing,
  type PinLevel,
  type ServerTimeouts,
  type ToolOverride,
} from "../../interop/contract/index.ts";
import { quoted } from "../report.ts";
import type { JsonMember } from "./json-tree.ts";
import type { RowReader } from "./row-reader.ts";

/** The members of a row that do not describe how the server is reached. */
export interface RowOptions {
  readonly timeouts?: ServerTimeouts;
  readonly share?: ConnectionSharing;
  readonly enabled?: false;
  readonly required?: true;
  readonly includeTools?: readonly string[];
  readonly excludeTools?: readonly string[];
  readonly toolOverrides?: { readonly [tool: string]: ToolOverride };
  readonly pin?: PinLevel;
  readonly lazy?: boolean;
  readonly idleMs?: number;
  readonly connectors?: true;
  readonly passBaggage?: true;
  readonly extensionMethods?: readonly string[];
}

/** Whether a row is disabled. A value that is neither true nor false refuses the row: no server is started on a guess. */
export function isDisabled(row: RowReader): boolean {
  const enabled = flag(row, row.member("enabled"));
  const disabled = flag(row, row.member("disabled"));
  return enabled === false || disabled === true;
}

/** Whether a row, even an invalid one, is required and not disabled. Reports nothing. */
export function isRequiredRow(row: RowReader): boolean {
  const given = (name: string): unknown => row.member(name)?.value.value;
  const isOff = String(given("enabled")) === "false" || String(given("disabled")) === "true";
  return given("required") === true && !isOff;
}

export function rowOptions(row: RowReader): RowOptions {
  // Problems are reported in this order.
  const timeouts = timeoutsOf(row);
  const share = oneOf(row, "share", SHARING);
  const pin = oneOf(row, "pin", PIN_LEVELS);
  const includeTools = row.texts(row.member("includeTools"))?.map(({ text }) => text);
  const excludeTools = row.texts(row.member("excludeTools", "disabledTools"))?.map(({ text }) => text);
  const required = trueOrFalse(row, row.member("required")) ? (true as const) : undefined;
  const toolOverrides = toolOverridesOf(row);
  const lazy = trueOrFalse(row, row.member("lazy"));
  const idle = row.member("idleMs");
  const idleMs = idle && duration(row, idle, row.path);
  const connectors = trueOrFalse(row, row.member("connectors")) ? (true as const) : undefined;
  const passBaggage = trueOrFalse(row, row.member("passBaggage")) ? (true as const) : undefined;
  const extensionMethods = row.texts(row.member("extensionMethods"))?.map(({ text }) => text);
  const tools = { includeTools, excludeTools, toolOverrides };
  const passed = { passBaggage, extensionMethods };
  return definedMembers({ timeouts, share, required, ...tools, pin, lazy, idleMs, connectors, ...passed });
}

/** The names and descriptions of tools in `toolOverrides`. Unusable ones are reported and skipped. */
function toolOverridesOf(row: RowReader): { readonly [tool: string]: ToolOverride } | undefined {
  const member = row.member("toolOverrides");
  if (!member) return undefined;
  if (member.value.type !== "object") {
    row.warn(
      row.spotOf(member),
      '"toolOverrides" is not an object and is ignored; write { "tool": { "name": "shown" } }',
    );
    return undefined;
  }
  const tools = [...row.membersIn(member.value, [...row.path, "toolOverrides"])];
  return Object.fromEntries(tools.map((tool) => [tool.key, overrideOf(row, tool)]));
}

const OVERRIDE_MEMBERS = ["name", "description"] as const;

function overrideOf(row: RowReader, tool: JsonMember): ToolOverride {
  const path = [...row.path, "toolOverrides", tool.key];
  if (tool.value.type !== "object") {
    row.warn(
      { offset: tool.offset, path },
      `the override of tool ${quoted(tool.key)} is ignored; write { "name": "…", "description": "…" }`,
    );
    return {};
  }
  const usable = [...row.membersIn(tool.value, path)].flatMap(({ key, offset, value }) => {
    const text: unknown = value.value;
    if (OVERRIDE_MEMBERS.some((name) => name === key) && typeof text === "string" && text.trim() !== "")
      return [[key, text] as const];
    const known = `use ${OVERRIDE_MEMBERS.map(quoted).join(" and ")} with texts`;
    row.warn(
      { offset, path: [...path, key] },
      `${quoted(key)} of tool ${quoted(tool.key)} is ignored; ${known}`,
    );
    return [];
  });
  return Object.fromEntries(usable);
}

function flag(row: RowReader, member: JsonMember | undefined): boolean | undefined {
  if (!member) return undefined;
  const value: unknown = member.value.value;
  if (value === true || value === "true") return true;
  if (value === false || value === "false") return false;
  row.refuse(row.spotOf(member), `${quoted(member.key)} is neither true nor false; write one of them`);
  return undefined;
}

/** Warns and returns undefined if the value is neither. */
function trueOrFalse(row: RowReader, member: JsonMember | undefined): boolean | undefined {
  const value: unknown = member?.value.value;
  if (!member || typeof value === "boolean") return value as boolean | undefined;
  row.warn(
    row.spotOf(member),
    `${quoted(member.key)} is neither true nor false and is ignored; write one of them`,
  );
  return undefined;
}

const SHARING: readonly ConnectionSharing[] = ["fleet", "user", "principal", "session"];

const PIN_LEVELS: readonly PinLevel[] = ["off", "warn", "hold", "quarantine"];

/** An unknown value refuses the row: a guess could give one user's connection to another, or switch a check off. */
function oneOf<Value extends string>(
  row: RowReader,
  name: string,
  values: readonly Value[],
): Value | undefined {
  const member = row.member(name);
  if (!member) return undefined;
  const known = values.find((value) => value === member.value.value);
  if (known === undefined)
    row.refuse(row.spotOf(member), `${quoted(name)} must be one of ${values.join(", ")}`);
  return known;
}

const TIMEOUTS = ["connectMs", "listMs", "callMs", "totalMs"] as const;

/** `timeout` is the time for a call, in milliseconds; `timeouts` names each time and overrides it. */
function timeoutsOf(row: RowReader): ServerTimeouts | undefined {
  const found = new Map<string, number>();
  const single = row.member("timeout");
  const callMs = single && duration(row, single, row.path);
  // In opencode `timeout` is the time for listing the tools.
  if (callMs !== undefined && row.isOpencode) found.set("listMs", callMs);
  else if (callMs !== undefined) {
    found.set("callMs", callMs);
    // Otherwise the limit for the whole call would be shorter than the row asks for.
    if (callMs > CALL_TOTAL_MS) found.set("totalMs", callMs);
  }
  const each = row.member("timeouts");
  if (each && each.value.type !== "object")
    row.warn(row.spotOf(each), '"timeouts" is not an object and is ignored; write { "callMs": 60000 }');
  const path = [...row.path, "timeouts"];
  for (const member of each?.value.type === "object" ? row.membersIn(each.value, path) : []) {
    const known = TIMEOUTS.some((name) => name === member.key);
    const wait = known ? duration(row, member, path) : undefined;
    if (wait !== undefined) found.set(member.key, wait);
    if (!known)
      row.warn(
        { offset: member.offset, path: [...path, member.key] },
        `${quoted(member.key)} is ignored; use one of ${TIMEOUTS.join(", ")}`,
      );
  }
  return found.size === 0 ? undefined : Object.fromEntries(found);
}

function duration(
  row: RowReader,
  { key, offset, value: { value } }: JsonMember,
  path: RowReader["path"],
): number | undefined {
  const spot = { offset, path: [...path, key] };
  if (typeof value !== "number" || !(value > 0) || value > MAX_TIMER_MS) {
    row.warn(spot, `${quoted(key)} is not a valid time and is ignored; write milliseconds, as in 60000`);
    return undefined;
  }
  if (value < 1000)
    row.warn(spot, `${quoted(key)} is ${value} ms; times are in milliseconds, a minute is 60000`);
  return value;
}
