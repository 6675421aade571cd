import { fileURLToPath } from "node:url";
import { tempDir, verifies } from "@indus/testkit";
import { expect } from "vitest";
import { startProgram } from "../../../../../transparency/doors/processes.ts";
import { modernRequest, send } from "../../../../indusagi/test/interop/host/http/raw-http.ts";
import { workspaceAudit, workspaceTokens } from "../../../src/boot/internal.ts";
import { eventually } from "../../bin/run-indus.ts";
import { serveIn } from "./serve-in.ts";
import { library } from "./served-library.ts";

const METHOD = "com.example/echo";

verifies(
  "extensions:forwarded",
  "only callers who may use the whole server reach the methods of its extensions, where no rule concerns its tools; each is recorded",
  async () => {
    await using dir = await tempDir();
    const content = { tools: ["t", "u"], answers: { [METHOD]: { canary: "secret answer" } } };
    const row = await library(dir, "one", content);
    const servers = [
      { ...row, extensionMethods: ["com.example/"] },
      { ...(await library(dir, "ruled", content)), extensionMethods: ["org.example/"], excludeTools: ["u"] },
      await library(dir, "plain", content),
    ];
    await using served = await serveIn(dir, {}, servers);
    const tokens = await workspaceTokens(served.run);
    const whole = await tokens.add("whole", { servers: ["one"] });
    const limited = await tokens.add("limited", { tools: ["one__t"] });
    const other = await tokens.add("other", { servers: ["plain"] });
    const ask = async (token: string, path = "", method = METHOD): Promise<string> => {
      const request = modernRequest(1, method, {});
      const headers = { ...request.headers, authorization: `Bearer ${token}` };
      return (await send(`${served.url}${path}`, { ...request, headers })).text;
    };
    for (const path of ["", "/one"]) expect(await ask(whole.token, path), path).toContain("secret answer");
    const refused = [
      await ask(limited.token),
      await ask(limited.token, "/one"),
      await ask(other.token),
      await ask(whole.token, "", "net.example/echo"),
      await ask(whole.token, "", "tasks/get"),
    ];
    for (const answer of refused) expect(answer).toMatch(/-32601|not a route/);
    expect(await ask(other.token, "/plain")).toContain("secret answer");
    const all = await tokens.add("all", {});
    // A filter of tools concerns the server, whoever asks.
    for (const [path, method] of [
      ["", "org.example/echo"],
      ["/ruled", METHOD],
    ] as const)
      expect(await ask(all.token, path, method), path).toContain("-32601");
    const trail = await workspaceAudit(served.run);
    const records = await eventually(() => (trail.read().length >= 3 ? trail.read() : undefined));
    expect(
      records.map(({ principal, server, method, extension, outcome }) => [
        principal,
        server,
        method,
        extension,
        outcome,
      ]),
    ).toEqual([
      ["whole", "one", "extension", METHOD, "ok"],
      ["whole", "one", "extension", METHOD, "ok"],
      ["other", "plain", "extension", METHOD, "ok"],
    ]);
    expect(JSON.stringify(records)).not.toContain("secret");
  },
  { timeoutMs: 60_000 },
);

verifies(
  "extensions:forwarded",
  "a denying rule and plan mode stop them",
  async () => {
    for (const policy of [
      { mode: "default", allow: [], deny: ["one__u"] },
      { mode: "plan", allow: [], deny: [] },
    ] as const) {
      await using dir = await tempDir();
      const row = await library(dir, "one", { tools: ["t", "u"], answers: { [METHOD]: { ok: true } } });
      await using served = await serveIn(dir, { policy }, [row]);
      const answer = await send(`${served.url}/one`, modernRequest(1, METHOD, {}));
      expect(answer.text, policy.mode).toContain("-32601");
    }
  },
  { timeoutMs: 60_000 },
);

verifies(
  "extensions:forwarded",
  "over HTTP a method that a server does not have is its own -32601, with the status 404 on both sides",
  async () => {
    await using dir = await tempDir();
    const script = fileURLToPath(new URL("../../../../../test/servers/extensions.mjs", import.meta.url));
    const argv = [process.execPath, script, "http"];
    await using server = await startProgram(argv, { mark: "forwarded.", ready: /http:\S+/ });
    const row = { kind: "streamable-http", id: "one", url: server.ready[0] } as const;
    await using served = await serveIn(dir, {}, [row]);
    const ask = (path: string, method: string): ReturnType<typeof send> =>
      send(`${served.url}${path}`, modernRequest(1, method, { text: "hi" }));
    for (const path of ["", "/one"]) {
      const { status, text } = await ask(path, "no/such/method");
      const error = { code: -32_601, message: "Method not found" };
      expect([status, JSON.parse(text)], path).toEqual([404, { jsonrpc: "2.0", id: 1, error }]);
    }
    const { status, text } = await ask("/one", "example.test/echo");
    expect([status, text]).toEqual([200, expect.stringContaining('"echoed":"hi"')]);
  },
  { timeoutMs: 60_000 },
);
