import { verifies } from "@indus/testkit";
import { ProtocolFault, ServerConfig } from "indusagi/interop";
import { expect } from "vitest";
import {
  doctorCode,
  examineMachine,
  examineServer,
  type MachineFacts,
  type ServerFacts,
  showCheckup,
} from "../../../src/servers/doctor/index.ts";

const machine: MachineFacts = {
  node: "20.20.0",
  path: "/usr/bin:/bin",
  pathRepair: { kind: "not_needed" },
  proxies: { httpProxy: "", httpsProxy: "", noProxy: ",localhost,127.0.0.1,[::1]" },
  certificates: [],
  state: { folder: "/state/indusvx/project-1" },
};

const facts = (status: object, more: object = {}): ServerFacts => ({
  config: ServerConfig.stdio("notes", "npx"),
  origin: ".indusvx/mcp.json:3",
  trust: "own",
  ms: 400,
  tokens: 120,
  reports: [],
  ...more,
  status: { server: "notes", phase: "ready", toolCount: 2, ...status },
});

const fault = (message: string, details: object = {}): object => ({
  phase: "faulted",
  toolCount: 0,
  fault: new ProtocolFault("spawn_failed", message, details),
});

verifies("doctor:explain", "each state of a server is explained with the way out", () => {
  const of = (status: object, more: object = {}): unknown[] => {
    const { verdict, findings } = examineServer(facts(status, more));
    return [verdict, ...findings.flatMap(({ what, remedy }) => [what, remedy])];
  };
  expect(of({})).toEqual(["ready"]);
  expect(of({}, { ms: 12_345 })).toEqual([
    "ready",
    "it took 12.3 s to start, and many clients wait only 10 s",
    expect.stringContaining("indus mcp warm"),
  ]);
  expect(of({ notes: ["2 line(s) on standard output were not messages; the first: hi"] })[2]).toContain(
    "and text to standard error",
  );
  expect(of({}, { login: "logged in as me" })).toEqual(["ready", "logged in as me", undefined]);
  expect(of({ toolCount: 0 })).toEqual(["ready", "it offers no tools", undefined]);
  expect(of({}, { tokens: 50_000 })[2]).toContain('"includeTools"');
  expect(of({ ...fault("no npx"), remedy: "install Node.js" })).toEqual([
    "failed",
    "no npx",
    "install Node.js",
  ]);
  expect(of({ toolCount: 0, listFailure: "its list is broken", remedy: "see its output" })).toEqual([
    "failed",
    "its list is broken",
    "see its output",
  ]);
  // The tools of an earlier listing are in use.
  expect(of({ listFailure: "its list is broken", notes: ["its list is broken"] })).toEqual([
    "ready",
    "its list is broken",
    undefined,
  ]);
  expect(of({ ...fault("401"), state: "needs_login" })).toEqual([
    "login",
    "401",
    'indus mcp login notes, or correct its "headers"',
  ]);
  expect(of({ phase: "idle", state: "untrusted" }, { trust: "pending" })).toEqual([
    "untrusted",
    "it comes with the project (.indusvx/mcp.json:3) and is not approved, so it was not started",
    "look at its launch and approve it: indus mcp trust notes",
  ]);
  const odd = { config: ServerConfig.stdio("it's mine", "x"), trust: "refused" };
  expect(of({ server: "it's mine", phase: "idle" }, odd)[2]).toBe("indus mcp trust 'it'\\''s mine'");
  expect(of({ phase: "idle", state: "disabled" })).toEqual([
    "disabled",
    "it is disabled in its configuration",
    "indus mcp enable notes",
  ]);
});

