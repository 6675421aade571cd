import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));

/**
 * Which rooms of the same package a room may import. A room may always import itself. A name includes the rooms inside
 * that room. A file belongs to the room with the longest name that matches its path.
 */
const FRAMEWORK: { readonly [room: string]: readonly string[] } = {
  core: [],
  llm: ["core"],
  runtime: ["core", "llm"],
  "capabilities/contract": ["core", "llm", "runtime"],
  "capabilities/kernel": ["capabilities/contract", "core", "llm", "runtime"],
  "capabilities/local": ["capabilities/contract", "capabilities/kernel", "core", "runtime"],
  "capabilities/tools": [
    "capabilities/contract",
    "capabilities/kernel",
    "capabilities/local",
    "core",
    "llm",
    "runtime",
  ],
  capabilities: ["capabilities", "core", "llm", "runtime"],
  "interop/contract": ["core", "llm", "runtime"],
  "interop/schema": ["interop/contract", "core", "llm", "runtime"],
  "interop/naming": ["interop/contract", "core"],
  "interop/content": ["interop/contract", "core", "llm", "runtime"],
  "interop/wire": ["interop/contract", "core", "runtime"],
  "interop/network": ["core"],
  "interop/auth": ["interop/contract", "interop/network", "core"],
  "interop/endpoint": [
    "interop/contract",
    "interop/schema",
    "interop/naming",
    "interop/wire",
    "interop/network",
    "core",
    "llm",
    "runtime",
  ],
  "interop/fleet": ["interop/contract", "interop/endpoint", "core", "runtime"],
  "interop/bridge": [
    "interop/contract",
    "interop/content",
    "interop/endpoint",
    "interop/fleet",
    "runtime",
    "llm",
    "core",
  ],
  "interop/host": [
    "interop/contract",
    "interop/schema",
    "interop/content",
    "interop/wire",
    "runtime",
    "llm",
    "core",
  ],
  "interop/relay": [
    "interop/contract",
    "interop/content",
    "interop/naming",
    "interop/wire",
    "interop/endpoint",
    "interop/fleet",
    "interop/host",
    "core",
    "llm",
    "runtime",
  ],
  interop: ["interop"],
  config: ["core", "interop/contract"],
  mcp: ["interop", "config", "llm", "runtime", "core"],
};

const PRODUCT: { readonly [room: string]: readonly string[] } = {
  launch: [],
  state: [],
  catalogue: [],
  "line-file": [],
  "server-log": ["line-file"],
  audit: ["line-file"],
  clients: [],
  doctor: [],
  login: [],
  // They define what is shown.
  screen: ["doctor", "server-log", "audit"],
  "deck/contract": [],
  "deck/ledger": [],
  "deck/log": ["deck/ledger"],
  "deck/history": ["deck/ledger", "deck/log"],
  "deck/pins": ["deck/ledger", "deck/log"],
  "deck/builtin": ["deck/contract"],
  "deck/cards": ["deck/contract"],
  "deck/checkpoint": ["deck/contract", "deck/log"],
  "deck/catalog": ["deck/contract", "deck/builtin", "deck/cards"],
  "deck/provision": ["deck/contract", "deck/builtin", "deck/catalog", "deck/checkpoint"],
  "deck/trust": ["deck/contract"],
  "deck/attach": ["deck/contract", "deck/ledger", "deck/log", "deck/trust"],
  deck: ["deck"],
  // It only asks where the state folder is, to protect it.
  policy: ["deck/contract", "state"],
  briefing: ["deck/contract", "policy"],
  conductor: ["deck/contract", "policy"],
  models: [],
  gateway: ["policy", "audit"],
  mentions: [],
  questions: ["conductor"],
  // The composition root. It alone opens the state folder; the other rooms get folders as arguments.
  boot: [
    "launch",
    "state",
    "catalogue",
    "line-file",
    "server-log",
    "audit",
    "clients",
    "doctor",
    "login",
    "screen",
    "deck",
    "policy",
    "briefing",
    "conductor",
    "models",
    "gateway",
  ],
  // The front ends of a session. They get it opened.
  repl: ["boot", "conductor", "mentions", "policy", "questions", "screen"],
  link: ["boot", "conductor", "mentions", "policy", "questions", "screen"],
  acp: ["conductor", "mentions", "questions"],
  commands: [
    "boot",
    "launch",
    "screen",
    "doctor",
    "clients",
    "login",
    "conductor",
    "mentions",
    "repl",
    "link",
    "acp",
  ],
  bin: ["boot", "launch", "commands"],
};

