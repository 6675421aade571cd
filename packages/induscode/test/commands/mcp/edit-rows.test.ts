import { readdirSync, statSync } from "node:fs";
import { verifies } from "@indus/testkit";
import { writtenRows } from "indusagi/config";
import { expect } from "vitest";
import { listingPatienceMs } from "../../../src/gateway/client-limits.ts";
import { CLIENTS } from "../../../src/servers/clients/index.ts";
import { scriptedRow } from "../../bin/run-indus.ts";
import { scratchHome } from "../in-home.ts";

const OURS = ".config/indusvx/mcp.json";
const PROJECT = "site/.indusvx/mcp.json";

function rowsIn(text: string): object {
  return Object.fromEntries(writtenRows(text).map(({ name, row }) => [name, row]));
}

verifies("command:add", "a command or a URL becomes a row of the user's or the project's file", async () => {
  await using scratch = await scratchHome({ env: { TOKEN: "t" } });
  const { indus, read } = scratch;
  const files = [
    "mcp",
    "add",
    "--no-start",
    "files",
    "--env",
    "A=b=c",
    "-e",
    "TOKEN",
    "--",
    "npx",
    "-y",
    "x",
    "--flag",
  ];
  expect(await indus(...files)).toMatchObject({ code: 0, err: "" });
  expect(rowsIn(read(OURS))).toEqual({
    files: { command: "npx", args: ["-y", "x", "--flag"], env: { A: "b=c", TOKEN: "${TOKEN}" } },
  });
  expect(statSync(scratch.at(OURS)).mode & 0o777).toBe(0o600);
  const header = "Authorization: Bearer ${TOKEN}";
  const url = ["https://mcp.example.com/mcp", "--header", header, "--scope", "project"];
  expect((await indus("mcp", "add", "--no-start", "web", ...url)).code).toBe(0);
  expect(rowsIn(read(PROJECT))).toEqual({
    web: { url: "https://mcp.example.com/mcp", headers: { Authorization: "Bearer ${TOKEN}" } },
  });
  expect(
    (await indus("mcp", "add-json", "--no-start", "time", '{"type":"stdio","command":"uvx","args":["t"]}'))
      .code,
  ).toBe(0);
  expect(rowsIn(read(OURS))).toMatchObject({ time: { type: "stdio", command: "uvx", args: ["t"] } });
  const unset = await indus("mcp", "add", "unset", "--env", "NOT_SET", "--", "x");
  expect(unset.err).toContain("uses the variable NOT_SET, which is not set");
  const named = await indus(
    "mcp",
    "add",
    "--no-start",
    "here",
    "--mcp",
    scratch.at("own.json"),
    "--",
    "here",
  );
  expect([named.code, rowsIn(read("own.json"))]).toEqual([0, { here: { command: "here" } }]);
});

verifies("command:add", "a server that the user adds to a project is approved by that", async () => {
  await using scratch = await scratchHome();
  await scratch.indus("mcp", "add", "--no-start", "web", "https://mcp.example.com/mcp", "--scope", "project");
  expect((await scratch.indus("mcp", "get", "web")).out).toMatch(/^trust +approved$/m);
  // A row that somebody else adds is not.
  const text = scratch.read(PROJECT).replace('"servers": {', '"servers": { "other": { "command": "x" },');
  scratch.write(PROJECT, text);
  expect((await scratch.indus("mcp", "get", "other")).out).toContain("indus mcp trust other");
});

verifies("command:add-forms", "the forms of other clients become the same rows", async () => {
  await using scratch = await scratchHome();
  const { indus, read } = scratch;
  const lines = [
    ["--transport", "http", "web", "https://a.example/mcp", "-H", "X-Key: k"],
    ["events", "https://a.example/sse", "-t", "sse"],
    ["-e", "A=b", "--transport=stdio", "local", "--", "npx", "-y", "x"],
  ];
  for (const words of lines)
    expect(await indus("mcp", "add", "--no-start", ...words)).toMatchObject({ code: 0, err: "" });
  expect(rowsIn(read(OURS))).toEqual({
    web: { type: "http", url: "https://a.example/mcp", headers: { "X-Key": "k" } },
    events: { type: "sse", url: "https://a.example/sse" },
    local: { type: "stdio", command: "npx", args: ["-y", "x"], env: { A: "b" } },
  });
  for (const [words, line] of [
    [["-t", "stdio", "a", "https://x"], "--transport stdio is only for servers started by a command"],
    [["-t", "http", "a", "--", "x"], "--transport http is only for servers with a URL"],
    [["-t", "htp", "a", "https://x"], "--transport takes one of stdio, http, sse"],
  ] as const) {
    const ran = await indus("mcp", "add", ...words);
    expect(ran).toMatchObject({ code: 2, out: "", err: expect.stringContaining(line) });
  }
});

