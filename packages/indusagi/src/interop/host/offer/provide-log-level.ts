import type { HostConnection } from "../request/host-connection.ts";
import { askProvider } from "./provide-resources.ts";

/**
 * Answers `logging/setLevel` of the legacy era: the level applies to this client only and is passed to the feed. In the modern
 * era each request names its level.
 */
export function provideLogLevel(connection: HostConnection): void {
  const { server, providers } = connection;
  server.setRequestHandler("logging/setLevel", async ({ params: { level } }, ctx) => {
    connection.logLevel = level;
    await askProvider(connection, ctx, "logging/setLevel", async (request) => {
      await providers.feed?.setLevel?.(level, request);
      return {};
    });
    return {};
  });
}
