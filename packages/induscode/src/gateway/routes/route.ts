/** What a client gets: everything, one server under its own names, or a profile. */
export type Route =
  | { readonly kind: "all" }
  | { readonly kind: "server"; readonly id: string }
  | { readonly kind: "profile"; readonly name: string };

const BASE = "/mcp";
/** Precedes the name of a profile. A server named `p` still has a route: nothing follows it. */
const PROFILES = "p";

export function routePath(route: Route): string {
  if (route.kind === "all") return BASE;
  return route.kind === "server"
    ? `${BASE}/${encoded(route.id)}`
    : `${BASE}/${PROFILES}/${encoded(route.name)}`;
}

/** Lone surrogates, which JSON can contain, become U+FFFD. */
function encoded(name: string): string {
  return encodeURIComponent(Buffer.from(name).toString());
}

/** Parses a path, whether its route exists or not. Undefined if it is malformed. */
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

/** Undefined if the percent-encoding is malformed. */
function decoded(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}
