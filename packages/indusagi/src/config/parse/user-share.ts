import type { LaunchAsWritten } from "../contract.ts";

/** What each folder, or each editor, replaces with something else. */
const WORKSPACE =
  /\$\{(?:workspace\w*|cwd|fileWorkspaceFolder|CLAUDE_PROJECT_DIR|(?:env:)?(?:PWD|INIT_CWD))\b/i;
/** A path that begins at the current folder, as a word or as the value of a flag. */
const RELATIVE_WORD = /(?:^|=)\.{1,2}(?:[\\/]|$)/;
const RELATIVE_PROGRAM = /^(?![\\/~]|[A-Za-z]:[\\/]|\$\{).*[\\/]/;

/**
 * Why a row cannot have `"share": "user"`, as the end of a sentence. Such a server runs in the home folder for all folders, so nothing
 * of its launch may depend on one. Undefined if nothing does.
 */
export function userShareProblem({
  command,
  args = [],
  cwd,
  env = {},
  envFiles = [],
  url,
}: LaunchAsWritten): string | undefined {
  const texts = [command ?? "", ...args, ...Object.values(env), url ?? ""];
  const variable = texts.map((text) => WORKSPACE.exec(text)?.[0]).find((found) => found !== undefined);
  if (cwd !== undefined) return 'it has a "cwd"';
  if (variable !== undefined) return `it uses ${variable}}, which differs between folders`;
  const relative = [
    ...(command !== undefined && RELATIVE_PROGRAM.test(command) ? [command] : []),
    ...args.filter((word) => RELATIVE_WORD.test(word)),
    ...envFiles.filter((file) => !/^(?:[\\/~]|[A-Za-z]:[\\/]|\$\{userHome\})/.test(file)),
  ];
  return relative.length > 0 ? `${JSON.stringify(relative[0])} is a relative path` : undefined;
}
