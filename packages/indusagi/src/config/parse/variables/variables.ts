import { posix, win32 } from "node:path";
import type { Environment } from "../../../core/index.ts";
import { quoted } from "../../report.ts";
import type { VariableValue } from "./expand-variables.ts";

/** The values that `${…}` in a file may refer to. */
export interface Variables {
  readonly env: Environment;
  /** Used when `env` has no value: exported variables override those of a file. */
  readonly envFile?: Environment | undefined;
  /** For `${workspaceFolder}`. */
  readonly workspaceFolder?: string | undefined;
  /** For `${userHome}`. */
  readonly userHome?: string | undefined;
  /** For `${input:id}`: answers that the caller already has. The user is not asked. */
  readonly inputs?: Environment | undefined;
  readonly platform: NodeJS.Platform;
}

const ENV_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Looks up the name in a `${…}`: our names and those of VS Code. */
export function lookupVariable(name: string, variables: Variables): VariableValue {
  if (name.startsWith("env:")) return environmentValue(name.slice(4), variables);
  if (name.startsWith("input:")) return inputValue(name.slice(6), variables);
  const known = EDITOR_NAMES[name];
  if (known && Object.hasOwn(EDITOR_NAMES, name)) return given(name, known(variables));
  if (ENV_NAME.test(name)) return environmentValue(name, variables);
  return {
    problem: `uses \${${shown(name)}}, which is not a known variable; use an environment variable, or write $\${ for a literal \${`,
  };
}

const EDITOR_NAMES: { readonly [name: string]: (variables: Variables) => string | undefined } = {
  workspaceFolder: ({ workspaceFolder }) => workspaceFolder,
  workspaceFolderBasename: ({ workspaceFolder, platform }) =>
    workspaceFolder === undefined
      ? undefined
      : (platform === "win32" ? win32 : posix).basename(workspaceFolder),
  userHome: ({ userHome }) => userHome,
  pathSeparator: ({ platform }) => (platform === "win32" ? "\\" : "/"),
  "/": ({ platform }) => (platform === "win32" ? "\\" : "/"),
};

function given(name: string, value: string | undefined): VariableValue {
  if (value !== undefined) return { value };
  return { problem: `uses \${${name}}, which is not known here; write the path out`, isUnset: true };
}

function environmentValue(name: string, variables: Variables): VariableValue {
  const value = valueIn(variables.env, name, variables) ?? valueIn(variables.envFile, name, variables);
  if (value !== undefined) return { value };
  return {
    problem: `uses the variable ${shown(name)}, which is not set; set it, or write \${${shown(name)}:-default}`,
    isUnset: true,
  };
}

function inputValue(id: string, variables: Variables): VariableValue {
  const value = valueIn(variables.inputs, id, variables);
  if (value !== undefined) return { value };
  return {
    problem: `uses the input ${shown(id)}, which is not known here; set an environment variable and write \${NAME}`,
    isUnset: true,
  };
}

/** On Windows the case of variable names is ignored. */
function valueIn(env: Environment | undefined, name: string, { platform }: Variables): string | undefined {
  if (!env) return undefined;
  if (Object.hasOwn(env, name)) return env[name];
  if (platform !== "win32") return undefined;
  const match = Object.keys(env).find((other) => other.toUpperCase() === name.toUpperCase());
  return match === undefined ? undefined : env[match];
}

function shown(name: string): string {
  return quoted(name).slice(1, -1);
}
