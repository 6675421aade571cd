import { existsSync } from "node:fs";
import { tempDir, verifies } from "@indus/testkit";
import { createServerEndpoint, mountProtocolBridge, startServerFleet } from "indusagi/interop";
import { expect } from "vitest";
import { scripted } from "../kit/scripted.ts";

verifies(
  "fleet:untrusted",
  "a pending row is listed as untrusted, and neither mount, call, restart nor endpoint starts it",
  async () => {
    await using dir = await tempDir();
    const mark = dir.at("started");
    const approved = scripted("a", "--starts", mark);
    const pending = { ...approved, pending: true };
    const said: string[] = [];
    const { fleet, box } = await mountProtocolBridge(
      { servers: [pending] },
      { report: (line) => void said.push(line) },
    );
    const why =
      'server "a" comes with a project and is not approved, so it is not started; to approve it, run: indus mcp trust a (in a program: trustProject)';
    const shown = {
      phase: "faulted",
      state: "untrusted",
      toolCount: 0,
      summary: `${why}; look at its row first: it decides which program runs here`,
    };
    expect(fleet.status().get("a")).toMatchObject(shown);
    expect(said).toEqual([shown.summary]);
    expect(box.descriptors()).toEqual([]);
    await expect(fleet.acquire("a")).rejects.toMatchObject({ reason: "untrusted", message: why });
    await fleet.restart("a");
    await expect(fleet.endpoint("a")?.open()).rejects.toMatchObject({ reason: "untrusted" });
    await expect(createServerEndpoint(pending).open()).rejects.toMatchObject({ reason: "untrusted" });
    expect(fleet.status().get("a")).toMatchObject(shown);
    expect(existsSync(mark)).toBe(false);

    expect(await fleet.reload({ servers: [approved] })).toMatchObject({ changed: ["a"] });
    expect(existsSync(mark)).toBe(true);
    expect(fleet.status().get("a")).toMatchObject({ phase: "ready" });
    await fleet.tearDown();
  },
);

verifies(
  "fleet:untrusted",
  "a pending row that is handed to a fleet runs no command for its values, and does once it is approved",
  async () => {
    await using dir = await tempDir();
    const mark = dir.at("ran");
    const write = `require("node:fs").writeFileSync(${JSON.stringify(mark)}, ""); console.log("value")`;
    const approved = { ...scripted("a"), fromCommand: { KEY: [process.execPath, "-e", write] } };
    const fleet = await startServerFleet({ servers: [{ ...approved, pending: true }] });
    await expect(fleet.acquire("a")).rejects.toMatchObject({ reason: "untrusted" });
    await fleet.addServer({ ...approved, pending: true });
    expect(existsSync(mark)).toBe(false);
    await fleet.addServer(approved);
    expect(existsSync(mark)).toBe(true);
    expect(fleet.status().get("a")).toMatchObject({ phase: "ready" });
    await fleet.tearDown();
  },
);

verifies("fleet:untrusted", "a pending row that is disabled is shown as disabled", async () => {
  const { fleet } = await mountProtocolBridge({
    servers: [{ ...scripted("a"), pending: true, enabled: false }],
  });
  expect(fleet.status().get("a")).toMatchObject({ state: "disabled" });
  await fleet.tearDown();
});
