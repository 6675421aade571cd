// Loaded into a process of ours with --import. Counts the calls of functions, and writes those of a window of time: SIGUSR2
// begins a window, and a second one or the exit ends it. Without a signal the window is the whole run.
import { writeFileSync } from "node:fs";
import { Session } from "node:inspector";
import { register } from "node:module";

register("./source-loader.mjs", import.meta.url);

const file = process.env.INDUS_WALK;
// A child of ours inherits the variable, but not the right to write the file.
delete process.env.INDUS_WALK;
const session = new Session();
session.connect();
session.post("Profiler.enable");
session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });

let windows = 0;
process.on("SIGUSR2", () => {
  if (windows++ > 0) return write();
  session.post("Profiler.takePreciseCoverage"); // Sets every count to zero.
  writeFileSync(`${file}.begun`, "");
});
process.on("exit", () => {
  if (windows < 2) write();
});

function write() {
  session.post("Profiler.takePreciseCoverage", (problem, taken) => {
    if (problem) throw new Error(problem.message);
    const called = taken.result.flatMap(({ url, functions }) =>
      functions
        .filter(
          ({ functionName, ranges }) =>
            ranges[0].count > 0 && (functionName !== "" || ranges[0].startOffset > 0),
        )
        .map(({ functionName, ranges }) => ({ url, name: functionName, at: ranges[0].startOffset })),
    );
    writeFileSync(file, JSON.stringify(called));
  });
}
