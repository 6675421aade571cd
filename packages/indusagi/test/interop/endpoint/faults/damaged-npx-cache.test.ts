import { chmod, mkdir, writeFile } from "node:fs/promises";
import { tempDir, verifies } from "@indus/testkit";
import fc from "fast-check";
import { type ServerConfig, type StdioServerConfig, startServerFleet } from "indusagi/interop";
import { expect } from "vitest";
import { damagedNpxFolder } from "../../../../src/interop/endpoint/faults/damaged-npx-cache.ts";
import { removalCommand } from "../../../../src/interop/endpoint/index.ts";

const PACKAGE = "@modelcontextprotocol/server-everything@2026.1.26";
/** The folder that npm made for this package. */
const NAME = "3d5f786ad9fb11c0";
const CACHE = "/home/me/.npm";
const FOLDER = `${CACHE}/_npx/${NAME}`;
const npx: StdioServerConfig = { kind: "stdio", id: "s", command: "npx", args: ["-y", PACKAGE, "stdio"] };

const found = (stderr: string, config: ServerConfig = npx, folder = FOLDER): string | undefined =>
  damagedNpxFolder(config, stderr, {
    platform: "linux",
    env: { HOME: "/home/me" },
    isFolder: (path) => path === folder,
  });

/** What npm 10, npm 11 and Node wrote when a folder was damaged. */
const SAMPLES: { readonly [name: string]: string } = {
  "two installations at a time": `npm ERR! code ENOTEMPTY
npm ERR! syscall rmdir
npm ERR! path ${FOLDER}/node_modules/readable-stream/lib/internal/streams
npm ERR! errno -39
npm ERR! ENOTEMPTY: directory not empty, rmdir '${FOLDER}/node_modules/readable-stream/lib/internal/streams'

npm ERR! A complete log of this run can be found in: ${CACHE}/_logs/2026-11-16T00_46_39_749Z-debug-0.log`,
  "a package is missing": `Error running script: Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'zod' imported from ${FOLDER}/node_modules/@modelcontextprotocol/sdk/dist/esm/server/mcp.js
    at packageResolve (node:internal/modules/esm/resolve:873:9)
    at moduleResolve (node:internal/modules/esm/resolve:946:18) {
  code: 'ERR_MODULE_NOT_FOUND'
}`,
  "a file is missing, named by a URL": `Error: Cannot find module 'x'
    at file://${FOLDER}/node_modules/a/index.js:1:1`,
  "a manifest is cut off": `Error: Invalid package config ${FOLDER}/node_modules/zod/package.json.
    at Object.read (node:internal/modules/package_json_reader:83:15) {
  code: 'ERR_INVALID_PACKAGE_CONFIG'
}`,
  "the command is missing": "sh: 1: mcp-server-everything: not found",
  "the list of packages is cut off": `npm error code EJSONPARSE
npm error JSON.parse Invalid package.json: JSONParseError: Bad control character in string literal in JSON at position 3 while parsing "{\\"x\\n"
npm error A complete log of this run can be found in: ${CACHE}/_logs/2026-11-16T00_44_50_739Z-debug-0.log`,
  "no command was found": "npm error could not determine executable to run",
};

for (const [name, stderr] of Object.entries(SAMPLES))
  verifies("starts:npx-cache", `the folder is named: ${name}`, () => {
    expect(found(stderr)).toBe(FOLDER);
    expect(found(stderr, npx, "/elsewhere")).toBeUndefined(); // A folder that does not exist is not damaged.
    expect(found(stderr, { ...npx, command: "node" })).toBeUndefined();
  });

verifies("starts:npx-cache", "other failures of a server in the cache name no folder", () => {
  expect(found(`Error: set API_KEY\n    at ${FOLDER}/node_modules/a/index.js:1:1`)).toBeUndefined();
  expect(
    found("npm error code E404\nnpm error 404 Not Found - GET https://registry.npmjs.org/x"),
  ).toBeUndefined();
  expect(found("npm error code ENOTEMPTY\nnpm error path /home/me/project/node_modules/a")).toBeUndefined();
});

