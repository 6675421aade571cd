import { isAbsolute, resolve } from "node:path";
import type { Environment } from "../../core/index.ts";
import { definedMembers } from "../../core/internal.ts";
import type { LaunchAsWritten } from "../contract.ts";
import { quoted } from "../report.ts";
import {
  type Check,
  checkArgument,
  checkCommand,
  checkEnvName,
  checkEnvValue,
  checkHeaderName,
  checkHeaderValue,
  checkUrl,
} from "./check-launch.ts";
import { commandNode, type JsonMember, membersOf } from "./json-tree.ts";
import type { RowReader, WrittenText } from "./row-reader.ts";
import type { VariableValue } from "./variables/expand-variables.ts";

/** How a row's server is reached, with variables expanded, and the same as written. */
export interface RowLaunch<Reached> {
  readonly reached: Reached;
  readonly written: LaunchAsWritten;
}

export interface StdioLaunch {
  readonly command: string;
  readonly args?: readonly string[];
  readonly env?: { readonly [name: string]: string };
  readonly cwd?: string;
  readonly fromCommand?: Commands;
}

/** Commands by the name of their variable or header. */
type Commands = { readonly [name: string]: readonly string[] };

export interface HttpLaunch {
  readonly url: string;
  readonly headers?: { readonly [name: string]: string };
  readonly fromCommand?: Commands;
}

/** The program, and the arguments of a command that is written as a list. */
export type WrittenCommand = readonly [program: WrittenText, ...args: WrittenText[]];

export interface LaunchOptions {
  /** Absent for a server that is not started: its strings stay as written. */
  readonly lookup?: ((name: string) => VariableValue) | undefined;
  /** Variables of the row's own `envFile`; its `env` overrides them. */
  readonly envFile?: Environment | undefined;
  /** The base of a relative `cwd`. */
  readonly baseDir?: string | undefined;
}

export function readStdioLaunch(
  row: RowReader,
  [command, ...listed]: WrittenCommand,
  options: LaunchOptions,
): RowLaunch<StdioLaunch> {
  const named = row.texts(row.member("args"));
  const args = named || listed.length > 0 ? [...listed, ...(named ?? [])] : undefined;
  const envMember = row.member("env", "environment");
  const env = row.textMap(envMember);
  const commands = commandsOf(row, envMember, { ...options, check: checkEnvName });
  const cwd = row.text(row.member("cwd"));
  const program = expandChecked(row, command, { ...options, check: checkCommand });
  if (!args && /^[^\s/\\]+\s+\S/.test(program))
    row.warn(
      command.spot,
      'the command contains spaces but is the name of one program; put arguments into "args"',
    );
  const folder = cwd && expandChecked(row, cwd, { ...options, check: checkArgument });
  const names = env && checkedMap(row, env, { ...options, checkName: checkEnvName, check: checkEnvValue });
  const childEnv = names || options.envFile ? { ...options.envFile, ...names } : undefined;
  return {
    reached: definedMembers({
      command: program,
      args: args?.map((arg) => expandChecked(row, arg, { ...options, check: checkArgument })),
      env: childEnv && setVariables(childEnv),
      cwd: folder === undefined ? undefined : absoluteFolder(folder, options.baseDir),
      fromCommand: commands?.reached,
    }),
    written: definedMembers({
      command: command.text,
      args: args?.map(({ text }) => text),
      env: env && textsOf(env),
      cwd: cwd?.text,
      fromCommand: commands?.written,
    }),
  };
}

export function readHttpLaunch(
  row: RowReader,
  url: WrittenText,
  options: LaunchOptions,
): RowLaunch<HttpLaunch> {
  const headersMember = row.member("headers");
  const headers = row.textMap(headersMember);
  const commands = commandsOf(row, headersMember, { ...options, check: checkHeaderName });
  const headerChecks = { ...options, checkName: checkHeaderName, check: checkHeaderValue };
  return {
    reached: definedMembers({
      url: expandChecked(row, url, { ...options, check: checkUrl }),
      headers: headers && checkedMap(row, headers, headerChecks),
      fromCommand: commands?.reached,
    }),
    written: definedMembers({
      url: url.text,
      headers: headers && textsOf(headers),
      fromCommand: commands?.written,
    }),
  };
}

