import { contentHash } from "../../../core/index.ts";
import type { ToolDescriptor } from "../../../llm/index.ts";

/** The tools of a box as programs call them: `namespace.name(arguments)`. */
export interface ToolApi {
  /** One for each server, and `native` for tools that belong to none. */
  readonly namespaces: readonly string[];
  /** A tool's own name is understood too. */
  find(namespace: string, name: string): ToolDescriptor | undefined;
  /**
   * The name that a call of a missing tool has. `isRefused`: whether the box knows why a tool is not listed; a function's name does not
   * say how its tool is written, so the usual ways are tried.
   */
  missingName(namespace: string, name: string, isRefused: (tool: string) => boolean): string;
  /** The server with this namespace. */
  serverOf(namespace: string): string | undefined;
  /** The functions of a namespace. */
  functions(namespace: string): readonly string[];
  nameOf(tool: ToolDescriptor): { readonly namespace: string; readonly name: string } | undefined;
}

/** Where tools that belong to no server are. */
const OWN_NAMESPACE = "native";

const apis = new WeakMap<readonly ToolDescriptor[], ToolApi>();

/** Made once for each list of tools. */
export function toolApi(tools: readonly ToolDescriptor[]): ToolApi {
  const known = apis.get(tools) ?? createApi(tools);
  apis.set(tools, known);
  return known;
}

function createApi(tools: readonly ToolDescriptor[]): ToolApi {
  const byServer = new Map<string, ToolDescriptor[]>();
  for (const tool of tools) {
    const server = tool.origin?.server ?? "";
    const group = byServer.get(server);
    if (group) group.push(tool);
    else byServer.set(server, [tool]);
  }
  const servers = identifiers(
    [...byServer.keys()].map((server) => server || OWN_NAMESPACE),
    RESERVED,
  );
  const names = new Map<ToolDescriptor, { readonly namespace: string; readonly name: string }>();
  const spaces = new Map<string, Namespace>();
  for (const [server, group] of byServer) {
    const namespace = servers.get(server || OWN_NAMESPACE) as string;
    const own = group.map((tool) => ownName(tool));
    const functions = identifiers(own, WORDS);
    // First the tools' own names: a name that is made may be the same as another tool's own.
    const byName = new Map(group.map((tool) => [ownName(tool), tool]));
    for (const tool of group) {
      const name = functions.get(ownName(tool)) as string;
      byName.set(name, tool);
      names.set(tool, { namespace, name });
    }
    spaces.set(namespace, { server, tools: byName, functions: [...functions.values()] });
  }
  return {
    namespaces: [...spaces.keys()],
    find: (namespace, name) => spaces.get(namespace)?.tools.get(name),
    missingName: (namespace, name, isRefused) => {
      const known = spaces.get(namespace)?.server;
      if (known === "") return name;
      const servers = known === undefined ? spellings(namespace) : [known];
      const names = servers.flatMap((server) => spellings(name).map((tool) => `${server}__${tool}`));
      return names.find(isRefused) ?? (names[0] as string);
    },
    serverOf: (namespace) => spaces.get(namespace)?.server,
    functions: (namespace) => spaces.get(namespace)?.functions ?? [],
    nameOf: (tool) => names.get(tool),
  };
}

interface Namespace {
  /** Empty: tools that belong to none. */
  readonly server: string;
  /** By their functions, and by their own names. */
  readonly tools: ReadonlyMap<string, ToolDescriptor>;
  readonly functions: readonly string[];
}

/** The name without its server. */
function ownName({ name, origin }: ToolDescriptor): string {
  if (!origin) return name;
  const start = `${origin.server}__`;
  return name.startsWith(start) && name.length > start.length ? name.slice(start.length) : origin.tool;
}

/**
 * An identifier for each name, no two the same: `read_text_file` is `readTextFile`. Names that would become the same identifier, or one
 * that may not be used, get a hash, so the result does not depend on the order; a name that is itself the identifier keeps it.
 */
export function identifiers(
  names: readonly string[],
  reserved: ReadonlySet<string>,
): ReadonlyMap<string, string> {
  const wanted = new Map<string, number>();
  for (const name of new Set(names)) wanted.set(camelCase(name), (wanted.get(camelCase(name)) ?? 0) + 1);
  const taken = new Set(names.filter((name) => camelCase(name) === name && !reserved.has(name)));
  const made = new Map<string, string>();
  for (const name of [...new Set(names)].sort()) {
    const plain = camelCase(name);
    const isOwn = plain === name && taken.has(name);
    const isFree = wanted.get(plain) === 1 && !reserved.has(plain);
    let identifier = isOwn || isFree ? plain : "";
    // The digits of a hash are not a name that a server chose, unless it wants trouble.
    for (let digits = 4; identifier === ""; digits += 4) {
      const hashed = `${plain}_${contentHash([name]).slice(0, digits)}`;
      if (!taken.has(hashed)) identifier = hashed;
    }
    taken.add(identifier);
    made.set(name, identifier);
  }
  return made;
}

/** What `camelCase` may have made the name of, the name itself first. */
function spellings(name: string): readonly string[] {
  const words = name.replaceAll(/(?<=[a-z\d])(?=[A-Z])/g, " ").split(" ");
  if (words.length === 1) return [name];
  const lower = words.map((word) => word.toLowerCase());
  return [name, ...["_", "-", "."].flatMap((mark) => [lower.join(mark), words.join(mark)])];
}

function camelCase(name: string): string {
  const [first = "", ...others] = name.split(/[^A-Za-z0-9$]+/).filter(Boolean);
  const joined = first.charAt(0).toLowerCase() + first.slice(1) + others.map(capitalized).join("");
  if (joined === "") return "tool";
  return /^\d/.test(joined) ? `_${joined}` : joined;
}

function capitalized(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

/** Words that JavaScript does not take as the name of a function. */
const WORDS: ReadonlySet<string> = new Set(
  (
    "arguments await break case catch class const continue debugger default delete do else enum eval export extends false finally " +
    "for function if implements import in instanceof interface let new null package private protected public return static super " +
    "switch then this throw toJSON true try typeof var void while with yield"
  ).split(" "),
);

/** Whether a server can have this namespace. Those of servers begin with a small letter. */
export function canBeNamespace(name: string): boolean {
  return !RESERVED.has(name);
}

/** Also those that programs need themselves. */
const RESERVED: ReadonlySet<string> = new Set([
  ...WORDS,
  ...(
    "clearTimeout console decodeURI decodeURIComponent encodeURI encodeURIComponent escape globalThis isFinite isNaN parseFloat " +
    "parseInt setTimeout undefined unescape"
  ).split(" "),
]);
