import type { LaunchAsWritten } from "indusagi/config";
import { escapeForDisplay, showName, textTable } from "indusagi/core";
import { hiddenIn } from "./hide-secrets.ts";

/** The words a launch is shown in. `hide` replaces what must not be shown. */
export type Hide = (text: string) => string;

/**
 * What a row starts or connects to and what else it decides, whole: one line for each argument, variable, header and setting of a
 * login, as written in its file. Every value is in quotes, and characters that a terminal would obey or hide are escaped.
 */
export function showLaunch(written: LaunchAsWritten, hide: Hide = (text) => text): string {
  const {
    command,
    args = [],
    cwd,
    url,
    envFiles = [],
    env = {},
    headers = {},
    fromCommand = {},
    oauth,
    pin,
    envFileNames = [],
    members = {},
  } = written;
  const quoted = (text: string): string => escapeForDisplay(JSON.stringify(hide(text)));
  const shown = (value: unknown): string => escapeForDisplay(JSON.stringify(hiddenIn(value, hide)));
  const pairs = (what: string, values: { readonly [name: string]: string }): string[][] =>
    Object.entries(values).map(([name, value]) => [what, `${quoted(name)} = ${quoted(value)}`]);
  const lines = [
    ...(command === undefined ? [] : [["command", quoted(command)]]),
    ...args.map((argument) => ["argument", quoted(argument)]),
    ...(cwd === undefined ? [] : [["folder", quoted(cwd)]]),
    ...(url === undefined ? [] : [["url", quoted(url)]]),
    ...envFiles.map((file) => ["variables of", quoted(file)]),
    ...envFileNames.map((name) => ["sets", quoted(name)]),
    ...pairs("variable", env),
    ...pairs("header", headers),
    ...Object.entries(fromCommand).map(([name, words]) => [
      "from command",
      `${quoted(name)} = the output of ${words.map(quoted).join(" ")}`,
    ]),
    ...(oauth === false ? [["oauth", "false: no login"]] : []),
    ...Object.entries(oauth || {}).map(([name, value]) => ["oauth", `${quoted(name)} = ${shown(value)}`]),
    ...(pin === undefined ? [] : [["pin", `${quoted(pin)}: changed tools are not held or withheld`]]),
    // Members with an effect have short names.
    ...Object.entries(members).map(([member, value]) => [showName(member), shown(value)]),
  ];
  return `${textTable(lines).trimEnd().replaceAll(/^/gm, "  ")}\n`;
}
