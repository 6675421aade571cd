import { fileURLToPath } from "node:url";
import { readConfigText, type TextReading } from "indusagi/config";
import type { ClientWorld } from "../../../src/servers/clients/index.ts";

const fixtures = fileURLToPath(new URL("fixtures", import.meta.url));

/** A machine whose files are the fixtures: files in the form that each client's manual publishes. */
export const FIXTURE_WORLD: ClientWorld = {
  home: "/home/me",
  cwd: "/home/me/site",
  env: {},
  platform: "linux",
};

/** Reads a file of that machine. */
export function readFixture(path: string): TextReading {
  const inSite = path.startsWith(`${FIXTURE_WORLD.cwd}/`);
  const [base, folder] = inSite ? [FIXTURE_WORLD.cwd, "site"] : [FIXTURE_WORLD.home, "home"];
  return readConfigText(`${fixtures}/${folder}${path.slice(base.length)}`);
}

/** The folder with the fixtures of the home folder. */
export const FIXTURE_HOME: string = `${fixtures}/home`;