/** Which libraries a room may import. All rooms except the pure ones may import Node's own modules. */
const LIBRARIES: { readonly [room: string]: readonly string[] } = {
  "interop/network": ["undici"],
  "interop/auth": ["@modelcontextprotocol/client"],
  "interop/endpoint": ["@modelcontextprotocol/client"],
  "interop/host": ["@modelcontextprotocol/server"],
  config: ["jsonc-parser"],
  clients: ["smol-toml"],
  gateway: ["prom-client"],
  acp: ["@agentclientprotocol/sdk"],
  runtime: ["minisearch"],
  models: [
    "@ai-sdk/anthropic",
    "@ai-sdk/google",
    "@ai-sdk/openai",
    "@ai-sdk/openai-compatible",
    "@ai-sdk/provider",
  ],
  core: ["cross-spawn", "fastest-levenshtein", "re2js"],
  "capabilities/tools": [
    "@vscode/ripgrep",
    "diff",
    "fastest-levenshtein",
    "htmlparser2",
    "picomatch",
    "turndown",
    "undici",
  ],
};

const PURE_ROOMS = [
  "llm/contract",
  "runtime/contract",
  "interop/contract",
  "interop/schema",
  "interop/naming",
  "interop/content",
];

interface Edge {
  readonly from: string;
  readonly to: string;
  readonly fromRoom: string;
}

const IMPORT =
  /(?:^|[\s;}])(?:import|export)\s[^"';]*?from\s*["']([^"']+)["']|^\s*import\s+["']([^"']+)["']|\bimport\(\s*["']([^"']+)["']/gm;

function sourceFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((entry) => entry.endsWith(".ts"))
    .map((entry) => join(folder, entry));
}

function roomOf(file: string, rooms: readonly string[]): string {
  const path = file.split(sep).join("/");
  const known = [...rooms]
    .sort((a, b) => b.length - a.length)
    .find((room) => path === room || path.startsWith(`${room}/`));
  return known ?? path.split("/")[0] ?? path;
}

/** Groups of files that import each other in a circle. Type-only and dynamic imports count. */
function cyclesIn(edges: readonly Edge[]): string[][] {
  const targets = new Map<string, string[]>();
  for (const { from, to } of edges) targets.set(from, [...(targets.get(from) ?? []), to]);
  const reachable = (start: string): Set<string> => {
    const seen = new Set<string>();
    const next = [...(targets.get(start) ?? [])];
    for (let file = next.pop(); file !== undefined; file = next.pop()) {
      if (seen.has(file)) continue;
      seen.add(file);
      next.push(...(targets.get(file) ?? []));
    }
    return seen;
  };
  const reach = new Map([...targets.keys()].map((file) => [file, reachable(file)]));
  const inCycle = [...reach].filter(([file, seen]) => seen.has(file)).map(([file]) => file);
  return inCycle.map((file) => inCycle.filter((other) => reach.get(file)?.has(other)));
}

function edgesOf(packageFolder: string, rooms: readonly string[]): Edge[] {
  const src = join(root, packageFolder, "src");
  return sourceFiles(src).flatMap((file) => {
    const from = relative(src, file);
    const text = readFileSync(file, "utf8").replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, "");
    return [...text.matchAll(IMPORT)].map((match) => {
      const target = match[1] ?? match[2] ?? match[3] ?? "";
      const to = target.startsWith(".") ? relative(src, normalize(join(dirname(file), target))) : target;
      return { from, to, fromRoom: roomOf(from, rooms) };
    });
  });
}

