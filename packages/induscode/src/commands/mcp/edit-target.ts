import { resolve } from "node:path";
import {
  type ConfigPlace,
  configPlaces,
  projectConfigPath,
  readConfigText,
  readConfigValue,
  userConfigPath,
  type WrittenRow,
  writtenRows,
} from "indusagi/config";
import type { Run } from "../../boot/internal.ts";
import { CWD, type Flag, type ParsedFlags, type UsageProblem } from "../../launch/internal.ts";
import { suggestion } from "../../screen/index.ts";

/** The file to change. Without a scope or a file, a new server goes to the user's file. */
export interface EditTarget {
  readonly scope?: "project" | "user" | undefined;
  /** The file that `--mcp` names. */
  readonly file?: string | undefined;
}

export const TARGET_FLAGS: readonly Flag[] = [
  {
    name: "--scope",
    aliases: [],
    kind: "string",
    value: "SCOPE",
    choices: ["project", "user"],
    describe: "The file to change: project (.indusvx/mcp.json) or user.",
    excludes: ["--mcp"],
  },
  {
    name: "--mcp",
    aliases: [],
    kind: "string",
    value: "FILE",
    describe: "Change this file instead.",
  },
  CWD,
];

export const DRY_RUN: Flag = {
  name: "--dry-run",
  aliases: [],
  kind: "boolean",
  describe: "Show the change without writing it.",
};

/** Reads the file to change; only one `--mcp` is allowed. */
export function withTarget<Request extends object>(
  flags: ParsedFlags,
  read: (target: EditTarget) => Request | UsageProblem,
): Request | UsageProblem {
  const files = flags.list("--mcp");
  const [file] = files;
  if (files.length > 1) return { problem: "only one --mcp file can be changed at a time" };
  if (file !== undefined && /^https?:\/\//i.test(file))
    return { problem: "--mcp takes the file to change here, not a URL" };
  const scope = flags.value("--scope") as EditTarget["scope"];
  return read({ file, scope });
}

/** Continues with a part of a request, or returns its problem. */
export function withPart<Part extends object | string, Request extends object>(
  part: Part | UsageProblem,
  read: (part: Part) => Request,
): Request | UsageProblem {
  return typeof part === "object" && "problem" in part ? part : read(part);
}

/** Reads the single name after a command. */
export function oneName(flags: ParsedFlags, command: string): string | UsageProblem {
  const [name, surplus] = [...flags.operands, ...flags.afterEnd];
  if (name === undefined || name === "") return { problem: `${command} needs a name` };
  return surplus === undefined
    ? name
    : { problem: `${command} takes one name, not also ${JSON.stringify(surplus)}` };
}

export interface NamedValues {
  readonly values: { readonly [name: string]: string };
}

/** Reads variables for a row: `NAME=VALUE`, or `NAME` for a reference. A problem does not repeat them: they may be secrets. */
export function environmentOf(given: readonly string[], taker: string): NamedValues | UsageProblem {
  const entries: [string, string][] = [];
  for (const text of given) {
    const [, name, , value] = /^([^=]+)(=([\s\S]*))?$/.exec(text) ?? [];
    if (name === undefined)
      return { problem: `${taker} takes NAME=VALUE, or NAME to refer to your variable` };
    entries.push([name, value ?? `\${${name}}`]);
  }
  return { values: Object.fromEntries(entries) };
}

/** A row's name, and the file to change. */
export interface NameRequest {
  readonly target: EditTarget;
  readonly name: string;
}

export function readName(flags: ParsedFlags, command: string): NameRequest | UsageProblem {
  return withTarget(flags, (target) => withPart(oneName(flags, command), (name) => ({ target, name })));
}

export interface PlacedRow extends ConfigPlace {
  readonly written: WrittenRow;
}

/** The file for a new row: the one named, or the user's. Without a home folder, reports that and returns undefined. */
export function targetFile(
  { cwd, env, report }: Run,
  { file, scope = "user" }: EditTarget,
): ConfigPlace | undefined {
  const project = projectConfigPath({ cwd, env });
  if (file !== undefined) {
    const named = resolve(file);
    return { scope: named === project ? "project" : "explicit", file: named };
  }
  if (scope === "project") return { scope, file: project };
  const user = userConfigPath({ env });
  if (user === undefined) report("there is no home folder for the user's file; use --scope project");
  return user === undefined ? undefined : { scope, file: user };
}

/** The rows of all files that a command may change. A malformed file is reported and skipped. */
export function editableRows(run: Run, target: EditTarget): readonly PlacedRow[] {
  const { cwd, env, report } = run;
  const isNamed = target.file !== undefined || target.scope !== undefined;
  const named = isNamed ? targetFile(run, target) : undefined;
  const places = isNamed ? (named ? [named] : []) : configPlaces({ cwd, env });
  return places.flatMap((place) => {
    const reading = readConfigText(place.file);
    if ("problem" in reading) {
      if (!reading.isAbsent || target.file !== undefined) report(`${place.file} ${reading.problem}`);
      return [];
    }
    const value = readConfigValue(reading.text);
    if ("problem" in value && !value.isBlank)
      report(`${place.file}:${value.line}: the file ${value.problem}`);
    return writtenRows(reading.text).map((written) => ({ ...place, written }));
  });
}

/** The row with this name. If none or several files have it, reports the problem and returns undefined. */
export async function targetRow(run: Run, name: string, target: EditTarget): Promise<PlacedRow | undefined> {
  const rows = editableRows(run, target);
  const found = rows.filter(({ written }) => written.name === name);
  if (found.length === 1) return found[0];
  if (found.length === 0) {
    const names = [...new Set(rows.map(({ written }) => written.name))];
    const known = names.length === 0 ? "there are none" : `the servers are ${names.join(", ")}`;
    run.report(`there is no server named ${JSON.stringify(name)}; ${await suggestion(name, names, known)}`);
    return undefined;
  }
  const files = found.map(({ file }) => file).join(" and ");
  run.report(`server ${JSON.stringify(name)} is in ${files}; choose one with --scope or --mcp`);
  return undefined;
}
