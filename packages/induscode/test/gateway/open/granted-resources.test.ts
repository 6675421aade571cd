import { tempDir, verifies } from "@indus/testkit";
import { expect } from "vitest";
import { modernRequest, send } from "../../../../indusagi/test/interop/host/http/raw-http.ts";
import { workspaceTokens } from "../../../src/boot/internal.ts";
import { serveIn } from "./serve-in.ts";
import { library } from "./served-library.ts";

verifies(
  "access:grant",
  "resources, templates, prompts and completion of a server that the token does not allow are not there",
  async () => {
    await using dir = await tempDir();
    const of = (name: string) => ({
      resources: [{ uri: `${name}://1`, name }],
      templates: [{ uriTemplate: `${name}-t://{n}`, name }],
      prompts: [{ name: `${name}-prompt` }],
      tools: [`${name}-tool`],
      capabilities: { completions: {} },
    });
    const servers = [await library(dir, "one", of("one")), await library(dir, "two", of("two"))];
    await using served = await serveIn(dir, {}, servers);
    const { token } = await (await workspaceTokens(served.run)).add("alice", { servers: ["one"] });
    const ask = async (method: string, params: object = {}, path = ""): Promise<string> => {
      const request = modernRequest(1, method, params as { readonly [member: string]: unknown });
      const uri = "uri" in params ? { "mcp-name": String(params.uri) } : {};
      const headers = { ...request.headers, ...uri, authorization: `Bearer ${token}` };
      return (await send(`${served.url}${path}`, { ...request, headers })).text;
    };
    for (const method of ["tools/list", "resources/list", "resources/templates/list", "prompts/list"]) {
      const text = await ask(method);
      expect(text, method).toContain("one");
      expect(text, method).not.toContain("two");
    }
    const read = (uri: string): Promise<string> => ask("resources/read", { uri });
    expect(await read("one://1")).toContain("text/plain");
    for (const uri of ["two://1", "two-t://5"]) {
      expect(await read(uri)).toContain('"error"');
      expect(await read(uri)).not.toContain("text/plain");
    }
    expect(await ask("prompts/get", { name: "one__one-prompt" })).toContain('"messages"');
    expect(await ask("prompts/get", { name: "two__two-prompt" })).toContain('"error"');
    const complete = (name: string): Promise<string> =>
      ask("completion/complete", {
        ref: { type: "ref/prompt", name: `${name}__${name}-prompt` },
        argument: { name: "x", value: "v" },
      });
    expect(await complete("one")).toContain('"values"');
    expect(await complete("two")).toContain('"error"');
    expect(await ask("resources/list", {}, "/two")).toContain("is not a route here");
  },
  { timeoutMs: 60_000 },
);
