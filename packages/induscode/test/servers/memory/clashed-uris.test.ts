import { readFile, writeFile } from "node:fs/promises";
import { tempDir, verifies } from "@indus/testkit";
import { expect } from "vitest";
import { openClashedUris } from "../../../src/servers/memory/index.ts";

const one = (uri: string, ...servers: string[]): ReadonlyMap<string, readonly string[]> =>
  new Map([[uri, servers]]);

verifies(
  "serve:clashes",
  "clashes are read again, also those that another process added meanwhile",
  async () => {
    await using dir = await tempDir();
    const reports: string[] = [];
    const options = { report: (message: string) => void reports.push(message) };
    {
      await using first = openClashedUris(dir.path, options);
      await using second = openClashedUris(dir.path, options);
      first.add(one("x://1", "b", "a"));
      second.add(one("x://2", "a", "c"));
      first.add(one("x://1", "c"));
      expect(first.serversOf("x://1")).toEqual(["a", "b", "c"]);
      expect(second.serversOf("x://1")).toBeUndefined();
    }
    await using next = openClashedUris(dir.path, options);
    expect(next.serversOf("x://1")).toEqual(["a", "b", "c"]);
    expect(next.serversOf("x://2")).toEqual(["a", "c"]);
    expect(reports).toEqual([]);
  },
);

verifies("serve:clashes", "a damaged file is reported in one line, and replaced", async () => {
  await using dir = await tempDir();
  const reports: string[] = [];
  await writeFile(dir.at("clashed-uris.json"), '{"format":1,"uris":', { mode: 0o600 });
  {
    await using clashes = openClashedUris(dir.path, { report: (message) => void reports.push(message) });
    expect(clashes.serversOf("x://1")).toBeUndefined();
    clashes.add(one("x://1", "a", "b"));
  }
  expect(reports).toEqual([expect.stringMatching(/clashed-uris\.json is not used: it is damaged; /)]);
  expect(JSON.parse(await readFile(dir.at("clashed-uris.json"), "utf8"))).toEqual({
    format: 1,
    uris: [["x://1", ["a", "b"]]],
  });
});
