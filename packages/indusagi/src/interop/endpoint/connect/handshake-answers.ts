import { isRecord } from "../../../core/index.ts";
import { MetaKey, type ServerSession } from "../../contract/index.ts";

/** What a server says about itself when a connection is opened. */
export interface Introduction {
  readonly capabilities: ServerSession["capabilities"];
  readonly serverInfo: ServerSession["serverInfo"];
  readonly instructions: string | undefined;
}

/**
 * Checks a value: undefined if it fits, otherwise where and why not. The same values are refused as by the schemas of the SDK
 * (a test compares them); unlike there, unknown members stay.
 */
type Check = (value: unknown, path: string) => string | undefined;

const text: Check = (value, path) => (typeof value === "string" ? undefined : `${path} is not a string`);
const flag: Check = (value, path) => (typeof value === "boolean" ? undefined : `${path} is not a boolean`);

function oneOf(...known: readonly string[]): Check {
  return (value, path) =>
    known.includes(value as string) ? undefined : `${path} is not ${known.join(" or ")}`;
}

function listOf(check: Check): Check {
  return (value, path) =>
    Array.isArray(value)
      ? firstOf(value, (item, at) => check(item, `${path}[${at}]`))
      : `${path} is not an array`;
}

function mapOf(check: Check): Check {
  return (value, path) =>
    isRecord(value)
      ? firstOf(Object.entries(value), ([name, member]) => check(member, `${path}.${name}`))
      : `${path} is not an object`;
}

/** An object with these members. Others are not checked. */
function objectWith(members: { readonly [name: string]: Check }, required: readonly string[] = []): Check {
  return (value, path) => {
    if (!isRecord(value)) return `${path} is not an object`;
    return firstOf(Object.entries(members), ([name, check]) =>
      value[name] === undefined && !required.includes(name)
        ? undefined
        : check(value[name], `${path}.${name}`),
    );
  };
}

function firstOf<Item>(
  items: readonly Item[],
  problem: (item: Item, at: number) => string | undefined,
): string | undefined {
  for (const [at, item] of items.entries()) {
    const found = problem(item, at);
    if (found !== undefined) return found;
  }
  return undefined;
}

const object = objectWith({});
const icon = objectWith({ src: text, mimeType: text, sizes: listOf(text), theme: oneOf("light", "dark") }, [
  "src",
]);
const implementation = objectWith(
  { name: text, version: text, title: text, icons: listOf(icon), websiteUrl: text, description: text },
  ["name", "version"],
);
const CAPABILITIES = {
  experimental: mapOf(object),
  logging: object,
  completions: object,
  prompts: objectWith({ listChanged: flag }),
  resources: objectWith({ subscribe: flag, listChanged: flag }),
  tools: objectWith({ listChanged: flag }),
  extensions: mapOf(object),
};
const legacyTasks = objectWith({
  list: object,
  cancel: object,
  requests: objectWith({ tools: objectWith({ call: object }) }),
});
const initializeResult = objectWith(
  {
    protocolVersion: text,
    capabilities: objectWith({ ...CAPABILITIES, tasks: legacyTasks }),
    serverInfo: implementation,
    instructions: text,
    _meta: object,
  },
  ["protocolVersion", "capabilities", "serverInfo"],
);
const discoverResult = objectWith(
  {
    supportedVersions: listOf(text),
    capabilities: objectWith(CAPABILITIES),
    instructions: text,
    resultType: text,
    _meta: object,
  },
  ["supportedVersions", "capabilities"],
);

/** The answer to `initialize`, or why it is none. */
export function readInitializeResult(
  result: unknown,
): (Introduction & { readonly protocolVersion: string }) | { readonly problem: string } {
  const problem = initializeResult(result, "result");
  if (problem !== undefined) return { problem };
  const { protocolVersion, capabilities, serverInfo, instructions } = result as Introduction & {
    readonly protocolVersion: string;
  };
  return { protocolVersion, capabilities, serverInfo, instructions };
}

/** The answer to `server/discover`. Undefined if it is none: then the server does not speak the modern era. */
export function readDiscoverResult(
  result: unknown,
): (Introduction & { readonly supportedVersions: readonly string[] }) | undefined {
  if (discoverResult(result, "result") !== undefined) return undefined;
  const { supportedVersions, capabilities, instructions, _meta } = result as Omit<
    Introduction,
    "serverInfo"
  > & {
    readonly supportedVersions: readonly string[];
    readonly _meta?: { readonly [key: string]: unknown };
  };
  // A server need not say who it is, and what is malformed does not count.
  const info = _meta?.[MetaKey.SERVER_INFO];
  const isKnown = implementation(info, "serverInfo") === undefined;
  const serverInfo = isKnown ? (info as Introduction["serverInfo"]) : {};
  return { supportedVersions, capabilities, serverInfo, instructions };
}
