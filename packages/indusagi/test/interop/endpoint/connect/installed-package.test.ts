import { verifies } from "@indus/testkit";
import fc from "fast-check";
import { exactPackageVersion, installedPackage, type ServerConfig } from "indusagi/interop";
import { expect } from "vitest";
import { npxPackages } from "../../../../src/interop/endpoint/connect/installed-package.ts";

const launch = (line: string): ServerConfig => {
  const [command = "", ...args] = line.split(" ");
  return { kind: "stdio", id: "s", command, args };
};

const TABLE: readonly (readonly [line: string, found: string | undefined])[] = [
  ["npx -y @modelcontextprotocol/server-everything", "npm:@modelcontextprotocol/server-everything"],
  ["npx --yes @scope/name@1.2.3 --port 3", "npm:@scope/name"],
  ["npx name@latest stdio", "npm:name"],
  ["npx -p @scope/tool some-bin", "npm:@scope/tool"],
  ["npx --package=@scope/tool@2 -- some-bin", "npm:@scope/tool"],
  ["npx --registry https://npm.example -y name", "npm:name"],
  ["/usr/local/bin/npx name", "npm:name"],
  ["C:\\nodejs\\npx.cmd -y name", "npm:name"],
  ["NPX.CMD -y name", "npm:name"],
  ["cmd /c npx -y name", "npm:name"],
  ["C:\\Windows\\System32\\cmd.exe /d /c npx.cmd -y name", "npm:name"],
  ["env KEY=value npx -y name", "npm:name"],
  ["npm exec -- name", "npm:name"],
  ["npm --silent exec --yes name@2", "npm:name"],
  ["npm x name", "npm:name"],
  ["bunx name", "npm:name"],
  ["bun x --bun name", "npm:name"],
  ["pnpm dlx @scope/name", "npm:@scope/name"],
  ["pnpm.cmd dlx name", "npm:name"],
  ["pnpx name", "npm:name"],
  ["yarn dlx name", "npm:name"],
  ["uvx mcp-server-git --repository .", "python:mcp-server-git"],
  ["uvx.exe MCP-Server-Git@2025.1", "python:mcp-server-git"],
  ["uvx --from git+https://example.org/x mcp-x", "python:git+https://example.org/x"],
  ["uvx --python 3.12 name[extra]==1.0", "python:name"],
  ["uv tool run name", "python:name"],
  ["pipx run name", "python:name"],
  ["docker run -i --rm mcp/fetch", "image:mcp/fetch"],
  ["docker run -i --rm -e TOKEN -v /a:/b ghcr.io/x/y:1.2 stdio", "image:ghcr.io/x/y"],
  ["docker run --rm -it --network host --env=A=b localhost:5000/y@sha256:abc", "image:localhost:5000/y"],
  ["docker container run --rm -i mcp/time:latest", "image:mcp/time"],
  ["podman run -i image", "image:image"],
  ["npx", "npm:npx"],
  ["node server.js", undefined],
  ["npm run start", undefined],
  ["npm start", undefined],
  ["pnpm exec tool", undefined],
  ["uv run server.py", undefined],
  ["docker exec -i box server", undefined],
  ["cmd /c node server.js", undefined],
  ["/opt/npx-tools/server npx", undefined],
];

for (const [line, found] of TABLE)
  verifies("starts:recognised", `${line} → ${found ?? "installs nothing"}`, () => {
    expect(installedPackage(launch(line))).toBe(found);
  });

verifies("starts:recognised", "a server behind HTTP installs nothing", () => {
  const row: ServerConfig = { kind: "streamable-http", id: "s", url: "http://127.0.0.1/npx" };
  expect([installedPackage(row), npxPackages(row)]).toEqual([undefined, undefined]);
});

verifies("starts:recognised", "the packages of npx are returned as written", () => {
  expect(npxPackages(launch("npx -y @scope/name@1.2 --flag"))).toEqual(["@scope/name@1.2"]);
  expect(npxPackages(launch("npx -p a@1 -p b run"))).toEqual(["a@1", "b"]);
  expect(npxPackages(launch("uvx name"))).toBeUndefined();
});

verifies(
  "starts:recognised",
  "any command line is read without an error, and two versions are one package",
  () => {
    const words = [
      "-y",
      "--",
      "-p",
      "--package",
      "--package=a",
      "name",
      "@s/n",
      "--x=1",
      "/c",
      "exec",
      "run",
      "=",
    ];
    const someWords = fc.array(fc.constantFrom(...words), { maxLength: 6 });
    const someCommand = fc.constantFrom("npx", "npm", "cmd", "env", "docker", "uvx", "pnpm", "");
    fc.assert(
      fc.property(someCommand, someWords, (command, args) => {
        const found = installedPackage({ kind: "stdio", id: "s", command, args });
        if (found !== undefined) expect(found).toMatch(/^(npm|python|image):./);
      }),
    );
    const version = fc.stringMatching(/^[0-9]{1,3}(\.[0-9a-z-]{1,5}){0,2}$/);
    fc.assert(
      fc.property(fc.constantFrom("name", "@scope/name"), version, version, (name, a, b) => {
        expect(installedPackage(launch(`npx -y ${name}@${a}`))).toBe(
          installedPackage(launch(`npx ${name}@${b}`)),
        );
      }),
    );
  },
);

const DIGEST = `sha256:${"0a".repeat(32)}`;

const VERSIONS: readonly (readonly [line: string, version: string | undefined])[] = [
  ["npx -y @scope/name@1.2.3", "1.2.3"],
  ["cmd /c npx name@v1.2.3-beta.1", "1.2.3-beta.1"],
  ["pnpm dlx name@1.2.3+build", "1.2.3+build"],
  ["npx name@1.2", undefined],
  ["npx name@^1.2.3", undefined],
  ["npx name@latest", undefined],
  ["npx @1.2.3/name", undefined],
  ["uvx name==1.2", "1.2"],
  ["uvx --from name[extra]==1.2.post1 bin", "1.2.post1"],
  ["uvx name@2025.1", "2025.1"],
  ["uvx name>=1.2", undefined],
  ["uvx name~=1.2", undefined],
  ["uvx name", undefined],
  [`docker run -i mcp/fetch@${DIGEST}`, DIGEST],
  ["docker run -i mcp/fetch:1.2.3", undefined],
  ["node server.js@1.2.3", undefined],
];

verifies("starts:recognised", "a launch names an exact version, a digest, or neither", () => {
  for (const [line, version] of VERSIONS) expect(exactPackageVersion(launch(line)), line).toBe(version);
  expect(exactPackageVersion({ kind: "sse", id: "s", url: "http://x/npx@1.2.3" })).toBeUndefined();
});
