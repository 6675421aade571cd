import { isAbsolute, resolve } from "node:path";
import type { Environment } from "../../core/index.ts";
import type { LaunchAsWritten } from "../contract.ts";
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
import type { VariableValue } from "./expand-variables.ts";
import type { RowReader, WrittenText } from "./row-reader.ts";

/** How a row's server is reached, with variables expanded, and the same as written. */
export interface Launch<Reached> {
  readonly reached: Reached;
  readonly written: LaunchAsWritten;
}

export interface StdioLaunch {
  readonly command: string;
  readonly args?: readonly string[];
  readonly env?: { readonly [name: string]: string };
  readonly cwd?: string;
}

export interface HttpLaunch {
  readonly url: string;
  readonly headers?: { readonly [name: string]: string };
}

/** The program, and the arguments of a command that is written as a list. */
export type WrittenCommand = readonly [program: WrittenText, ...args: WrittenText[]];

export interface LaunchOptions {
  /** Absent for a server that is not started: its strings stay as written. */
  readonly lookup?: (name: string) => VariableValue;
  /** Variables of the row's own `envFile`; its `env` overrides them. */
  readonly envFile?: Environment;
  /** The base of a relative `cwd`. */
  readonly baseDir?: string;
}

export function stdioLaunch(
  row: RowReader,
  [command, ...listed]: WrittenCommand,
  options: LaunchOptions,
): Launch<StdioLaunch> {
  const named = row.texts(row.member("args"));
  const args = named || listed.length > 0 ? [...listed, ...(named ?? [])] : undefined;
  const env = row.textMap(row.member("env", "environment"));
  const cwd = row.text(row.member("cwd"));
  const program = filled(row, command, { ...options, check: checkCommand });
  if (!args && /^[^\s/\\]+\s+\S/.test(program))
    row.warn(
      command.spot,
      'the command contains spaces but is the name of one program; put arguments into "args"',
    );
  const folder = cwd && filled(row, cwd, { ...options, check: checkArgument });
  const names = env && checkedMap(row, env, { ...options, checkName: checkEnvName, check: checkEnvValue });
  const childEnv = names || options.envFile ? { ...options.envFile, ...names } : undefined;
  return {
    reached: {
      command: program,
      ...(args && { args: args.map((arg) => filled(row, arg, { ...options, check: checkArgument })) }),
      ...(childEnv && { env: definedOf(childEnv) }),
      ...(folder !== undefined && { cwd: placed(folder, options.baseDir) }),
    },
    written: {
      command: command.text,
      ...(args && { args: args.map(({ text }) => text) }),
      ...(env && { env: textsOf(env) }),
      ...(cwd && { cwd: cwd.text }),
    },
  };
}

export function httpLaunch(row: RowReader, url: WrittenText, options: LaunchOptions): Launch<HttpLaunch> {
  const headers = row.textMap(row.member("headers"));
  return {
    reached: {
      url: filled(row, url, { ...options, check: checkUrl }),
      ...(headers && {
        headers: checkedMap(row, headers, {
          ...options,
          checkName: checkHeaderName,
          check: checkHeaderValue,
        }),
      }),
    },
    written: { url: url.text, ...(headers && { headers: textsOf(headers) }) },
  };
}

interface Checks extends LaunchOptions {
  readonly check: Check;
}

/** Checks the expanded value: values of variables need the same checks as the file. */
function filled(row: RowReader, written: WrittenText, { lookup, check }: Checks): string {
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
    return [name, filled(row, text, checks)] as const;
  });
  return Object.fromEntries(entries);
}

function textsOf(written: ReadonlyMap<string, WrittenText>): { readonly [name: string]: string } {
  return Object.fromEntries([...written].map(([name, { text }]) => [name, text]));
}

function definedOf(env: Environment): { readonly [name: string]: string } {
  return Object.fromEntries(
    Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}

function placed(folder: string, baseDir: string | undefined): string {
  return baseDir === undefined || isAbsolute(folder) ? folder : resolve(baseDir, folder);
}
