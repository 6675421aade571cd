/** What a client of a gateway gets: everything, one server under its own names, or a named part of everything. */
export type Route =
  | { readonly kind: "all" }
  | { readonly kind: "server"; readonly id: string }
  | { readonly kind: "profile"; readonly name: string };

const BASE = "/mcp";
/** Stands before the name of a profile. A server of this name has a route, too: it is not followed by another name. */
const PROFILES = "p";

/** The path of a route. */
export function routePath(route: Route): string {
  if (route.kind === "all") return BASE;
  return route.kind === "server"
    ? `${BASE}/${encoded(route.id)}`
    : `${BASE}/${PROFILES}/${encoded(route.name)}`;
}

/** Half of a character, which a JSON file can contain, has no code: it becomes the replacement character. */
function encoded(name: string): string {
  return encodeURIComponent(Buffer.from(name).toString());
}

/** The route that a path names, whether it exists or not; undefined if it has not the form of one. */
export function parseRoutePath(path: string): Route | undefined {
  if (path === BASE) return { kind: "all" };
  if (!path.startsWith(`${BASE}/`)) return undefined;
  const [first, second, ...rest] = path
    .slice(BASE.length + 1)
    .split("/")
    .map(decoded);
  if (!first || rest.length > 0) return undefined;
  if (second === undefined) return path.split("/").length === 3 ? { kind: "server", id: first } : undefined;
  return first === PROFILES && second !== "" ? { kind: "profile", name: second } : undefined;
}

/** Undefined if the percent signs do not make sense. */
function decoded(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}
