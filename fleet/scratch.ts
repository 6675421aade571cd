import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { FleetServer, HarmlessCall } from "./server-list.ts";

/** The folder outside the repository in which servers are installed and run. It can be deleted at any time. */
export interface Scratch {
  readonly root: string;
  /** Where one server is installed. */
  installOf(name: string): string;
  /** The folder that `${DATA}` in the list stands for. Servers find a few files in it and may write to it. */
  readonly data: string;
  /** A file or folder of this run. */
  at(...parts: string[]): string;
}

export function openScratch(root: string): Scratch {
  const data = join(root, "data");
  for (const folder of ["home", "data", "work"]) mkdirSync(join(data, folder), { recursive: true });
  writeFileSync(join(data, "data", "hello.txt"), "hello\n");
  writeFileSync(join(data, "data", "hello.js"), "export const hello = 1;\n");
  writeFileSync(join(data, "gcp.json"), JSON.stringify(GOOGLE_CREDENTIALS));
  return {
    root,
    data,
    installOf: (name) => join(root, "servers", name),
    at: (...parts) => join(root, ...parts),
  };
}

/** What one server is started with, the same for the official client and for us. */
export interface Launch {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: { readonly [name: string]: string };
  readonly cwd: string;
}

/**
 * The variable that marks the processes of this script, so that leftovers can be found. A mark ends with a dot and begins with
 * the mark of the whole run.
 */
export const MARK_VARIABLE = "INDUS_FLEET_RUN";

/** Starts the program itself and not npm's link to it: on Windows the link is a shell script. */
export function launchOf(server: FleetServer, scratch: Scratch, mark: string): Launch {
  const { name, args, env } = server;
  const folder = join(scratch.installOf(name), "node_modules", server.package);
  const { bin } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as { bin?: unknown };
  const cwd = join(scratch.data, "work", name);
  mkdirSync(cwd, { recursive: true });
  const expand = (text: string): string => text.replaceAll(DATA, scratch.data);
  return {
    command: process.execPath,
    args: [join(folder, programOf(bin, server)), ...args.map(expand)],
    // A home of their own: several servers write settings and caches there.
    env: {
      HOME: join(scratch.data, "home"),
      [MARK_VARIABLE]: mark,
      ...Object.fromEntries(Object.entries(env).map(([key, value]) => [key, expand(value)])),
    },
    cwd,
  };
}

/** Stands for the scratch folder in the list. */
const DATA = "${DATA}";

/** The arguments of a server's call in this scratch folder. */
export function callIn(scratch: Scratch, { tool, arguments: given }: HarmlessCall): HarmlessCall {
  // As part of a JSON string, because a path can have characters that JSON escapes.
  const folder = JSON.stringify(scratch.data).slice(1, -1);
  const text = JSON.stringify(given).replaceAll(DATA, () => folder);
  return { tool, arguments: JSON.parse(text) as HarmlessCall["arguments"] };
}

function programOf(bin: unknown, server: FleetServer): string {
  const named =
    typeof bin === "object" && bin !== null ? (bin as { [name: string]: unknown })[server.bin] : bin;
  if (typeof named === "string") return named;
  throw new Error(
    `${server.package} ${server.version} has no program ${server.bin}; correct fleet/servers.json`,
  );
}

/** Some servers refuse to start without a well-formed file. The values are not real. */
const GOOGLE_CREDENTIALS = {
  installed: {
    client_id: "x.apps.googleusercontent.com",
    client_secret: "x",
    redirect_uris: ["http://localhost:3000/oauth2callback"],
  },
};
