import { verifies } from "@indus/testkit";
import { answeredOutcome, createTableBox, textResult } from "indusagi/runtime";
import { expect } from "vitest";
import { libraryFleet } from "./library-fleet.ts";

verifies(
  "relay:rewritten",
  "the _meta of a tool's definition follows the names, and clients are told",
  async () => {
    const shared = { resources: [{ uri: "ui://app", name: "app" }] };
    const libraries = { one: shared, two: { resources: [...shared.resources] } };
    libraries.two.resources.pop();
    await using library = await libraryFleet(libraries);
    const metas: unknown[] = [];
    const definition = { name: "show", _meta: { ui: { resourceUri: "ui://app" }, other: "ui://app2" } };
    const tools = createTableBox(
      [definition, { name: "plain" }].map((each) => ({
        descriptor: {
          name: `one__${each.name}`,
          description: "",
          parameters: { type: "object" },
          origin: { server: "one", tool: each.name },
          definition: each,
        },
        run: async (call) => {
          metas.push(call.meta);
          return answeredOutcome(call.id, textResult("done"));
        },
      })),
    );
    const box = library.relay.relayedBox(tools.box);
    const client = library.client("c");
    await client.list("resources");
    const [before, plain] = box.descriptors();
    expect([before, plain]).toEqual(tools.box.descriptors());
    expect(before).toBe(tools.box.descriptors()[0]);

    const changed: string[] = [];
    box.onChange((change) => changed.push(...change.changed.map(({ name }) => name)));
    libraries.two.resources.push({ uri: "ui://app", name: "app" });
    await client.list("resources");
    await expect.poll(() => changed).toEqual(["one__show"]);
    const mine = "ui://indus+one/app";
    expect(box.descriptors()[0]?.definition).toEqual({
      name: "show",
      _meta: { ui: { resourceUri: mine }, other: "ui://app2" },
    });
    expect(box.descriptors()[1]).toBe(plain);
    // In a call the name is the server's again.
    await box.runner.run({ id: "1", name: "one__show", input: {}, meta: { of: mine, kept: "ui://app" } });
    expect(metas).toEqual([{ of: "ui://app", kept: "ui://app" }]);
  },
);
