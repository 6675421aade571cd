import { type Environment, safeEnvironment, shellWord } from "../../../core/index.ts";
import { missingVariables, variablesIn } from "./remedy-lines.ts";

const MAX_NAMES = 3;

/** Set by shells or launchers for themselves: passing them on fixes nothing. */
const NOT_A_SETTING = /^(PWD|OLDPWD|SHLVL|HOSTNAME|INDUS_TREE|npm_.*|NODE|EDITOR|PAGER|DISPLAY)$/;

/**
 * The variables that standard error mentions and that are set in our environment, but that the process did not get because
 * its row does not list them. Only names are used, never values.
 */
export function unpassedVariables(
  lines: readonly string[],
  rowEnv: Environment = {},
  ours: Environment = process.env,
): readonly string[] {
  const passed = safeEnvironment(rowEnv, ours);
  const isUnpassed = (name: string): boolean =>
    Boolean(ours[name]) && passed[name] === undefined && !NOT_A_SETTING.test(name);
  const named = lines.flatMap(variablesIn);
  return [...new Set(named)].filter(isUnpassed).slice(0, MAX_NAMES);
}

/** The remedy: what to add, and the command that adds it if the server is in a file of ours. */
export function passVariables(names: readonly string[], server = "SERVER"): string {
  const members = names.map((name) => `${JSON.stringify(name)}: "\${${name}}"`);
  const verb = names.length === 1 ? "is" : "are";
  return `${names.join(", ")} ${verb} set in your environment but not passed on to it: add "env": { ${members.join(", ")} } to its configuration, or run: indus mcp env ${shellWord(server)} ${names.join(" ")}`;
}

/**
 * The variables that the server says are missing and that it did not get, or got empty. `lines` are those that say why it
 * ended: the first that names any decides.
 */
export function unsetVariables(
  lines: readonly string[],
  rowEnv: Environment = {},
  ours: Environment = process.env,
): readonly string[] {
  const passed = safeEnvironment(rowEnv, ours);
  for (const line of lines) {
    const names = missingVariables(line).filter((name) => !passed[name] && !NOT_A_SETTING.test(name));
    if (names.length > 0) return [...new Set(names)].slice(0, MAX_NAMES);
  }
  return [];
}

/** The remedy for variables that are set nowhere. */
export function setVariables(names: readonly string[], server = "SERVER"): string {
  const members = names.map((name) => `${JSON.stringify(name)}: "\${${name}}"`);
  const values = names.map((name) => `${name}=VALUE`);
  const which = names.length === 1 ? names[0] : `what it needs of ${names.join(", ")}`;
  return `set ${which}: add "env": { ${members.join(", ")} } to its configuration, and run: export ${values.join(" ")}; or run: indus mcp env ${shellWord(server)} ${values.join(" ")}`;
}
