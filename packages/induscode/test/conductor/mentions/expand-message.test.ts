import { fileURLToPath } from "node:url";
import { verifies } from "@indus/testkit";
import { createRelay, mountProtocolBridge } from "indusagi/interop";
import { expect } from "vitest";
import { expandMessage, promptCommands } from "../../../src/conductor/mentions/index.ts";

const script = fileURLToPath(new URL("../../../../../test/servers/shelf.mjs", import.meta.url));

verifies(
  "session:known-servers",
  "a prompt known from the last run and a resource wait for a server that is starting",
  async () => {
    const { fleet } = await mountProtocolBridge(
      { servers: [{ kind: "stdio", id: "shelf", command: process.execPath, args: [script] }] },
      { waitMs: 0 },
    );
    try {
      const greet = { name: "greet", arguments: [{ name: "who", required: true }] };
      const servers = {
        relay: createRelay(fleet),
        ready: () => [],
        starting: () => ["shelf"],
        lastPrompts: (server: string) => ({ server, items: [greet] }),
        known: () => ["shelf"],
        maxNameChars: 48,
      };
      expect(fleet.status().get("shelf")?.phase).not.toBe("ready");
      const commands = await promptCommands(servers);
      expect(commands.map(({ name }) => name)).toEqual(["shelf__greet"]);
      const [greeted, read] = await Promise.all(
        ["/shelf__greet Ada", "See @shelf:shelf://page/7."].map((text) => expandMessage(text, { servers })),
      );
      expect(greeted).toMatchObject({ content: [{ kind: "text", text: expect.stringContaining("Ada") }] });
      expect(read).toMatchObject({ content: [{}, { text: expect.stringContaining("page 7") }] });
    } finally {
      await fleet.tearDown();
    }
  },
);

verifies("mentions:prompts", "prompts with checked arguments, and resources, of a real server", async () => {
  const { fleet } = await mountProtocolBridge({
    servers: [{ kind: "stdio", id: "shelf", command: process.execPath, args: [script] }],
  });
  try {
    const servers = {
      relay: createRelay(fleet),
      ready: () => ["shelf"],
      starting: () => [],
      lastPrompts: () => undefined,
      known: () => ["shelf", "down"],
      maxNameChars: 48,
    };
    const expand = (text: string) => expandMessage(text, { servers });
    expect((await promptCommands(servers)).map(({ name }) => name)).toEqual(["shelf__greet"]);
    expect(await expand("/shelf__greet Ada tone=cold")).toEqual({
      content: [{ kind: "text", text: "A cold hello to Ada." }],
    });
    expect(await expand("/shelf__greet")).toEqual({
      problem: '/shelf__greet: "who" is missing; it takes: shelf__greet(who: string, tone?: string)',
    });
    expect(await expand("/nothing at all")).toEqual({ unknownCommand: "nothing", known: ["shelf__greet"] });
    // Not a command: the name is followed by a slash.
    expect(await expand("/etc/hosts is a file")).toEqual({
      content: [{ kind: "text", text: "/etc/hosts is a file" }],
    });

    const read = await expand("Look at @shelf:shelf://page/7, @shelf:shelf://logo and me@shelf:x.");
    expect(read).toMatchObject({
      content: [
        { kind: "text", text: "Look at @shelf:shelf://page/7, @shelf:shelf://logo and me@shelf:x." },
        { kind: "text", text: "<resource shelf://page/7 of server shelf>\npage 7\n</resource>" },
        { kind: "text", text: "resource shelf://logo of server shelf:" },
        { kind: "image", mimeType: "image/png" },
      ],
    });
    expect(await expand("@shelf:shelf://nowhere")).toMatchObject({
      problem: expect.stringContaining("shelf://nowhere"),
    });
    expect(await expand("See @down:shelf://intro.")).toEqual({
      problem: '@down:shelf://intro cannot be added: server "down" is not connected',
    });
    expect(await expand("@other:shelf://intro stays")).toEqual({
      content: [{ kind: "text", text: "@other:shelf://intro stays" }],
    });
  } finally {
    await fleet.tearDown();
  }
});