interface Checks extends LaunchOptions {
  readonly check: Check;
}

interface CommandsBothWays {
  readonly reached: Commands;
  readonly written: Commands;
}

/** The values of a map that commands write. `check` is for their names. */
function commandsOf(
  row: RowReader,
  member: JsonMember | undefined,
  { check: checkName, ...options }: Checks,
): CommandsBothWays | undefined {
  const found = [...commandMembers(row, member)];
  if (found.length === 0) return undefined;
  const reached = found.map(([name, words]) => {
    const [program, ...args] = words.map((word, index) =>
      expandChecked(row, word, { ...options, check: index === 0 ? checkCommand : checkArgument }),
    );
    const problem = checkName(name);
    if (problem && words[0]) row.refuse(words[0].spot, `${words[0].label} ${problem}`);
    return [name, [program ?? "", ...args]] as const;
  });
  const written = found.map(([name, words]) => [name, words.map(({ text }) => text)] as const);
  return { reached: Object.fromEntries(reached), written: Object.fromEntries(written) };
}

/** The commands among the values of `env` or `headers`, by name. A command that is not a list of strings refuses the row. */
function commandMembers(
  row: RowReader,
  member: JsonMember | undefined,
): ReadonlyMap<string, readonly WrittenText[]> {
  const found = new Map<string, readonly WrittenText[]>();
  if (member?.value.type !== "object") return found;
  const last = new Map(membersOf(member.value).map((each) => [each.key, each]));
  for (const { key, offset, value } of last.values()) {
    const list = commandNode(value);
    if (!list) continue;
    const spot = { offset, path: [...row.path, member.key, key] };
    const label = `"fromCommand" of ${member.key} ${quoted(key)}`;
    const words = list.type === "array" ? (list.children ?? []) : [];
    if (words.length === 0 || words.some(({ type }) => type !== "string"))
      row.refuse(spot, `${label} is not a list of strings; write ["program", "argument"]`);
    else if (membersOf(value).length > 1)
      row.refuse(spot, `${label} must be the only member; remove the others`);
    else
      found.set(
        key,
        words.map((word) => ({ text: String(word.value), spot, label })),
      );
  }
  return found;
}

/** Checks the expanded value: values of variables need the same checks as the file. */
export function expandChecked(row: RowReader, written: WrittenText, { lookup, check }: Checks): string {
  const value = lookup ? row.expand(written, lookup) : written.text;
  if (value === undefined) return "";
  const isOpen = !lookup && (value.includes("${") || (row.isOpencode && value.includes("{env:")));
  const problem = isOpen ? undefined : check(value);
  if (problem) row.refuse(written.spot, `${written.label} ${problem}`);
  return value;
}

function checkedMap(
  row: RowReader,
  written: ReadonlyMap<string, WrittenText>,
  checks: Checks & { readonly checkName: Check },
): { readonly [name: string]: string } {
  const entries = [...written].map(([name, text]) => {
    const problem = checks.checkName(name);
    if (problem) row.refuse(text.spot, `${text.label} ${problem}`);
    return [name, expandChecked(row, text, checks)] as const;
  });
  return Object.fromEntries(entries);
}

function textsOf(written: ReadonlyMap<string, WrittenText>): { readonly [name: string]: string } {
  return Object.fromEntries([...written].map(([name, { text }]) => [name, text]));
}

function setVariables(env: Environment): { readonly [name: string]: string } {
  return Object.fromEntries(
    Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}

function absoluteFolder(folder: string, baseDir: string | undefined): string {
  return baseDir === undefined || isAbsolute(folder) ? folder : resolve(baseDir, folder);
}
