import { join } from "node:path";
import { describeError } from "indusagi/core";
import type { Run } from "../../boot/internal.ts";
import { openJsonFile, valueOrNothing, versionedJson } from "../../state/index.ts";

const KEY_BYTES = 32;

const SCHEMA = versionedJson<string>({
  format: 1,
  parse: ({ key }) => (typeof key === "string" && keyOf(key).length === KEY_BYTES ? key : undefined),
  members: (key) => ({ key }),
  damage: "is damaged",
});

/**
 * Returns a function that reads the key for the ids of tasks from the state folder, and makes it when the first task needs it. With it
 * an id stays valid when the gateway is restarted. If it cannot be kept, that is reported, and ids end with this gateway.
 */
export async function openTaskKey(run: Pick<Run, "state" | "report">): Promise<() => Uint8Array> {
  let known: Uint8Array | undefined;
  const random = (): Uint8Array => crypto.getRandomValues(new Uint8Array(KEY_BYTES));
  const path = await run.state.folder().then(
    (folder) => join(folder.path, "task-key.json"),
    () => undefined, // Opening the servers' catalogue, in the same folder, reports it.
  );
  const read = (): Uint8Array => {
    if (path === undefined) return random();
    const file = openJsonFile(path, SCHEMA);
    const found = valueOrNothing(file.read());
    if (found !== undefined) return keyOf(found);
    try {
      file.write(Buffer.from(random()).toString("base64"));
      // Another gateway of this folder may have made one at the same time.
      const kept = valueOrNothing(file.read());
      if (kept !== undefined) return keyOf(kept);
    } catch (thrown) {
      run.report(
        `tasks of servers end with this gateway: ${path} cannot be written: ${describeError(thrown)}`,
      );
    }
    return random();
  };
  return () => (known ??= read());
}

function keyOf(text: string): Uint8Array {
  return Buffer.from(text, "base64");
}
