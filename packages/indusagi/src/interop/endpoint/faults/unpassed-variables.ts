import { type Environment, safeEnvironment } from "../../../core/index.ts";

const MAX_NAMES = 3;

/** A variable name as programs print it: capitals, digits and underscores. */
const NAME = /(?<![A-Za-z0-9_])[A-Z][A-Z0-9_]{2,}(?![A-Za-z0-9_])/g;

/** Names without an underscore are often ordinary words in capitals, so their line must be about a variable. */
const ABOUT_VARIABLES = /\b(env|environment|variables?|export|set|missing|required|undefined|KeyError)\b/i;

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
  const named = lines.flatMap((line) => {
    const isAboutVariables = ABOUT_VARIABLES.test(line);
    return [...line.matchAll(NAME)]
      .map(([name]) => name)
      .filter((name) => name.includes("_") || isAboutVariables);
  });
  return [...new Set(named)].filter(isUnpassed).slice(0, MAX_NAMES);
}

/** The remedy. */
export function passVariables(names: readonly string[]): string {
  const members = names.map((name) => `${JSON.stringify(name)}: "\${${name}}"`);
  const verb = names.length === 1 ? "is" : "are";
  return `${names.join(", ")} ${verb} set in your environment but not passed on to it: add "env": { ${members.join(", ")} } to its configuration`;
}
