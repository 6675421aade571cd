import { definedMembers } from "../../core/internal.ts";
import type { ConfigDiagnostic, ConfigPlace, ConfigProfile, ParsedConfig, TextReading } from "../contract.ts";
import { type ParseConfigOptions, parseServerConfig } from "../parse/parse-server-config.ts";
import { quoted } from "../report.ts";
import { configPlaces, homeFolder, type PlaceOptions } from "./config-places.ts";
import type { LastGoodRows } from "./last-good.ts";
import { type LoadedRow, type MergeOptions, mergeRows, type PlacedConfig } from "./merge-rows.ts";
import { readConfigText } from "./read-config-text.ts";

export interface LoadConfigOptions extends PlaceOptions, MergeOptions, Pick<ParseConfigOptions, "inputs"> {
  /** The files to read, in order of precedence. Default: the four places. */
  readonly places?: readonly ConfigPlace[];
  /** Default: reads the disk. */
  readonly readText?: (path: string) => TextReading;
  /** Reads the configuration files but not env files. Default: `readText`. */
  readonly readPlace?: (path: string) => TextReading;
  /** Last good rows, used instead of unusable ones. Default: unusable rows are dropped. */
  readonly lastGood?: LastGoodRows;
}

/** The state of one file. `unusable`: it exists but none of its rows is used, so a watcher keeps its last configuration. */
export interface LoadedFile extends ConfigPlace {
  readonly state: "read" | "absent" | "unusable";
}

export interface LoadedConfig {
  /** In order of precedence. Includes disabled and pending rows, which are marked. */
  readonly servers: readonly LoadedRow[];
  /** One per name. Those of the user's files come first and have precedence. */
  readonly profiles: readonly ConfigProfile[];
  readonly diagnostics: readonly ConfigDiagnostic[];
  readonly files: readonly LoadedFile[];
  /** Required servers whose row was dropped, if no other row is used for them. Project rows do not count. */
  readonly missing: readonly string[];
}

/** Reads all places and merges their rows. Never throws, never blocks, starts nothing. */
export function loadServerConfigs(options: LoadConfigOptions = {}): LoadedConfig {
  const places = uniquePlaces(options.places ?? configPlaces(options));
  const read = places.map((place) => ({ place, ...loadPlace(place, options) }));
  const merged = mergeRows(read, options);
  const { profiles, diagnostics } = mergeProfiles(read);
  const ofFiles = read.flatMap(({ parsed }) => parsed.diagnostics);
  return {
    servers: merged.servers,
    profiles,
    diagnostics: [...ofFiles, ...merged.diagnostics, ...diagnostics],
    files: read.map(({ place, state }) => ({ ...place, state })),
    missing: merged.missing,
  };
}

interface PlaceReading {
  readonly parsed: ParsedConfig;
  readonly state: LoadedFile["state"];
}

function loadPlace(place: ConfigPlace, options: LoadConfigOptions): PlaceReading {
  const { scope, file } = place;
  const { lastGood } = options;
  const readText = options.readText ?? readConfigText;
  const reading = (options.readPlace ?? readText)(file);
  if ("problem" in reading) {
    lastGood?.keep(place, []);
    return unread(place, reading);
  }
  const { env, inputs, platform } = options;
  const parseOptions: ParseConfigOptions = definedMembers({
    file,
    scope,
    readText,
    workspaceFolder: options.cwd ?? process.cwd(),
    userHome: homeFolder(options),
    env,
    inputs,
    platform,
    lastGood: lastGood && ((id: string) => lastGood.find(place, id)),
  });
  const parsed = parseServerConfig(reading.text, parseOptions);
  lastGood?.keep(place, parsed.servers);
  return { parsed, state: parsed.usable ? "read" : "unusable" };
}

function unread(
  { scope, file }: ConfigPlace,
  { problem, isAbsent }: Extract<TextReading, { readonly problem: string }>,
): PlaceReading {
  // The four files are optional; a file that the user named should exist.
  const isExpected = isAbsent === true && scope !== "explicit";
  const diagnostic: ConfigDiagnostic = {
    severity: "error",
    file,
    line: 1,
    column: 1,
    path: [],
    message: `the file ${problem}`,
  };
  const diagnostics = isExpected ? [] : [diagnostic];
  return {
    parsed: { servers: [], profiles: [], dropped: [], missing: [], diagnostics, usable: false },
    state: isAbsent ? "absent" : "unusable",
  };
}

/** Two places may be one file, for example when XDG_CONFIG_HOME is the legacy folder; it counts once. */
function uniquePlaces(places: readonly ConfigPlace[]): ConfigPlace[] {
  const seen = new Set<string>();
  return places.filter(({ file }) => !seen.has(file) && seen.add(file));
}

/**
 * Merges the profiles of several files. The first file that has a name wins, and project files come last: a cloned project
 * must not give more to a client that uses one of the user's profiles.
 */
function mergeProfiles(files: readonly PlacedConfig[]): Pick<LoadedConfig, "profiles" | "diagnostics"> {
  const isProject = ({ place }: PlacedConfig): boolean => place.scope === "project";
  const inOrder = [...files.filter((file) => !isProject(file)), ...files.filter(isProject)];
  const profiles = new Map<string, ConfigProfile>();
  const diagnostics: ConfigDiagnostic[] = [];
  for (const profile of inOrder.flatMap(({ parsed }) => parsed.profiles)) {
    const winner = profiles.get(profile.name);
    if (!winner) profiles.set(profile.name, profile);
    else diagnostics.push(repeatedProfile(profile, winner));
  }
  return { profiles: [...profiles.values()], diagnostics };
}

function repeatedProfile({ name, source }: ConfigProfile, winner: ConfigProfile): ConfigDiagnostic {
  const { scope: _, ...position } = source;
  const other = quoted(winner.source.file ?? "another file");
  return {
    severity: "warning",
    ...position,
    path: ["profiles", name],
    message: `profile ${quoted(name)} is also in ${other}, which has precedence; this one is not used`,
  };
}
