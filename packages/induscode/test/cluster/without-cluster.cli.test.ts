import { readFileSync, writeFileSync } from "node:fs";
import { freePort, type TempDir, tempDir, verifies } from "@indus/testkit";
import { expect } from "vitest";
import { modernRequest, send, textOf } from "../../../indusagi/test/interop/host/http/raw-http.ts";
import { eventually, runIndus, scriptedRow, startIndus, writeConfig } from "../bin/run-indus.ts";

/** Writes down each module that a process loads by its name. */
function watchedImports(dir: TempDir): { readonly options: string; readonly names: () => string } {
  const file = dir.at("imported");
  writeFileSync(file, "");
  writeFileSync(
    dir.at("hooks.mjs"),
    `import { appendFileSync } from "node:fs";
export const resolve = (name, context, next) => {
  appendFileSync(${JSON.stringify(file)}, name + "\\n");
  return next(name, context);
};`,
  );
  writeFileSync(
    dir.at("watch.mjs"),
    `import { createRequire, register } from "node:module";
import { appendFileSync } from "node:fs";
register("./hooks.mjs", import.meta.url);
const Module = createRequire(import.meta.url)("node:module");
const load = Module._load;
Module._load = function (name, ...rest) {
  appendFileSync(${JSON.stringify(file)}, name + "\\n");
  return load.call(this, name, ...rest);
};`,
  );
  return {
    options: `--import ${JSON.stringify(dir.at("watch.mjs"))}`,
    names: () => readFileSync(file, "utf8"),
  };
}

verifies(
  "cluster:unloaded",
  "a gateway and a command without --cluster load nothing of NATS, and a command with it does",
  async () => {
    await using dir = await tempDir();
    const watched = watchedImports(dir);
    // With the cache the command loads its parts without Node's loader.
    const env = { NODE_OPTIONS: watched.options, NODE_DISABLE_COMPILE_CACHE: "1" };
    const rows = await writeConfig(dir.at("servers.json"), { asking: scriptedRow() });
    const port = await freePort();
    {
      using gateway = startIndus(["serve", "--port", String(port), "--mcp", rows], { cwd: dir.path, env });
      const url = await eventually(() => /^http:\S+/m.exec(gateway.out())?.[0]);
      const request = modernRequest(1, "tools/call", { name: "asking__echo", arguments: { text: "here" } });
      expect(textOf(await send(url, request))).toBe("here");
    }
    await runIndus(["mcp", "list", "--mcp", rows], { cwd: dir.path, env });
    await runIndus(["cluster", "--help"], { cwd: dir.path, env });
    expect(watched.names()).toContain("lib-");
    expect(watched.names()).not.toContain("nats");
    await runIndus(["cluster", "status", "--cluster", `nats://127.0.0.1:${await freePort()}`], {
      cwd: dir.path,
      env,
    });
    expect(watched.names()).toContain("nats-io-transport-node");
  },
  { timeoutMs: 60_000 },
);