verifies("command:add-forms", "without -- the corrected line is shown, and it works", async () => {
  await using scratch = await scratchHome();
  const { indus, read } = scratch;
  const put = 'indus: put -- before "npx", the command that starts the server: ';
  for (const [words, line] of [
    [["a", "npx", "-y", "it's"], "indus mcp add a -- npx -y 'it'\\''s'"],
    [["--scope", "project", "a", "npx", "-e", "1"], "indus mcp add --scope project a -- npx -e 1"],
    [["a", "npx"], "indus mcp add a -- npx"],
    [["a", "-e", "KEY=hunter2", "npx", "-y"], "indus mcp add ... -- npx -y"],
    [["a", "-eKEY=hunter2", "npx", "-y"], "indus mcp add ... -- npx -y"],
    [["a", "--env=KEY=hunter2", "npx", "-y"], "indus mcp add ... -- npx -y"],
  ] as const)
    expect(await indus("mcp", "add", ...words)).toMatchObject({ code: 2, out: "", err: `${put}${line}\n` });
  expect(scratch.exists(OURS)).toBe(false);
  await indus("mcp", "add", "--no-start", "a", "--", "npx", "-y", "x");
  expect(rowsIn(read(OURS))).toEqual({ a: { command: "npx", args: ["-y", "x"] } });
  // A wrong flag before the command is still the first problem.
  expect((await indus("mcp", "add", "--scop", "user", "b", "npx")).err).toContain('unknown flag "--scop"');
});

