import { verifies } from "@indus/testkit";
import { startTree } from "indusagi/core";
import {
  createEraMemory,
  createServerEndpoint,
  type EndpointOptions,
  type ServerConfig,
} from "indusagi/interop";
import { expect } from "vitest";
import { flakyHttp } from "../../fleet/flaky-http.ts";
import { scripted } from "../../kit/scripted.ts";

/** Opens and closes it once; returns its era, or the fault. */
async function eraOf(config: ServerConfig, options: EndpointOptions): Promise<unknown> {
  const endpoint = createServerEndpoint(config, undefined, { relistMs: 60_000, ...options });
  try {
    await endpoint.open();
    return endpoint.session().era;
  } catch (thrown) {
    return thrown;
  } finally {
    await endpoint.close();
  }
}

verifies("endpoint:renewed", "stdio: an upgraded server is probed again after one refusal", async () => {
  let era = "legacy";
  const options: EndpointOptions = {
    eras: createEraMemory(),
    stdio: { startTree: (command, args, rest) => startTree(command, [...args, "--era", era], rest) },
  };
  expect(await eraOf(scripted("s"), options)).toBe("legacy");
  era = "modern";
  expect(await eraOf(scripted("s"), options)).toMatchObject({ kind: "spawn_failed" });
  expect(await eraOf(scripted("s"), options)).toBe("modern");
});

verifies(
  "endpoint:renewed",
  "HTTP: an upgraded server is probed again, an unreachable one is not",
  async () => {
    const options: EndpointOptions = { eras: createEraMemory() };
    const first = await flakyHttp("legacy");
    const config = { kind: "streamable-http", id: "h", url: first.url, onMismatch: "fail" } as const;
    expect(await eraOf(config, options)).toBe("legacy");
    await first[Symbol.asyncDispose]();
    expect(await eraOf(config, options)).toMatchObject({ kind: "transport" });
    await using second = await flakyHttp("modern", first.port);
    expect(await eraOf(config, options)).toMatchObject({ kind: "transport" });
    expect(second.asked).toEqual(["initialize"]);
    expect(await eraOf(config, options)).toBe("modern");
  },
);
