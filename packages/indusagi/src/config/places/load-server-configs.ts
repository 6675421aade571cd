import type { ConfigDiagnostic, ConfigPlace, ConfigRow, ParsedConfig, TextReading } from "../contract.ts";
import { type ParseConfigOptions, parseServerConfig } from "../parse/parse-server-config.ts";
import { configPlaces, homeFolder, type PlaceOptions } from "./config-places.ts";
import { type LoadedRow, mergeRows } from "./merge-rows.ts";
import { readConfigText } from "./read-config-text.ts";

export interface LoadConfigOptions extends PlaceOptions, Pick<ParseConfigOptions, "inputs"> {
  /** The files to read, in order of precedence. Default: the four places. */
  readonly places?: readonly ConfigPlace[];
  /** Asked for each row of a project file. Default: none is approved, and all are pending. */
  readonly isApproved?: (row: ConfigRow) => boolean;
  /** Default: the disk. */
  readonly readText?: (path: string) => TextReading;
}

/** What became of one place. `unusable`: it is there and nothing of it counts, so a watcher keeps what it had. */
export interface LoadedFile extends ConfigPlace {
  readonly state: "read" | "absent" | "unusable";
}

export interface LoadedConfig {
  /** In order of precedence; switched-off and pending rows are among them, marked. */
  readonly servers: readonly LoadedRow[];
  readonly diagnostics: readonly ConfigDiagnostic[];
  readonly files: readonly LoadedFile[];
  /** Required servers whose row had to be dropped, and no other row is used in its place; none of a project's. */
  readonly missing: readonly string[];
}

/** Reads all places and puts their rows together. Never throws, never waits, starts nothing. */
export function loadServerConfigs(options: LoadConfigOptions = {}): LoadedConfig {
  const places = uniquePlaces(options.places ?? configPlaces(options));
  const read = places.map((place) => ({ place, ...loadPlace(place, options) }));
  const merged = mergeRows(read, options.isApproved);
  return {
    servers: merged.servers,
    diagnostics: [...read.flatMap(({ parsed }) => parsed.diagnostics), ...merged.diagnostics],
    files: read.map(({ place, state }) => ({ ...place, state })),
    missing: merged.missing,
  };
}

interface PlaceReading {
  readonly parsed: ParsedConfig;
  readonly state: LoadedFile["state"];
}

function loadPlace({ scope, file }: ConfigPlace, options: LoadConfigOptions): PlaceReading {
  const readText = options.readText ?? readConfigText;
  const reading = readText(file);
  if ("problem" in reading) return unread({ scope, file }, reading);
  const userHome = homeFolder(options);
  const parsed = parseServerConfig(reading.text, {
    file,
    scope,
    readText,
    workspaceFolder: options.cwd ?? process.cwd(),
    ...(userHome !== undefined && { userHome }),
    ...(options.env && { env: options.env }),
    ...(options.inputs && { inputs: options.inputs }),
    ...(options.platform && { platform: options.platform }),
  });
  return { parsed, state: parsed.usable ? "read" : "unusable" };
}

function unread(
  { scope, file }: ConfigPlace,
  { problem, isAbsent }: Extract<TextReading, { readonly problem: string }>,
): PlaceReading {
  // Nobody has to have all four files; a file named by hand should be there.
  const isExpected = isAbsent === true && scope !== "explicit";
  const said: ConfigDiagnostic = {
    severity: "error",
    file,
    line: 1,
    column: 1,
    path: [],
    message: `the file ${problem}`,
  };
  const diagnostics = isExpected ? [] : [said];
  return {
    parsed: { servers: [], dropped: [], missing: [], diagnostics, usable: false },
    state: isAbsent ? "absent" : "unusable",
  };
}

/** One file may be two places, as when the user's folder is set to the old one; it counts once. */
function uniquePlaces(places: readonly ConfigPlace[]): ConfigPlace[] {
  const seen = new Set<string>();
  return places.filter(({ file }) => !seen.has(file) && seen.add(file));
}
