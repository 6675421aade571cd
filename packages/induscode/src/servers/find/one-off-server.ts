import { readShellWords } from "../../policy/internal.ts";

/** A server that is in no file, as a row of a configuration file, or why it cannot be used. */
export type OneOffServer =
  | {
      readonly id: string;
      readonly row: { readonly url: string } | { readonly command: string; readonly args: readonly string[] };
      /** Shown in messages instead of a file. */
      readonly file: string;
    }
  | { readonly problem: string };

/** Programs that start another one, whose name says more. */
const LAUNCHERS: ReadonlySet<string> = new Set([
  "npx",
  "bunx",
  "pnpx",
  "uvx",
  "pipx",
  "node",
  "bun",
  "deno",
  "python",
  "python3",
  "docker",
  "podman",
]);
/** Subcommands of launchers. */
const VERBS: ReadonlySet<string> = new Set(["run", "exec", "dlx", "x"]);

/** The server of a command line, which is split into words as in a shell. Nothing is expanded and no shell runs. */
export function oneOffCommand(text: string): OneOffServer {
  const { parts, problem } = readShellWords(text);
  const [part, more] = parts;
  const expanded = part?.words.find(({ expands }) => expands);
  const found =
    problem ??
    (more ? "several commands" : undefined) ??
    (part && part.redirects.length > 0 ? "a redirection" : undefined) ??
    (expanded && `${expanded.text}, which only a shell expands`);
  const words = part?.words.map((word) => word.text) ?? [];
  const [command, ...args] = words;
  if (found !== undefined || command === undefined)
    return { problem: `--run takes one command with its arguments, not ${found ?? "an empty text"}` };
  return { id: idOf(words), row: { command, args }, file: "--run" };
}

/** The server at a URL. `flag`: where the user gave it. */
export function oneOffUrl(url: string, flag: string): OneOffServer {
  if (!URL.canParse(url)) return { problem: `${flag}: ${JSON.stringify(url)} is not a valid URL` };
  return { id: cleaned(new URL(url).hostname), row: { url }, file: flag };
}

/** `some-server` for `npx -y @scope/some-server@1.2.3 --flag`. */
function idOf([command = "", ...args]: readonly string[]): string {
  const program = baseName(command);
  const started = args.find((word) => !word.startsWith("-") && !VERBS.has(word));
  return cleaned(LAUNCHERS.has(program) && started !== undefined ? baseName(started) : program);
}

/** Without folder, scope, version and extension. */
function baseName(word: string): string {
  const last = word.split(/[\\/]/).findLast((part) => part !== "") ?? "";
  return last.replace(/(?<=.)@.*$/, "").replace(/\.(?:[cm]?js|ts|py|exe|cmd|sh)$/i, "");
}

/** An id that needs no hash in the names of tools. */
function cleaned(text: string): string {
  return text.replaceAll(/[^A-Za-z0-9-]+/g, "-").replaceAll(/^-+|-+$/g, "") || "server";
}
