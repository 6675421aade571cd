import { fileURLToPath } from "node:url";
import { tempDir, verifies } from "@indus/testkit";
import { expect } from "vitest";
import { eventually, writeConfig } from "./run-indus.ts";
import { connectScripted } from "./scripted-client.ts";

const entry = fileURLToPath(import.meta.resolve("@modelcontextprotocol/server-everything/dist/index.js"));
const everything = { command: process.execPath, args: [entry, "stdio"] };
const named = (server: string, uri: string): string => `indus://resource/${server}/${uri}`;

verifies(
  "serve:relay",
  "two public servers with the same resources over stdio: each is named, read and completed apart",
  async () => {
    await using dir = await tempDir();
    const file = await writeConfig(dir.at("servers.json"), { a: everything, b: everything });
    using client = await connectScripted("test", ["--mcp", file, "--profile", "none"], { cwd: dir.path });
    const get = async (method: string, params?: object): Promise<{ readonly [member: string]: unknown }> => {
      const id = client.request(method, params);
      const answer = await eventually(() => client.messages().find((message) => message.id === id));
      return answer.result ?? {};
    };
    const { resources } = (await get("resources/list")) as { resources: readonly { readonly uri: string }[] };
    const ofA = resources.filter(({ uri }) => uri.startsWith(named("a", "demo://")));
    expect(ofA.length).toBeGreaterThan(3);
    const ofB = resources.filter(({ uri }) => uri.startsWith(named("b", "demo://")));
    expect(ofB).toHaveLength(ofA.length);
    expect(resources.filter(({ uri }) => !uri.startsWith("indus://"))).toEqual([]);
    expect(await get("resources/read", { uri: ofA[0]?.uri })).toMatchObject({
      contents: [{ uri: ofA[0]?.uri }],
    });
    const template = named("b", "demo://resource/dynamic/text/{resourceId}");
    const templates = JSON.stringify(await get("resources/templates/list"));
    expect(templates).toContain(template);
    const dynamic = named("b", "demo://resource/dynamic/text/7");
    expect(await get("resources/read", { uri: dynamic })).toMatchObject({ contents: [{ uri: dynamic }] });

    // A link is enough to know the server, until the other one gives the same link.
    const call = (server: string): Promise<object> =>
      get("tools/call", { name: `${server}__get-resource-links`, arguments: { count: 2 } });
    const link = "demo://resource/dynamic/text/2";
    expect(JSON.stringify(await call("a"))).toContain(`"${link}"`);
    expect(await get("resources/read", { uri: link })).toMatchObject({ contents: [{ uri: link }] });
    expect(JSON.stringify(await call("b"))).toContain(named("b", link));
    expect(await get("resources/read", { uri: link })).toEqual({});

    const prompt = { name: "b__args-prompt", arguments: { city: "Oslo" } };
    expect(JSON.stringify(await get("prompts/get", prompt))).toContain("Oslo");
    const completion = {
      ref: { type: "ref/prompt", name: "a__completable-prompt" },
      argument: { name: "name", value: "E" },
      context: { arguments: { department: "Sales" } },
    };
    expect(await get("completion/complete", completion)).toMatchObject({ completion: { values: ["Eve"] } });
  },
);
