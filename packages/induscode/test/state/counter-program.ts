// Adds one to a counter many times: node counter-program PATH TIMES
import { openJsonFile, valueOrNothing, versionedJson } from "../../src/state/index.ts";

const [path = "", times = ""] = process.argv.slice(2);
const file = openJsonFile(
  path,
  versionedJson<number>({
    format: 1,
    parse: ({ count }) => (typeof count === "number" ? count : undefined),
    members: (count) => ({ count }),
  }),
  { lockMs: 60_000 },
);
for (let time = 0; time < Number(times); time++) await file.update((now) => (valueOrNothing(now) ?? 0) + 1);
