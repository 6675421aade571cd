/** One public server of the fleet, as `servers.json` lists it. */
export interface FleetServer {
  /** Also its name in the configuration. */
  readonly name: string;
  /** Its npm package, with the exact version. */
  readonly package: string;
  readonly version: string;
  /** Which of the package's programs to start. */
  readonly bin: string;
  readonly args: readonly string[];
  readonly env: { readonly [name: string]: string };
  /** A call without lasting effects. Absent if the server has no such tool. */
  readonly call?: HarmlessCall;
}

export interface HarmlessCall {
  readonly tool: string;
  readonly arguments: { readonly [name: string]: unknown };
}

/** A public server that was tried and cannot be used, and why. */
export interface LeftOutServer {
  readonly package: string;
  readonly why: string;
}

export interface FleetList {
  readonly servers: readonly FleetServer[];
  readonly leftOut: readonly LeftOutServer[];
}

/** Parses `servers.json`. Throws with the place of the first mistake. */
export function parseFleetList(text: string): FleetList {
  const file = record(JSON.parse(text), "the list");
  const rows = record(file["servers"], "servers");
  const leftOut = record(file["leftOut"], "leftOut");
  return {
    servers: Object.entries(rows).map(([name, row]) => parseServer(name, record(row, `servers.${name}`))),
    leftOut: Object.entries(leftOut).map(([name, why]) => ({
      package: name,
      why: string(why, `leftOut.${name}`),
    })),
  };
}

/** The servers with these names, or all. Throws if a name is unknown. */
export function chooseServers(
  servers: readonly FleetServer[],
  only: readonly string[],
): readonly FleetServer[] {
  const unknown = only.filter((name) => !servers.some((server) => server.name === name));
  if (unknown.length > 0)
    throw new Error(
      `--only: no server ${unknown.join(", ")} in fleet/servers.json; take names from that file`,
    );
  return only.length === 0 ? servers : servers.filter(({ name }) => only.includes(name));
}

/** A name with `_` could make the name of a tool ambiguous. */
const NAME = /^[a-z0-9]+(-[a-z0-9]+)*$/;
/** A range would install something else on another day. */
const EXACT_VERSION = /^\d+\.\d+\.\d+(-[\w.]+)?$/;

function parseServer(name: string, row: Record): FleetServer {
  const at = `servers.${name}`;
  if (!NAME.test(name)) throw new Error(`${at}: a name has only a-z, 0-9 and single dashes`);
  const version = string(row["version"], `${at}.version`);
  if (!EXACT_VERSION.test(version)) throw new Error(`${at}.version: ${version} is not an exact version`);
  const env = Object.entries(record(row["env"] ?? {}, `${at}.env`));
  return {
    name,
    version,
    package: string(row["package"], `${at}.package`),
    bin: string(row["bin"], `${at}.bin`),
    args: list(row["args"] ?? [], `${at}.args`).map((arg, index) => string(arg, `${at}.args[${index}]`)),
    env: Object.fromEntries(env.map(([key, value]) => [key, string(value, `${at}.env.${key}`)])),
    ...(row["call"] === undefined ? {} : { call: parseCall(record(row["call"], `${at}.call`), at) }),
  };
}

function parseCall(call: Record, at: string): HarmlessCall {
  return {
    tool: string(call["tool"], `${at}.call.tool`),
    arguments: record(call["arguments"] ?? {}, `${at}.call.arguments`),
  };
}

interface Record {
  readonly [member: string]: unknown;
}

function record(value: unknown, at: string): Record {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new Error(`${at}: not an object`);
  return value as Record;
}

function list(value: unknown, at: string): readonly unknown[] {
  if (!Array.isArray(value)) throw new Error(`${at}: not a list`);
  return value;
}

function string(value: unknown, at: string): string {
  if (typeof value !== "string" || value === "") throw new Error(`${at}: not a text`);
  return value;
}
