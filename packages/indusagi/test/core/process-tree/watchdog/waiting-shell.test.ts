import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tempDir, verifies } from "@indus/testkit";
import { mintUlid } from "indusagi/core";
import { expect } from "vitest";
import { seenOrder } from "../../../../src/core/process-tree/watchdog/owned-trees.ts";
import { WAITING_SHELL } from "../../../../src/core/process-tree/watchdog/watchdog.ts";

const only = ["linux", "darwin"] as const;
/** Those of most systems; a system has at least the first. */
const SHELLS = ["/bin/sh", "/bin/bash", "/bin/dash", "/bin/busybox"].filter((path) => existsSync(path));
const TREES = 300;
const HOSTILE = [
  "own $(touch made)",
  "own X;touch made",
  "own `touch made`",
  "own X=1",
  "own *",
  "own ",
  "touch made",
  "",
];

/** Orders of many trees, of which every third is left, and the orders that are left. */
function ordersOfMany(): { readonly orders: readonly string[]; readonly left: readonly string[] } {
  const cookies = Array.from({ length: TREES }, () => mintUlid());
  const last = (cookie: string): string[] => [
    `own ${cookie}`,
    `root ${cookie} 7 8`,
    `seen ${cookie} 7:8 $(touch made) * \\ '`,
    `will ${cookie} JCh0b3VjaCBtYWRlKQ`,
  ];
  return {
    orders: [
      ...cookies.flatMap((cookie) => [`own ${cookie}`, ...last(cookie)]),
      ...cookies.flatMap((cookie) => [`seen ${cookie} 1:2`, ...last(cookie)]),
      ...HOSTILE,
      ...cookies.flatMap((cookie, at) => (at % 3 === 0 ? [] : [`done ${cookie}`, `done ${cookie}`])),
    ],
    left: cookies.filter((_, at) => at % 3 === 0).flatMap(last),
  };
}

verifies(
  "tree:watchdog-waits",
  "each shell keeps the last orders of hundreds of trees, runs nothing of them, and drops a line that was cut",
  async () => {
    await using dir = await tempDir();
    // Shells behave differently under this name.
    const sh = dir.at("bin/sh");
    mkdirSync(dir.at("bin"));
    const node = dir.at("node");
    writeFileSync(node, `#!/bin/sh\nprintf '%s\\n' "$@"\n`);
    chmodSync(node, 0o700);
    const { orders, left } = ordersOfMany();
    const [first = "", ...others] = orders;
    for (const shell of SHELLS) {
      symlinkSync(shell, sh);
      const run = (input: string): string => {
        const args = ["-c", WAITING_SHELL, "indus-watchdog", node, "PROGRAM", first];
        const given = { cwd: dir.path, env: {}, encoding: "utf8", input, timeout: 60_000 } as const;
        const { stdout, stderr, status } = spawnSync(sh, args, given);
        expect([shell, stderr, status]).toEqual([shell, "", 0]);
        return stdout;
      };
      const expected = ["--input-type=commonjs", "-e", "PROGRAM", "--", ...left, ""];
      expect(run(`${others.join("\n")}\ndone ${left[0]?.slice(4)}`).split("\n")).toEqual(expected);
      const done = left.flatMap((order) => (order.startsWith("own ") ? [`done ${order.slice(4)}`] : []));
      expect(run(`${[...others, ...done].join("\n")}\n`)).toBe("");
      rmSync(sh);
    }
    expect(readdirSync(dir.path)).toEqual(["bin", "node"]);
  },
  { only, timeoutMs: 120_000 },
);

verifies("tree:watchdog-waits", "the order of a tree with very many members is a possible argument", () => {
  const remembered = new Map(Array.from({ length: 30_000 }, (_, at) => [4_000_000 + at, 9_999_999_999]));
  const order = seenOrder({ cookie: mintUlid(), remembered });
  const { stdout, error } = spawnSync(process.execPath, ["-p", "process.argv[1].length", "--", order], {
    encoding: "utf8",
  });
  expect([error, Number(stdout)]).toEqual([undefined, order.length]);
  expect(seenOrder({ cookie: "C", remembered: new Map([[7, 8]]) })).toBe("seen C 7:8");
});
