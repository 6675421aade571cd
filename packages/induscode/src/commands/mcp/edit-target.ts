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

/** Which file is changed. Without a scope and a file, a new server goes to the user's file. */
export interface EditTarget {
  readonly scope?: "project" | "user";
  /** The file that `--mcp` names. */
  readonly file?: string;
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

/** The file to change. Several files cannot be meant. */
export function withTarget<Request extends object>(
  flags: ParsedFlags,
  read: (target: EditTarget) => Request | UsageProblem,
): Request | UsageProblem {
  const files = flags.list("--mcp");
  const [file] = files;
  if (files.length > 1) return { problem: "only one --mcp file can be changed at a time" };
  if (file !== undefined && /^https?:\/\//i.test(file))
    return { problem: "--mcp names the file to change here, not a URL" };
  const scope = flags.value("--scope") as EditTarget["scope"];
  return read({ ...(file === undefined ? {} : { file }), ...(scope === undefined ? {} : { scope }) });
}

/** Continues with a part of a request, unless it has a problem. */
export function withPart<Part extends object | string, Request extends object>(
  part: Part | UsageProblem,
  read: (part: Part) => Request,
): Request | UsageProblem {
  return typeof part === "object" && "problem" in part ? part : read(part);
}

/** The one name after a command. */
export function oneName(flags: ParsedFlags, command: string): string | UsageProblem {
  const [name, surplus] = [...flags.operands, ...flags.afterEnd];
  if (name === undefined || name === "") return { problem: `${command} needs a name` };
  return surplus === undefined
    ? name
    : { problem: `${command} takes one name, not also ${JSON.stringify(surplus)}` };
}

/** One row, and the files that may have it. */
export interface NameRequest {
  readonly target: EditTarget;
  readonly name: string;
}

export function readName(flags: ParsedFlags, command: string): NameRequest | UsageProblem {
  return withTarget(flags, (target) => withPart(oneName(flags, command), (name) => ({ target, name })));
}

/** A row in one of the files. */
export interface PlacedRow extends ConfigPlace {
  readonly written: WrittenRow;
}

/** The file that a new row goes to: the one that is named, or the user's. Undefined, and reported, without a home. */
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

/** The rows of the files that a command may change. A malformed file is reported and left out. */
export function rowsOf(run: Run, target: EditTarget): readonly PlacedRow[] {
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

/** The one row with this name. Undefined, and reported with the way out, if there is none or if several files have it. */
export async function targetRow(run: Run, name: string, target: EditTarget): Promise<PlacedRow | undefined> {
  const rows = rowsOf(run, target);
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
