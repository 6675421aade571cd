import { join } from "node:path";
import { verifies } from "@indus/testkit";
import fc from "fast-check";
import type { LaunchAsWritten } from "indusagi/config";
import { expect } from "vitest";
import { isPortableLaunch } from "../../../src/servers/memory/portable-launch.ts";

const folder = join("/", "home", "me", "site");

/** Whether a command line is the same program in every folder, for a folder in which these paths exist. */
function isPortable(line: string, present: readonly string[] = [], rest: LaunchAsWritten = {}): boolean {
  const [command = "", ...args] = line.split(" ");
  const paths = new Set(present.map((path) => join(folder, path)));
  return isPortableLaunch({ command, args, ...rest }, folder, (path) => paths.has(path));
}

verifies(
  "catalogue:everywhere",
  "a program from the PATH or an absolute path is the same in every folder",
  () => {
    for (const line of [
      "some-server",
      "/opt/bin/some-server --stdio",
      "C:\\tools\\server.exe --stdio",
      "npx -y @modelcontextprotocol/server-everything",
      "cmd /c npx -y some-server@1.2.3",
      "env TOKEN=x npx -y some-server",
      "uvx mcp-server-fetch",
      "uv run --with mcp server",
      "docker run -i --rm mcp/fetch",
      "node /opt/server/index.js",
      "node -e 0",
      "python3 -m some_server",
      "npx -y @modelcontextprotocol/server-filesystem /home/me",
      "~/bin/server",
    ])
      expect([line, isPortable(line)]).toEqual([line, true]);
    expect(isPortableLaunch({ url: "https://example.com/mcp" }, folder, () => false)).toBe(true);
  },
);

verifies(
  "catalogue:everywhere",
  "relative paths, a cwd, workspace variables and scripts of the folder are not",
  () => {
    for (const line of [
      "./server",
      "bin/server",
      "some-server .",
      "some-server --root=../data",
      "node server.js",
      "node dist/index.js",
      "python3 server.py",
      "make serve",
      "cargo run",
      "npm start",
      "bun run server",
      "poetry run server",
      "some-server ${workspaceFolder}",
      "npx -y server-filesystem ${PWD}",
      "npx -y file:../server",
    ])
      expect([line, isPortable(line)]).toEqual([line, false]);
    expect(isPortable("some-server", [], { cwd: "/opt" })).toBe(false);
    expect(isPortable("some-server", [], { env: { ROOT: "${workspaceFolder}/data" } })).toBe(false);
    expect(isPortable("some-server", [], { envFiles: [".env"] })).toBe(false);
    expect(isPortableLaunch({ url: "http://x/${workspaceFolderBasename}" }, folder, () => false)).toBe(false);
  },
);

verifies(
  "catalogue:everywhere",
  "a launcher that looks into the folder first counts as relative where it finds an answer",
  () => {
    expect(isPortable("npx -y some-server", ["node_modules/some-server"])).toBe(false);
    expect(isPortable("npx -y some-server", ["../node_modules/.bin/some-server"])).toBe(false);
    expect(isPortable("bunx @a/b@2", ["node_modules/@a/b"])).toBe(false);
    expect(isPortable("npx -y some-server", ["node_modules/other"])).toBe(true);
    expect(isPortable("uv run server", ["pyproject.toml"])).toBe(false);
    expect(isPortable("python3 -m some_server.main", ["some_server"])).toBe(false);
    expect(isPortable("python3 -m some_server", ["some_server.py"])).toBe(false);
    expect(isPortable("docker run -i mcp/fetch", ["mcp/fetch"])).toBe(false);
  },
);

verifies(
  "catalogue:everywhere",
  "a word that names a workspace variable always makes a launch relative",
  () => {
    const word = fc.string();
    fc.assert(
      fc.property(word, fc.array(word), word, (command, args, rest) => {
        const written = { command, args: [...args, `${rest}\${workspaceFolder}`] };
        expect(isPortableLaunch(written, folder, () => false)).toBe(false);
      }),
    );
  },
);

verifies("catalogue:everywhere", "a package runner starts the package of the folder, if it has one", () => {
  const looking = ["npx", "bunx", "pnpx", "npm exec", "npm x", "pnpm exec", "pnpm dlx", "yarn dlx", "bun x"];
  for (const runner of looking)
    for (const place of ["node_modules/@scope/server", "../node_modules/@scope/server"]) {
      const line = `${runner} @scope/server@1.2.3 --stdio`;
      expect([line, isPortable(line), isPortable(line, [place])]).toEqual([line, true, false]);
    }
  // Programs like any other.
  for (const runner of ["uvx", "uv tool run", "pipx run", "pnpm-exec"]) {
    const line = `${runner} some-server`;
    expect([line, isPortable(line, ["node_modules/some-server", "pyproject.toml"])]).toEqual([line, true]);
  }
  expect(isPortable("pipx run some-server", ["__pypackages__"])).toBe(false);
});
