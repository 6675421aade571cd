const PREFIX = "indus://instructions/";

/** The resource with the full instructions of a server. */
export function instructionsUri(server: string): string {
  return PREFIX + encodeURIComponent(server);
}

/** The server whose instructions a URI names; undefined for any other URI. */
export function serverOfInstructionsUri(uri: string): string | undefined {
  if (!uri.startsWith(PREFIX)) return undefined;
  try {
    const server = decodeURIComponent(uri.slice(PREFIX.length));
    // One spelling per server.
    return server !== "" && instructionsUri(server) === uri ? server : undefined;
  } catch {
    return undefined;
  }
}
