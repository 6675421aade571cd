import { verifies } from "@indus/testkit";
import { MCPClient, type MCPElicitRequest, type MCPSamplingRequest } from "indusagi/mcp";
import { expect } from "vitest";
import { TalkingBox } from "../../interop/host/talking-box.ts";
import { hostOptions, scriptedOptions } from "../kit/in-process.ts";
import { textOf } from "./text-of.ts";

const answered = async (client: MCPClient, tool: string): Promise<unknown> =>
  (JSON.parse(textOf(await client.callTool(tool))) as { readonly answered: unknown }).answered;

for (const era of ["legacy", "modern"] as const) {
  verifies("mcp-client:questions", `${era}: each handler answers its questions`, async () => {
    await using client = new MCPClient({
      ...scriptedOptions("s", { era }),
      roots: [{ uri: "file:///srv", name: "srv" }],
    });
    const forms: MCPElicitRequest[] = [];
    const samples: MCPSamplingRequest[] = [];
    client.setElicitationHandler(async (request) => {
      forms.push(request);
      return { action: "accept", content: { name: "Ada" } };
    });
    client.setSamplingHandler(async (request) => {
      samples.push(request);
      return { role: "assistant", content: { type: "text", text: "hi" }, model: "none" };
    });
    await client.connect();
    expect(JSON.parse(textOf(await client.callTool("capabilities")))).toEqual({
      elicitation: { form: {}, url: {} },
      sampling: {},
      roots: era === "legacy" ? { listChanged: true } : {},
    });
    expect(await answered(client, "ask")).toEqual({ action: "accept", content: { name: "Ada" } });
    expect(forms[0]).toMatchObject({ serverName: "s", message: "Your name?", mode: "form" });
    expect(await answered(client, "sample")).toMatchObject({ content: { text: "hi" }, model: "none" });
    expect(samples[0]).toMatchObject({ serverName: "s", maxTokens: 10 });
    expect(await answered(client, "roots")).toEqual({ roots: [{ uri: "file:///srv", name: "srv" }] });
    await client.setRoots([{ uri: "file:///other" }]);
    expect(client.roots).toEqual([{ uri: "file:///other" }]);
    expect(await answered(client, "roots")).toEqual({ roots: [{ uri: "file:///other" }] });
    await expect(client.setRoots([{ uri: "/srv" }])).rejects.toMatchObject({ code: "INVALID_PARAMETERS" });
  });

  verifies("mcp-client:questions", `${era}: only abilities with a handler are declared`, async () => {
    await using client = new MCPClient(scriptedOptions("s", { era }));
    await client.connect();
    expect(JSON.parse(textOf(await client.callTool("capabilities")))).toEqual({});
    if (era === "legacy") expect(await answered(client, "ask")).toEqual({ action: "decline" });
  });

  verifies(
    "mcp-client:questions",
    `${era}: a handler that fails cancels the request, and the failure is logged`,
    async () => {
      const lines: string[] = [];
      await using client = new MCPClient({
        ...scriptedOptions("s", { era }),
        elicitation: () => Promise.reject(new Error("no screen")),
        logger: ({ message }) => void lines.push(message),
      });
      await client.connect();
      expect(await answered(client, "ask")).toEqual({ action: "cancel" });
      expect(lines).toEqual(["the elicitation handler failed: no screen"]);
    },
  );
}

verifies(
  "mcp-client:questions",
  "a handler set after connect is declared at the next connect, and that is logged",
  async () => {
    const lines: string[] = [];
    await using client = new MCPClient({
      ...scriptedOptions("s", { era: "legacy" }),
      logger: ({ message }) => void lines.push(message),
    });
    await client.connect();
    client.setElicitationHandler(async () => ({ action: "accept" }));
    await client.setRoots([{ uri: "file:///srv" }]);
    expect(lines).toEqual([expect.stringContaining("elicitation"), expect.stringContaining("roots")]);
    await client.disconnect();
    await client.connect();
    expect(JSON.parse(textOf(await client.callTool("capabilities")))).toEqual({
      elicitation: { form: {}, url: {} },
      roots: { listChanged: true },
    });
  },
);

verifies(
  "mcp-client:questions",
  "in the modern era a handler set after connect is used from the next call",
  async () => {
    await using client = new MCPClient(hostOptions("host", new TalkingBox()));
    await client.connect();
    client.setElicitationHandler(async () => ({ action: "accept", content: { name: "Ada" } }));
    expect(textOf(await client.callTool("asks"))).toContain("Ada");
  },
);
