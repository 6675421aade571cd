import type { ConfigEdit, PlainRow } from "indusagi/config";
import { isRecord } from "indusagi/core";
import type { Run } from "../../boot/internal.ts";
import { type CommandSpec, orOfCluster, type ParsedFlags, type UsageProblem } from "../../launch/internal.ts";
import { changeRow } from "./change-row.ts";
import {
  environmentOf,
  type NamedValues,
  type NameRequest,
  TARGET_FLAGS,
  targetRow,
  withPart,
  withTarget,
} from "./edit-target.ts";

interface EnvRequest extends NameRequest, NamedValues {
  /** The variables to remove. */
  readonly unset: readonly string[];
}

export const MCP_ENV: CommandSpec<EnvRequest> = {
  name: "mcp env",
  group: "everyday",
  operands: "SERVER [NAME[=VALUE] …]",
  summary:
    "Set variables in the env of a server's row. Without =VALUE the row refers to your variable NAME. An approved row stays approved.",
  onClusterState: true,
  flags: orOfCluster([
    {
      name: "--unset",
      aliases: [],
      kind: "string",
      value: "NAME",
      repeats: true,
      describe: "Remove this variable.",
    },
    ...TARGET_FLAGS,
  ]),
  examples: ["indus mcp env files API_KEY", "indus mcp env files LOG_LEVEL=debug --unset API_KEY"],
  read: (flags) =>
    withTarget(flags, (target) => withPart(readChanges(flags), (changes) => ({ target, ...changes }))),
};

function readChanges(flags: ParsedFlags): Omit<EnvRequest, "target"> | UsageProblem {
  const [name, ...given] = [...flags.operands, ...flags.afterEnd];
  const unset = flags.list("--unset");
  if (name === undefined || (given.length === 0 && unset.length === 0))
    return { problem: "mcp env needs a server, and NAME=VALUE, NAME or --unset NAME" };
  const set = environmentOf(given, "mcp env");
  if ("problem" in set) return set;
  const both = unset.find((each) => Object.hasOwn(set.values, each));
  if (both !== undefined) return { problem: `mcp env cannot both set and remove ${JSON.stringify(both)}` };
  return { name, unset, values: set.values };
}

/** `indus mcp env`: sets and removes variables of a row. Their values are not shown. */
export async function changeEnv(run: Run, { name, target, values, unset }: EnvRequest): Promise<number> {
  const found = await targetRow(run, name, target);
  if (!found) return 1;
  const { row } = found.written;
  if (row["command"] === undefined) {
    run.report(
      `server ${JSON.stringify(name)} is not started by a command, so it has no environment; its "headers" are in ${found.file}`,
    );
    return 1;
  }
  // Rows in the form of opencode have the other name.
  const member = row["env"] === undefined && row["environment"] !== undefined ? "environment" : "env";
  const present = objectOf(row[member]);
  const missing = unset.find((each) => !Object.hasOwn(present, each));
  if (missing !== undefined) {
    const names = Object.keys(present).join(", ") || "no variable";
    run.report(
      `the row of server ${JSON.stringify(name)} does not set ${JSON.stringify(missing)}; it sets ${names}`,
    );
    return 1;
  }
  const set = Object.keys(values);
  const done = [
    ...(set.length > 0 ? [`has ${set.join(", ")} in its ${member}`] : []),
    ...(unset.length > 0 ? [`has no ${unset.join(", ")} in it`] : []),
  ];
  return changeRow(run, found, {
    edits: editsOf(member, { present, values, unset }),
    done: `server ${JSON.stringify(name)} ${done.join(" and ")}`,
  });
}

interface EnvChange extends NamedValues {
  readonly present: PlainRow;
  readonly unset: readonly string[];
}

/** Leaves no empty object. */
function editsOf(member: string, { present, values, unset }: EnvChange): ConfigEdit[] {
  const set = Object.entries(values).map(([name, value]): ConfigEdit => ({ path: [member, name], value }));
  const isEmpty = set.length === 0 && Object.keys(present).every((name) => unset.includes(name));
  if (isEmpty) return [{ path: [member] }];
  return [...set, ...unset.map((name): ConfigEdit => ({ path: [member, name] }))];
}

function objectOf(value: unknown): PlainRow {
  return isRecord(value) ? value : {};
}