const packages = [
  { folder: "packages/indusagi", table: FRAMEWORK },
  { folder: "packages/induscode", table: PRODUCT },
] as const;

for (const { folder, table } of packages) {
  const rooms = Object.keys(table);
  const edges = edgesOf(folder, rooms);
  const isRelative = (edge: Edge): boolean => edge.to.endsWith(".ts");

  test(`${folder}: every import between rooms is in the table`, () => {
    expect(edges.length).toBeGreaterThan(0);
    const forbidden = edges.filter(isRelative).filter((edge) => {
      const toRoom = roomOf(edge.to, rooms);
      const allowed = table[edge.fromRoom];
      if (toRoom === edge.fromRoom) return false;
      return !allowed?.some((room) => toRoom === room || toRoom.startsWith(`${room}/`));
    });
    expect(forbidden).toEqual([]);
  });

  test(`${folder}: no file imports itself through others, not even by a type-only or dynamic import`, () => {
    expect(cyclesIn(edges.filter(isRelative))).toEqual([]);
    expect(
      cyclesIn([
        { from: "a.ts", to: "b.ts", fromRoom: "" },
        { from: "b.ts", to: "a.ts", fromRoom: "" },
      ]),
    ).not.toEqual([]);
  });

  test(`${folder}: another room is entered through its index`, () => {
    const sideDoors = edges.filter(isRelative).filter((edge) => {
      const toRoom = roomOf(edge.to, rooms);
      return toRoom !== edge.fromRoom && !/(^|\/)(index|internal)\.ts$/.test(edge.to);
    });
    expect(sideDoors).toEqual([]);
  });

  test(`${folder}: a room imports only its own libraries`, () => {
    const foreign = edges
      .filter((edge) => !isRelative(edge) && !edge.to.startsWith("node:"))
      .filter((edge) => !(folder === "packages/induscode" && edge.to.startsWith("indusagi/")))
      .filter(
        (edge) =>
          !LIBRARIES[edge.fromRoom]?.some((name) => edge.to === name || edge.to.startsWith(`${name}/`)),
      );
    expect(foreign).toEqual([]);
  });

  test(`${folder}: a contract imports no library, no Node module, and only contracts and the framework`, () => {
    const forbidden = edges.filter((edge) => {
      const path = edge.from.split(sep).join("/");
      const isContract =
        PURE_ROOMS.some((room) => path.startsWith(`${room}/`)) || path.includes("/contract/");
      if (!isContract) return false;
      const isSibling = roomOf(edge.to, rooms) === edge.fromRoom && edge.fromRoom.startsWith("interop/");
      const allowed = /(^|\/)(contract\/|core\/index|llm\/index|runtime\/index)/;
      if (/^indusagi\/(core|llm|runtime|capabilities)$/.test(edge.to)) return false;
      return !isRelative(edge) || (!isSibling && !allowed.test(edge.to.split(sep).join("/")));
    });
    expect(forbidden).toEqual([]);
  });
}

test("an index holds named re-exports only", () => {
  const indexes = packages
    .flatMap(({ folder }) => sourceFiles(join(root, folder, "src")))
    .filter((file) => file.endsWith(`${sep}index.ts`));
  expect(indexes.length).toBeGreaterThan(0);
  for (const file of indexes) {
    const text = readFileSync(file, "utf8");
    expect(text, file).not.toMatch(/export \*/);
    expect(
      text
        .replaceAll(/export (type )?\{[^}]*\} from "[^"]+";/g, "")
        .replaceAll(/\/\*\*[\s\S]*?\*\/|\/\/.*$/gm, "")
        .trim(),
      file,
    ).toBe("");
  }
});
