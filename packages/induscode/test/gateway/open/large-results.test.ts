import { tempDir, verifies } from "@indus/testkit";
import type { ServerConfig, ServerEndpoint } from "indusagi/interop";
import { expect } from "vitest";
import { workspaceAudit, workspaceTokens } from "../../../src/boot/internal.ts";
import { eventually, scriptedRow } from "../../bin/run-indus.ts";
import { connectTo, names, serveIn } from "./serve-in.ts";
import { library } from "./served-library.ts";

interface Link {
  readonly type?: string;
  readonly uri?: string;
}

const linkIn = ({ content }: { readonly content: readonly unknown[] }): Link | undefined =>
  (content as readonly Link[]).find(({ type }) => type === "resource_link");

verifies(
  "previews:shorten",
  "a large result through a gateway is a preview with a link; the whole is read by tool and as a resource",
  async () => {
    await using dir = await tempDir();
    const row = scriptedRow() as { command: string; args: string[] };
    const promised = { name: "rows", inputSchema: { type: "object" }, outputSchema: { type: "object" } };
    const rows = { rows: "y".repeat(5_000) };
    const typed = await library(dir, "typed", {
      definitions: [promised],
      results: { rows: { content: [{ type: "text", text: JSON.stringify(rows) }], structuredContent: rows } },
    });
    const servers: ServerConfig[] = [{ kind: "stdio", id: "s", ...row }, typed];
    await using served = await serveIn(dir, { previewOver: 2_000, listing: "search" }, servers);
    const tokens = await workspaceTokens(served.run);
    const [alice, bob] = (await Promise.all(
      ["alice", "bob"].map(async (name) =>
        connectTo(served.url, { token: (await tokens.add(name, { servers: ["s", "typed"] })).token }),
      ),
    )) as [ServerEndpoint, ServerEndpoint];
    expect(await names(alice)).toContain("read_result");
    expect((await alice.invoke("s__huge", { bytes: 1_000 })).content).toEqual([
      { type: "text", text: "x".repeat(1_000) },
    ]);
    // Through the search, too.
    const preview = await alice.invoke("tool_call", { name: "s__huge", arguments: { bytes: 9_000 } });
    expect(JSON.stringify(preview).length).toBeLessThan(6_000);
    const { uri = "" } = linkIn(preview) ?? {};
    const id = uri.replace("indus://artifact/", "");
    const part = await alice.invoke("read_result", { id, offset: 8_990 });
    expect(JSON.stringify(part)).toContain(`characters 8990 to 9000 of 9000]\\n${"x".repeat(10)}`);
    const read = (client: ServerEndpoint): Promise<unknown> =>
      client.session().request("resources/read", { uri });
    expect(await read(alice)).toMatchObject({
      contents: [{ uri, mimeType: "text/plain", text: "x".repeat(9_000) }],
    });
    await expect(read(bob)).rejects.toThrow("not found");
    expect(await bob.invoke("read_result", { id })).toMatchObject({ isError: true });
    // A result whose form is promised, and the route of one server, are never changed.
    expect(await alice.invoke("typed__rows", {})).toMatchObject({ structuredContent: rows });
    const alone = await connectTo(`${served.url}/s`);
    expect(await names(alone)).not.toContain("read_result");
    expect(linkIn(await alone.invoke("huge", { bytes: 9_000 }))).toBeUndefined();
    await Promise.all([alice, bob, alone].map((client) => client.close()));
    // The audit trail knows the whole size.
    const trail = await workspaceAudit(served.run);
    await eventually(() => trail.read({ tool: "s__huge" }).find(({ resultBytes }) => resultBytes > 9_000));
  },
  { timeoutMs: 60_000 },
);
