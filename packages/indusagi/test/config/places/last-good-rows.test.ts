import { verifies } from "@indus/testkit";
import { type LoadedConfig, lastGoodRows, loadServerConfigs } from "indusagi/config";
import { expect } from "vitest";

verifies(
  "config:last-good",
  "a row that cannot be used any more has its last good form, in its place and with the reason",
  () => {
    const lastGood = lastGoodRows();
    const file = "/c/mcp.json";
    const load = (servers: unknown, isApproved = true): LoadedConfig =>
      loadServerConfigs({
        places: [{ scope: "project", file }],
        env: {},
        lastGood,
        isApproved: () => isApproved,
        readText: () => ({ text: JSON.stringify({ servers }, undefined, 1) }),
      });
    const shown = ({ servers, diagnostics }: LoadedConfig): unknown[] => [
      servers.map(({ config, problem }) => [config.id, "command" in config && config.command, problem]),
      diagnostics.filter(({ severity }) => severity === "error").length,
    ];
    const good = { a: { command: "x" }, b: { command: "y", required: true } };
    // At first there is nothing to keep.
    expect(shown(load({ ...good, a: { command: 1 } }))).toEqual([[["b", "y", undefined]], 1]);
    load(good);
    for (const broken of [{ command: 1 }, "no object", { command: "${NOT_SET}" }, {}]) {
      const loaded = load({ a: good.a, b: broken, c: { command: "z" } });
      expect(shown(loaded)).toEqual([
        [
          ["a", "x", undefined],
          ["b", "y", expect.stringContaining("last good form stays in use")],
          ["c", "z", undefined],
        ],
        1,
      ]);
      expect(loaded.servers[1]).toMatchObject({
        source: { line: 6 },
        problem: loaded.diagnostics[0]?.message,
      });
      expect(loaded.missing).toEqual([]);
    }
    // An approval is asked for it as for any other.
    expect(load({ b: 5 }, false).servers).toMatchObject([{ pending: true, config: { command: "y" } }]);
    expect(shown(load({ a: good.a }))).toEqual([[["a", "x", undefined]], 0]);
    expect(shown(load({ a: good.a, b: 5 }))).toEqual([[["a", "x", undefined]], 1]);
  },
);
