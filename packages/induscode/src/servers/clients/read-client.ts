import {
  type ConfigPath,
  parseServerConfig,
  readConfigText,
  readConfigValue,
  type TextReading,
} from "indusagi/config";
import { isRecord } from "indusagi/core";
import type { Client, ClientPlace, ClientWorld } from "./client.ts";
import type { ClientFile, ClientServer, FileObject, InputQuestion } from "./client-server.ts";
import { inputIds } from "./client-variables.ts";
import { isGateway } from "./gateway-row.ts";
import { ourRow } from "./our-row.ts";

/** Reads all files of a client. Never throws, never writes, starts nothing. */
export async function readClient(
  client: Client,
  world: ClientWorld,
  readText: (path: string) => TextReading = readConfigText,
): Promise<readonly ClientFile[]> {
  // In the home folder, the project's file may be the user's.
  const places = client
    .places(world)
    .filter((place, index, all) => all.findIndex((each) => isSamePlace(each, place)) === index);
  // Claude Code has several places in one large file.
  const roots = new Map<string, Promise<RootReading>>();
  const rootOf = (file: string): Promise<RootReading> => {
    const root = roots.get(file) ?? readFile(readText(file), client.format);
    roots.set(file, root);
    return root;
  };
  return Promise.all(
    places.map(async (place) => readPlace(client, { place, world }, await rootOf(place.file))),
  );
}

function isSamePlace(a: ClientPlace, b: ClientPlace): boolean {
  return a.file === b.file && a.container.join("\0") === b.container.join("\0");
}

type RootReading = { readonly value: FileObject } | { readonly problem: string; readonly isAbsent?: boolean };

async function readFile(reading: TextReading, format: Client["format"]): Promise<RootReading> {
  return "problem" in reading ? reading : readRoot(reading.text, format);
}

function readPlace(
  client: Client,
  { place, world }: { readonly place: ClientPlace; readonly world: ClientWorld },
  root: RootReading,
): ClientFile {
  const none = { client: client.id, ...place, servers: [], inputs: [] };
  if ("problem" in root)
    return root.isAbsent
      ? { ...none, state: "absent" }
      : { ...none, state: "unusable", problem: root.problem };
  const rows = rowsAt(root.value, place.container);
  const excluded = excludedNames(root.value);
  const servers = rows.map(([name, row]) =>
    clientServer(
      { name, row: excluded.has(name) ? { ...row, enabled: false } : row },
      { client, place, world },
    ),
  );
  return { ...none, state: "read", servers, inputs: inputQuestions(root.value) };
}

/** Parses a file. An empty file is an empty object. */
export async function readRoot(
  text: string,
  format: Client["format"],
): Promise<{ readonly value: FileObject } | { readonly problem: string }> {
  if (format === "toml") {
    const { parse } = await import("smol-toml");
    try {
      return { value: parse(text.replace(/^\uFEFF/, "")) };
    } catch (thrown) {
      // The library's message quotes lines of the file, which may contain secrets.
      const line = isRecord(thrown) && typeof thrown["line"] === "number" ? ` (line ${thrown["line"]})` : "";
      return { problem: `is not valid TOML${line}` };
    }
  }
  const reading = readConfigValue(text);
  if ("problem" in reading)
    return reading.isBlank ? { value: {} } : { problem: `${reading.problem} (line ${reading.line})` };
  return isRecord(reading.value) ? { value: reading.value } : { problem: "does not contain an object" };
}

/** The rows at a path. Newer opencode files have them one level deeper, in `servers`. */
export function rowsAt(root: FileObject, path: ConfigPath): (readonly [string, FileObject])[] {
  let value: unknown = root;
  for (const step of path) value = isRecord(value) && Object.hasOwn(value, step) ? value[step] : undefined;
  if (!isRecord(value)) return [];
  const deeper = path[0] === "mcp" && path.length === 1 ? value["servers"] : undefined;
  const rows = isRecord(deeper) && typeof deeper["type"] !== "string" ? deeper : value;
  return Object.entries(rows).filter((entry): entry is [string, FileObject] => isRecord(entry[1]));
}

/** Gemini CLI switches servers off in a list next to them. */
function excludedNames({ mcp }: FileObject): ReadonlySet<unknown> {
  const excluded = isRecord(mcp) ? mcp["excluded"] : undefined;
  return new Set(Array.isArray(excluded) ? (excluded as unknown[]) : []);
}

function clientServer(
  { name, row: given }: { readonly name: string; readonly row: FileObject },
  origin: { readonly client: Client; readonly place: ClientPlace; readonly world: ClientWorld },
): ClientServer {
  const { row, unused, problem } = ourRow(given, origin);
  const checked = problem === undefined ? checkRow(name, row) : { problem };
  return {
    client: origin.client.id,
    scope: origin.place.scope,
    file: origin.place.file,
    name,
    row,
    inputs: inputIds(row),
    notes: unused.map((member) => `"${member}" has no effect here`),
    isGateway: isGateway(given),
    ...checked,
  };
}

/** Parses the row as if it were in our file. Its variables need not be set yet. */
function checkRow(name: string, row: FileObject): Pick<ClientServer, "written" | "problem"> {
  const text = (members: FileObject): string => JSON.stringify({ servers: { [name]: members } });
  const { servers, diagnostics } = parseServerConfig(text({ ...row, enabled: false }), { env: {} });
  const [parsed] = servers;
  if (!parsed)
    return { problem: reasonOf(diagnostics.find(({ severity }) => severity === "error")?.message, name) };
  // Variables that only the editor has, such as `${config:…}`, can never be expanded.
  const enabled = parseServerConfig(text({ ...row, enabled: true }), { env: {} });
  const unknown = enabled.diagnostics.find(({ message }) => message.includes("is not a known variable"));
  return unknown ? { problem: reasonOf(unknown.message, name) } : { written: parsed.written };
}

function reasonOf(message = "cannot be used", name: string): string {
  return message.replace(`server "${name}": `, "").replace(". The row is dropped", "");
}

/** The `inputs` of a VS Code file, except those that run a command of the editor. */
function inputQuestions(root: FileObject): InputQuestion[] {
  const inputs = root["inputs"];
  if (!Array.isArray(inputs)) return [];
  return inputs.filter(isRecord).flatMap((input) => {
    const { id, type, description, password, default: preset, options } = input;
    if (typeof id !== "string" || type === "command") return [];
    const labels = Array.isArray(options) ? options.flatMap((option) => optionValue(option) ?? []) : [];
    return [
      {
        id,
        description: typeof description === "string" ? description : id,
        isSecret: password === true,
        default: typeof preset === "string" ? preset : undefined,
        options: labels.length > 0 ? labels : undefined,
      },
    ];
  });
}

function optionValue(option: unknown): string | undefined {
  const value = isRecord(option) ? option["value"] : option;
  return typeof value === "string" ? value : undefined;
}