verifies(
  "command:edit-refusals",
  "what cannot be added or changed is one line with the way out, and changes nothing",
  async () => {
    await using scratch = await scratchHome();
    const { indus, write } = scratch;
    write(OURS, { servers: { files: { command: "x" } } });
    write(PROJECT, { servers: { files: { command: "y" } } });
    const before = scratch.read(OURS);
    const cases: readonly (readonly [words: string, code: number, line: string | RegExp])[] = [
      ["mcp add", 2, "mcp add needs a name"],
      ["mcp add a", 2, "mcp add needs a URL, or -- and the command"],
      [
        "mcp add a npx -y x",
        2,
        'put -- before "npx", the command that starts the server: indus mcp add a -- npx',
      ],
      ["mcp add a ftp://x", 2, "command after --: indus mcp add a -- COMMAND"],
      ["mcp add a https://x --env A=b", 2, "--env is only for servers started by"],
      ["mcp add a --header A:b -- x", 2, "--header is only for servers with a URL"],
      ["mcp add a https://x --header nope", 2, '--header takes "NAME: VALUE"'],
      ["mcp add a https://user:pw@x/", 2, "contains a user or password"],
      ["mcp add-json a {", 2, "is not valid JSON"],
      ["mcp add-json a {}", 2, 'neither "command" nor "url"'],
      ["mcp add files -- x", 1, 'already has a server "files"; remove it first with: indus mcp remove files'],
      ["mcp remove file", 1, "did you mean files?"],
      ["mcp remove files", 1, "choose one with --scope or --mcp"],
      ["mcp get files --scope team", 2, "--scope takes one of project, user"],
      ["mcp rename files__a b/c --scope user", 2, "use letters, digits, _ and -"],
      ["mcp disable nothing__here", 1, "there is no server and no tool named"],
      ["mcp enable a b", 2, "takes one name"],
      ["mcp trust nope", 1, "this project has no server named"],
      ["mcp import cursr", 2, "did you mean cursor?"],
    ];
    for (const [words, code, line] of cases) {
      const ran = await indus(...words.split(" "));
      expect([words, ran.code, ran.out]).toEqual([words, code, ""]);
      expect(ran.err, words).toMatch(
        line instanceof RegExp ? line : new RegExp(line.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&")),
      );
      const problems = ran.err
        .trimEnd()
        .split("\n")
        .filter((each) => !each.includes(": warning: "));
      expect(problems, words).toHaveLength(1);
    }
    expect(scratch.read(OURS)).toBe(before);
    write(OURS, "{ half");
    const broken = await indus("mcp", "add", "new", "--", "x");
    expect([broken.code, scratch.read(OURS)]).toEqual([1, "{ half"]);
    expect(broken.err).toMatch(/mcp\.json" is not valid JSON: .* \(line 1\); fix it first/);
  },
);

const COMMENTED = `{
  // mine
  "servers": {
    "s": ${JSON.stringify(scriptedRow())}, // the scripted one
    "t": { "command": "t", "args": ["\${T}"], "x-note": 1 }
  }
}
`;

verifies(
  "command:edit-keeps",
  "every edit keeps comments, unknown members and references, and a copy of the file before",
  async () => {
    await using scratch = await scratchHome();
    const { indus, read } = scratch;
    scratch.write(OURS, COMMENTED);
    for (const words of [
      "mcp disable t",
      "mcp disable s__fail",
      "mcp rename s__echo say",
      "mcp describe s__say Says it.",
    ])
      expect(await indus(...words.split(" ")), words).toMatchObject({ code: 0 });
    for (const kept of ["// mine", "// the scripted one", '"x-note": 1', '"${T}"'])
      expect(read(OURS)).toContain(kept);
    expect(rowsIn(read(OURS))).toMatchObject({
      s: { excludeTools: ["fail"], toolOverrides: { echo: { name: "say", description: "Says it." } } },
      t: { enabled: false },
    });
    const copies = readdirSync(scratch.at(".local/state/indusvx/backups"));
    expect(copies).toHaveLength(4);
    expect(read(".local/state/indusvx/backups", copies.toSorted()[0] ?? "")).toBe(COMMENTED);
    // And all of it back.
    for (const words of [
      ["enable", "t"],
      ["enable", "s__fail"],
      ["rename", "s__say", "echo"],
      ["describe", "s__echo", ""],
    ])
      expect(await indus("mcp", ...words), words.join(" ")).toMatchObject({ code: 0 });
    expect(read(OURS)).toBe(COMMENTED);
    expect((await indus("mcp", "enable", "t")).err).toContain("nothing to change");
  },
);

verifies(
  "command:shown-tools",
  "a renamed and described tool is listed and called under its shown name; a hidden one is not",
  async () => {
    await using scratch = await scratchHome();
    const { indus } = scratch;
    scratch.write(OURS, { servers: { s: scriptedRow() } });
    // Learns the names of the tools.
    expect((await indus("mcp", "call", "s__echo", "text=hi")).out).toBe("hi\n");
    for (const words of ["mcp rename s__echo s__say", "mcp describe s__say Says it.", "mcp disable s__fail"])
      await indus(...words.split(" "));
    const { tools } = JSON.parse((await indus("mcp", "list", "--json")).out) as {
      tools: readonly { name: string; description: string }[];
    };
    expect(tools.find(({ name }) => name === "s__say")?.description).toBe("Says it.");
    expect(tools.map(({ name }) => name)).not.toContain("s__echo");
    expect(tools.map(({ name }) => name)).not.toContain("s__fail");
    expect((await indus("mcp", "call", "s__say", "text=hi")).out).toBe("hi\n");
  },
);

verifies("command:get", "a row is shown with its file and its approval, and without secrets", async () => {
  await using scratch = await scratchHome();
  const row = {
    command: "x",
    args: ["--api-key", "sk-abcdef123456", "\u001b[2Jshown"],
    env: { TOKEN: "ghp_0123456789", HOST: "${HOST}" },
    timeout: 5000,
  };
  scratch.write(OURS, { servers: { a: row } });
  const text = await scratch.indus("mcp", "get", "a");
  expect(text.out).toMatch(/^file +.*mcp\.json \(user\)$/m);
  expect(text.out).toMatch(/^trust +yours$/m);
  expect(text.out).toMatch(/^timeout +5000$/m);
  expect(text.out).toContain('"HOST" = "${HOST}"');
  const json = await scratch.indus("mcp", "get", "a", "--json");
  expect(JSON.parse(json.out)).toMatchObject({ name: "a", scope: "user", trust: "own", enabled: true });
  for (const shown of [text.out, json.out]) {
    expect(shown).not.toContain("sk-abcdef123456");
    expect(shown).not.toContain("ghp_0123456789");
    expect(shown).not.toContain("\u001b");
  }
});

verifies(
  "command:edit-clients",
  "after a change the connected clients are named, with how to restart each",
  async () => {
    await using scratch = await scratchHome();
    expect((await scratch.indus("connect", "cursor")).code).toBe(0);
    const added = await scratch.indus("mcp", "add", "--no-start", "a", "--", "x");
    expect(added.err).toBe(
      "indus: Cursor is connected to indus; for it to see the change, switch the server off and on in the settings of Cursor, or restart Cursor\n",
    );
    expect((await scratch.indus("mcp", "remove", "a")).err).toBe(added.err);
  },
);

verifies(
  "add:told",
  "only clients that keep their first list are named; the gateway tells the others",
  async () => {
    await using scratch = await scratchHome();
    for (const client of CLIENTS) await scratch.indus("connect", client.id);
    const added = await scratch.indus("mcp", "add", "--no-start", "a", "--", "x");
    const named = CLIENTS.filter(({ title }) => added.err.includes(`${title} is connected`));
    const told = CLIENTS.filter((client) => !named.includes(client)).map(({ id }) => id);
    expect(told).toEqual(["claude-code", "vscode", "gemini", "opencode"]);
    // The gateway waits less for the first list of such a client: it comes for the rest later.
    const names = ["claude-code", "Visual Studio Code", "gemini-cli-mcp-client", "opencode"];
    const patience = names.map((name) => listingPatienceMs({ name, version: "1" }));
    expect(Math.max(...patience)).toBeLessThan(listingPatienceMs({ name: "cursor-vscode", version: "1" }));
  },
);

verifies(
  "command:edit-together",
  "commands that edit one file at the same time all take effect",
  async () => {
    await using scratch = await scratchHome();
    const names = ["a", "b", "c", "d", "e"];
    const ran = await Promise.all(
      names.map((name) => scratch.indus("mcp", "add", "--no-start", name, "--", "x")),
    );
    expect(ran.map(({ code }) => code)).toEqual([0, 0, 0, 0, 0]);
    expect(Object.keys(rowsIn(scratch.read(OURS))).toSorted()).toEqual(names);
  },
);
