import { constants } from "node:fs";
import { access } from "node:fs/promises";
import { delimiter, isAbsolute, join } from "node:path";

let located: Promise<string | undefined> | undefined;

/** The path of ripgrep: from its optional package, else from the PATH. Looked up once. */
export function locateRipgrep(): Promise<string | undefined> {
  located ??= inPackage().then((path) => path ?? onPath(process.env["PATH"] ?? ""));
  return located;
}

async function inPackage(): Promise<string | undefined> {
  try {
    const { rgPath } = await import("@vscode/ripgrep");
    return (await isExecutable(rgPath)) ? rgPath : undefined;
  } catch {
    // The package, or the one for this platform, is not installed.
    return undefined;
  }
}

/** Relative entries are skipped: they could run an `rg` of the searched folder. The search with `rg.exe` was never run on Windows. */
async function onPath(path: string): Promise<string | undefined> {
  const name = process.platform === "win32" ? "rg.exe" : "rg";
  for (const folder of path.split(delimiter).filter(isAbsolute)) {
    const candidate = join(folder, name);
    if (await isExecutable(candidate)) return candidate;
  }
  return undefined;
}

async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