verifies("starts:npx-cache", "the cache of the row, spaces and Windows paths", () => {
  const row = { ...npx, env: { npm_config_cache: "/var/npm" } };
  expect(found("sh: 1: x: not found", row, `/var/npm/_npx/${NAME}`)).toBe(`/var/npm/_npx/${NAME}`);
  const spaced = `/Users/J Doe/.npm/_npx/${NAME}`;
  expect(found(`npm error code ENOTEMPTY\nnpm error path ${spaced}/node_modules/a`, npx, spaced)).toBe(
    spaced,
  );
  const windows = `C:\\Users\\J Doe\\AppData\\Local\\npm-cache\\_npx\\${NAME}`;
  const machine = {
    platform: "win32",
    env: { LOCALAPPDATA: "C:\\Users\\J Doe\\AppData\\Local" },
    isFolder: (path: string) => path === windows,
  } as const;
  const unknown = "'x' is not recognized as an internal or external command,";
  const wrapped = { ...npx, command: "cmd", args: ["/c", "npx", "-y", PACKAGE] };
  expect(damagedNpxFolder(wrapped, unknown, machine)).toBe(windows);
  expect(
    damagedNpxFolder(npx, `npm error code EEXIST\nnpm error path ${windows}\\node_modules\\a`, machine),
  ).toBe(windows);
  expect(removalCommand(windows, "win32")).toBe(`cmd /c rmdir /s /q "${windows}"`);
  expect(removalCommand(FOLDER, "linux")).toBe(`rm -rf -- ${FOLDER}`);
  expect(removalCommand(`/a b/it's/_npx/${NAME}`, "darwin")).toBe(`rm -rf -- '/a b/it'\\''s/_npx/${NAME}'`);
});

verifies("starts:npx-cache", "a path that a server made up leads nowhere else, and costs little", () => {
  for (const path of [
    `/home/me/../../_npx/${NAME}`,
    `/a\u0007b/_npx/${NAME}`,
    `/_npx/${NAME}/../..`,
    `relative/_npx/${NAME}`,
  ]) {
    const folder = damagedNpxFolder(npx, `code ENOTEMPTY '${path}'`, {
      platform: "linux",
      env: {},
      isFolder: () => true,
    });
    expect(folder ?? "").not.toMatch(/\.\.|\u0007|^relative/);
  }
  const alphabet = fc.constantFrom(
    "/",
    "_npx",
    NAME,
    "'",
    " ",
    "..",
    "\n",
    "ENOTEMPTY",
    "code ",
    "\\",
    "path ",
    "a",
    "file://",
  );
  fc.assert(
    fc.property(fc.array(alphabet, { maxLength: 40 }), (parts) => {
      const machine = { platform: "linux", env: {}, isFolder: () => true } as const;
      const folder = damagedNpxFolder(npx, parts.join(""), machine);
      if (folder !== undefined) expect(folder).toMatch(/^(?:\/|[A-Za-z]:).*[\\/]_npx[\\/][0-9a-f]{16}$/s);
    }),
  );
  expect(found(`code ENOTEMPTY ${"/".repeat(60_000)}${`/_npx/${NAME}`.repeat(3000)}`)).toBeUndefined();
});

verifies(
  "starts:npx-cache",
  "the status of a server whose cache is damaged shows the command that removes it",
  async () => {
    await using dir = await tempDir();
    const folder = dir.at("cache", "_npx", NAME);
    await mkdir(folder, { recursive: true });
    await writeFile(
      dir.at("npx"),
      `#!/bin/sh\necho "sh: 1: mcp-server-everything: not found" >&2\nexit 127\n`,
    );
    await chmod(dir.at("npx"), 0o755);
    const row = { ...npx, command: dir.at("npx"), env: { npm_config_cache: dir.at("cache") } };
    const fleet = await startServerFleet({ servers: [row] }, { supervision: false });
    expect(fleet.status().get("s")?.summary).toContain(
      `remove it with rm -rf -- ${folder} and start the server again`,
    );
    await fleet.tearDown();
  },
  { only: ["linux", "darwin"] },
);
