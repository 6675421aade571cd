import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The variables that name a folder of the user, on any system, with its place in the empty home. */
const FOLDERS = {
  HOME: "",
  USERPROFILE: "",
  XDG_CONFIG_HOME: ".config",
  XDG_STATE_HOME: ".local/state",
  XDG_CACHE_HOME: ".cache",
  XDG_DATA_HOME: ".local/share",
  APPDATA: "AppData/Roaming",
  LOCALAPPDATA: "AppData/Local",
};

/**
 * Gives a test run its own empty home, so it neither reads nor changes the configuration and state of whoever runs it.
 * Runs in the main process, before the workers inherit its environment.
 */
export function setup(): (() => void) | undefined {
  if (process.env["INDUS_TEST_HOME"]) return undefined; // Set by the other project of this run.
  const home = mkdtempSync(join(tmpdir(), "indus-test-home-"));
  const before = { ...process.env };
  for (const [name, folder] of Object.entries(FOLDERS)) process.env[name] = join(home, folder);
  process.env["INDUS_TEST_HOME"] = home;
  return () => {
    for (const name of [...Object.keys(FOLDERS), "INDUS_TEST_HOME"]) {
      const old = before[name];
      if (old === undefined) delete process.env[name];
      else process.env[name] = old;
    }
    rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  };
}
