// Tries to change the store in a folder that this user may only read, and prints what happened.
import { join } from "node:path";
import { errorCode } from "indusagi/core";
import { openJsonFile, versionedJson } from "../../src/state/index.ts";

const [folder = ""] = process.argv.slice(2);
const text = versionedJson<string>({
  format: 3,
  parse: ({ text }) => (typeof text === "string" ? text : undefined),
  members: (text) => ({ text }),
});
const file = openJsonFile(join(folder, "a.json"), text, { lockMs: 100 });
const codeOf = async (work: () => unknown): Promise<string> => {
  try {
    await work();
    return "done";
  } catch (thrown) {
    return errorCode(thrown) ?? String(thrown);
  }
};
const refused = {
  write: await codeOf(() => file.write("new")),
  writeAsync: await codeOf(() => file.writeAsync("new")),
  update: await codeOf(() => file.update(() => "new")),
  remove: await codeOf(() => file.remove()),
};
process.stdout.write(JSON.stringify({ ...refused, now: file.read() }));
