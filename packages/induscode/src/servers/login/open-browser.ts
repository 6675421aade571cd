import { spawn } from "node:child_process";
import type { Environment } from "indusagi/core";

export interface BrowserOptions {
  readonly platform?: NodeJS.Platform;
  readonly env?: Environment;
  /** Starts a program without a shell. Returns false if it cannot be started. */
  readonly start?: (command: string, args: readonly string[]) => Promise<boolean>;
}

/**
 * Opens a URL in the user's browser, and returns whether that could be tried. Only http and https: other schemes start programs.
 * The URL is one argument of a program, never part of a command line. It begins with a letter, so it cannot be an option.
 */
export async function openBrowser(url: URL, options: BrowserOptions = {}): Promise<boolean> {
  const { platform = process.platform, env = process.env, start = startDetached } = options;
  if (url.protocol !== "http:" && url.protocol !== "https:") return false;
  const command = browserCommand(platform, env);
  return command ? start(command[0], [...command.slice(1), url.href]) : false;
}

/** The program that opens URLs; undefined if there is no screen to open one on. */
function browserCommand(
  platform: NodeJS.Platform,
  env: Environment,
): readonly [string, ...string[]] | undefined {
  if (platform === "darwin") return ["open"]; // Untested.
  if (platform === "win32") return ["rundll32", "url.dll,FileProtocolHandler"]; // Untested. `start` needs a shell.
  const hasScreen = Boolean(env["DISPLAY"] || env["WAYLAND_DISPLAY"] || env["WSL_DISTRO_NAME"]);
  return hasScreen ? ["xdg-open"] : undefined;
}

/** The browser outlives us, so it is no child of ours that we would end. */
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