verifies("doctor:explain", "PATH, Node, proxies, certificates and the state folder are explained", () => {
  const of = (more: Partial<MachineFacts>): readonly object[] =>
    examineMachine({ ...machine, ...more }).filter(({ health }) => health !== "ok");
  expect(of({})).toEqual([]);
  expect(of({ node: "20.18.3" })).toMatchObject([
    { health: "problem", remedy: "install Node.js 20.19 or later" },
  ]);
  expect(of({ node: "18.99.0" })).toHaveLength(1);
  expect(of({ node: "24.0.0" })).toEqual([]);
  expect(of({ pathRepair: { kind: "failed" } })).toMatchObject([
    {
      health: "warning",
      what: expect.stringContaining("(/usr/bin:/bin)"),
      remedy: expect.stringContaining('"PATH"'),
    },
  ]);
  const repaired = examineMachine({ ...machine, pathRepair: { kind: "repaired", added: ["/opt/bin"] } });
  expect(repaired[1]).toMatchObject({ health: "ok", what: expect.stringContaining("added /opt/bin") });
  const proxies = { httpProxy: "", httpsProxy: "http://me:secret@proxy:3128", noProxy: "intern,localhost" };
  expect(of({ proxies })).toEqual([
    { health: "note", what: "https through http://proxy:3128; directly: intern, localhost" },
  ]);
  const certificates = [{ variable: "NODE_EXTRA_CA_CERTS", file: "/gone.pem", isReadable: false }];
  expect(of({ certificates })).toMatchObject([
    { health: "problem", what: "NODE_EXTRA_CA_CERTS: /gone.pem cannot be read" },
  ]);
  expect(of({ state: { problem: "state folder x is a symbolic link; remove it" } })).toMatchObject([
    { health: "problem", what: "state folder x is a symbolic link; remove it" },
  ]);
});

verifies(
  "doctor:exit-code",
  "errors in files, failures, logins and approvals have their codes, in this order",
  () => {
    const code = (verdicts: readonly string[], config: readonly object[] = []): number =>
      doctorCode({
        machine: [],
        config: config as never,
        servers: verdicts.map((verdict) => ({ verdict })) as never,
      });
    expect(code([])).toBe(0);
    expect(code(["ready", "disabled", "refused"])).toBe(0);
    expect(code(["ready", "untrusted"])).toBe(4);
    expect(code(["untrusted", "login"])).toBe(5);
    expect(code(["untrusted", "login", "failed"])).toBe(1);
    expect(code(["failed"], [{ health: "problem" }])).toBe(3);
    expect(code(["ready"], [{ health: "warning" }])).toBe(0);
    expect(doctorCode({ machine: [{ health: "problem", what: "" }], config: [], servers: [] })).toBe(1);
  },
);

verifies(
  "doctor:explain",
  "the report at 60 columns: no line is longer, and control characters are escaped",
  () => {
    const servers = [
      examineServer(facts({})),
      examineServer(
        facts({
          ...fault('server "notes" could not be opened: could not start "npx": there is no such command'),
          remedy: "install Node.js",
          stderrTail: "first\n\u001b[31mlast",
        }),
      ),
      examineServer(facts({ phase: "idle", state: "untrusted" }, { trust: "pending" })),
    ];
    const config = [{ health: "warning", what: "a.json:3: the member x is unknown" }] as const;
    const checkup = { version: "0.1.0", machine: examineMachine(machine), config, servers };
    const text = showCheckup(checkup, { width: 60 });
    expect(text).toBe(`Indus 0.1.0
  ok       Node.js 20.20.0
  ok       PATH is used as is: it comes from a terminal or a
           login
  ok       no proxy: HTTP_PROXY and HTTPS_PROXY are not set
  ok       state folder /state/indusvx/project-1

Configuration files
  warning  a.json:3: the member x is unknown

notes: ready after 400 ms, 2 tools, about 120 tokens
(estimate)
  from     .indusvx/mcp.json:3

notes: failed after 400 ms
  from     .indusvx/mcp.json:3
  problem  server "notes" could not be opened: could not
           start "npx": there is no such command
  do       install Node.js
  stderr   | first
  stderr   | \\x1b[31mlast

notes: not approved
  from     .indusvx/mcp.json:3
  problem  it comes with the project (.indusvx/mcp.json:3)
           and is not approved, so it was not started
  do       look at its launch and approve it: indus mcp
           trust notes

3 servers: 1 ready, 1 failed, 1 not approved
`);
    expect(showCheckup(checkup, { width: 60, hasColours: true })).toContain("\u001b[31mproblem\u001b[39m");
  },
);
