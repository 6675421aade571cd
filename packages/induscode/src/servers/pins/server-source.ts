import { contentHash } from "indusagi/core";
import { type ExtensionKey, installedPackage, type ServerConfig } from "indusagi/interop";

/**
 * A hash of what a row starts or connects to, without its package version, variables and headers. A row that starts another
 * program under the same name is another server: the approved texts of the old one must not be used for it. What a server lists for
 * clients with extensions has pins of its own, because it may describe the same tool in another way.
 */
export function serverSource(config: ServerConfig, extensions: ExtensionKey = ""): string {
  return extensions === "" ? sourceOf(config) : contentHash({ source: sourceOf(config), extensions });
}

function sourceOf(config: ServerConfig): string {
  if (config.kind !== "stdio") return contentHash({ url: withoutQuery(config.url) });
  const { command, args = [] } = config;
  const name = installedPackage(config);
  return contentHash(name === undefined ? { command, args } : { package: name });
}

/** A query often contains a key that changes. */
function withoutQuery(url: string): string {
  return url.replace(/[?#].*$/s, "");
}
