import { readFileSync } from "node:fs";
import { parseServerConfig, writeServerConfig } from "indusagi/config";

/** What the program does: a JSON text on its standard input. */
export type WriterTask =
  /** Save once, as a user without privileges. */
  | {
      readonly do: "save";
      readonly path: string;
      readonly uid: number;
      readonly gid: number;
      readonly groups: readonly number[];
    }
  /** Save until killed. Its clock is `behindMs` behind, so that its leftovers look old. */
  | { readonly do: "save for ever"; readonly path: string; readonly behindMs: number };

const task = JSON.parse(readFileSync(0, "utf8")) as WriterTask;

if (task.do === "save") {
  parseServerConfig("{}"); // Loads what it needs while it may read the libraries.
  process.setgroups?.([...task.groups]);
  process.setgid?.(task.gid);
  process.setuid?.(task.uid);
  writeServerConfig(task.path, { servers: { saved: { command: "x" } } });
} else {
  const now = Date.now;
  Date.now = () => now() - task.behindMs;
  process.stdout.write("ready");
  for (let round = 0; ; round += 1) {
    const args = [String(round), "x".repeat(1_000_000)];
    writeServerConfig(task.path, { servers: { saved: { command: "x", args } } });
  }
}
