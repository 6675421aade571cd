import { spawn } from "node:child_process";
import { isAbsolute } from "node:path";
import type { Environment } from "indusagi/core";

export interface BrowserOptions {
  readonly platform?: NodeJS.Platform;
  readonly env?: Environment;
  /** Starts a program without a shell. Returns false if it cannot be started. */
  readonly start?: (command: string, args: readonly string[]) => Promise<boolean>;
}

/**
 * Opens a URL in the user's browser, and returns whether the browser was started. Only http and https: other schemes start
 * programs. The URL is a single argument, never part of a command line. It begins with a letter, so it cannot be an option.
 */
export async function openBrowser(url: URL, options: BrowserOptions = {}): Promise<boolean> {
  const { platform = process.platform, env = process.env, start = startDetached } = options;
  if (url.protocol !== "http:" && url.protocol !== "https:") return false;
  const command = browserCommand(platform, env);
  return command ? start(command[0], [...command.slice(1), url.href]) : false;
}

/** Opens a local page by its path, as a link on a command line could be read by other users. */
export async function openPage(path: string, options: BrowserOptions = {}): Promise<boolean> {
  const { platform = process.platform, env = process.env, start = startDetached } = options;
  const command = isAbsolute(path) ? browserCommand(platform, env) : undefined;
  return command ? start(command[0], [...command.slice(1), path]) : false;
}

/** The program that opens URLs; undefined if there is no display. */
function browserCommand(
  platform: NodeJS.Platform,
  env: Environment,
): readonly [string, ...string[]] | undefined {
  if (platform === "darwin") return ["open"]; // Untested.
  // Run under Wine only. `start` needs a shell; a bare name would be looked for in the project first.
  if (platform === "win32")
    return [`${env["SystemRoot"] ?? "C:\\Windows"}\\System32\\rundll32.exe`, "url.dll,FileProtocolHandler"];
  const hasScreen = Boolean(env["DISPLAY"] || env["WAYLAND_DISPLAY"] || env["WSL_DISTRO_NAME"]);
  return hasScreen ? ["xdg-open"] : undefined;
}

/** Detached: the browser outlives us. */
function startDetached(command: string, args: readonly string[]): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn(command, args, { stdio: "ignore", detached: true, shell: false });
    child.once("error", () => resolve(false));
    child.once("spawn", () => {
      child.unref();
      resolve(true);
    });
  });
}
