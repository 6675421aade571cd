/** One resource, or one resource template, of one server. */
export interface ResourceRef {
  /** The server's id. */
  readonly server: string;
  /** The URI, or the URI template, exactly as on that server. */
  readonly uri: string;
}

const PREFIX = "indus://resource/";
/** Clients recognise the page of an app by its scheme, so such a name keeps it. */
const KEPT_SCHEME = /^(ui:\/\/)(.*)$/is;
const KEPT_NAME = /^(ui:\/\/)indus\+([^/]*)\/(.*)$/is;
const OWN = /^(?:indus:\/\/|ui:\/\/indus\+)/i;

/**
 * The URI under which a resource can always be read, regardless of other servers: `indus://resource/SERVER/URI`, or
 * `ui://indus+SERVER/…` for a page of an app. The server's URI follows unchanged, so a namespaced template is a template, and its
 * expansions are namespaced URIs.
 */
export function namespaceUri({ server, uri }: ResourceRef): string {
  const [, scheme, rest] = KEPT_SCHEME.exec(uri) ?? [];
  return scheme === undefined
    ? `${PREFIX}${escapeId(server)}/${uri}`
    : `${scheme}indus+${escapeId(server)}/${rest}`;
}

/** The inverse of `namespaceUri`; undefined for any other text. */
export function parseNamespacedUri(text: string): ResourceRef | undefined {
  const [, scheme, segment = "", rest = ""] = KEPT_NAME.exec(text) ?? [];
  if (scheme !== undefined) return namedBy(segment, `${scheme}${rest}`);
  if (!text.startsWith(PREFIX)) return undefined;
  const end = text.indexOf("/", PREFIX.length);
  if (end < 0) return undefined;
  return namedBy(text.slice(PREFIX.length, end), text.slice(end + 1));
}

/** One spelling per server: another one would be a second name for the same resource. */
function namedBy(segment: string, uri: string): ResourceRef | undefined {
  const server = segment.replaceAll(/~([0-9a-f]{4})/g, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 16)),
  );
  return escapeId(server) === segment ? { server, uri } : undefined;
}

const SKILL_SCHEME = "skill://";

/**
 * The URI for a resource that several servers have. A skill's keeps its scheme and its path, whose end is the name of the skill:
 * `skill://SERVER/PATH`. Any other is namespaced.
 */
export function clashUri({ server, uri }: ResourceRef): string {
  if (!uri.startsWith(SKILL_SCHEME)) return namespaceUri({ server, uri });
  return `${SKILL_SCHEME}${escapeId(server)}/${uri.slice(SKILL_SCHEME.length)}`;
}

/** What `skill://SERVER/PATH` means if there is such a server; undefined for any other text. */
export function parseSkillClash(text: string): ResourceRef | undefined {
  if (!text.startsWith(SKILL_SCHEME)) return undefined;
  const ref = parseNamespacedUri(PREFIX + text.slice(SKILL_SCHEME.length));
  return ref && { server: ref.server, uri: SKILL_SCHEME + ref.uri };
}

/** Whether a URI looks like one of ours. A server's URI that does is always namespaced, so it cannot shadow ours. */
export function isOwnUri(uri: string): boolean {
  return OWN.test(uri);
}

/**
 * The id as a path segment that no URL parser changes: percent escapes and dot segments have a meaning there, so other
 * characters are written as `~` and four hex digits.
 */
function escapeId(id: string): string {
  return id.replaceAll(
    /^\.|[^A-Za-z0-9_.-]/g,
    (char) => `~${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
