import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The variables that name a folder of the user, with its place in the empty home. Without the others, defaults below it count. */
const FOLDERS: { readonly [name: string]: string | undefined } = {
  HOME: "",
  USERPROFILE: "",
  APPDATA: "AppData/Roaming",
  LOCALAPPDATA: "AppData/Local",
  XDG_CONFIG_HOME: undefined,
  XDG_STATE_HOME: undefined,
  XDG_CACHE_HOME: undefined,
  XDG_DATA_HOME: undefined,
};

/**
 * Gives a test run its own empty home, so it neither reads nor changes the configuration and state of whoever runs it.
 * Runs in the main process, before the workers inherit its environment.
 */
export function setup(): (() => void) | undefined {
  if (process.env["INDUS_TEST_HOME"]) return undefined; // Set by the other project of this run.
  const home = mkdtempSync(join(tmpdir(), "indus-test-home-"));
  const before = { ...process.env };
  for (const [name, folder] of Object.entries(FOLDERS))
    setVariable(name, folder === undefined ? undefined : join(home, folder));
  process.env["INDUS_TEST_HOME"] = home;
  return () => {
    for (const name of [...Object.keys(FOLDERS), "INDUS_TEST_HOME"]) setVariable(name, before[name]);
    rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  };
}

function setVariable(name: string, value: string | undefined): void {
  if (value === undefined) delete process.env[name];
  else process.env[name] = value;
}
