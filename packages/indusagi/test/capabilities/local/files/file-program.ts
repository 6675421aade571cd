import { closeSync, openSync, readFileSync } from "node:fs";
import {
  editTool,
  findTool,
  grepTool,
  localFs,
  lsTool,
  makeLocalContext,
  readTool,
  ToolRegistry,
  writeTool,
} from "indusagi/capabilities";

/** What the program does: a JSON text on its standard input. */
export type FileTask =
  /** Call tools in a folder and print the outcomes as JSON, as another user or with no descriptors left. */
  | {
      readonly do: "calls";
      readonly cwd: string;
      readonly calls: readonly { readonly name: string; readonly input: object }[];
      readonly uid?: number;
      readonly exhaustDescriptors?: boolean;
      /** This many descriptors stay free: too few to start a program, enough to read a file. */
      readonly spareDescriptors?: number;
      /** The ripgrep of `grep`; none by default. */
      readonly ripgrepPath?: string;
    }
  /** Write two contents alternately, each of one letter, until killed. */
  | { readonly do: "write for ever"; readonly path: string; readonly bytes: number };

export interface CallReport {
  readonly isError: boolean;
  readonly output: unknown;
}

const task = JSON.parse(readFileSync(0, "utf8")) as FileTask;

if (task.do === "calls") {
  // Only root can change its user.
  if (task.uid !== undefined && process.getuid?.() === 0) {
    process.setgroups?.([]);
    process.setgid?.(task.uid);
    process.setuid?.(task.uid);
  }
  const context = makeLocalContext(task.cwd);
  const box = new ToolRegistry()
    .registerAll([readTool(), lsTool(), writeTool(), editTool()])
    .registerAll([findTool(), grepTool({ ripgrepPath: task.ripgrepPath ?? false })])
    .toToolBox(() => context);
  // Loads what the tools load on first use, which is not tested here.
  await box.runner.run({ id: "0", name: "edit", input: { path: ".warm-up", oldText: "a", newText: "b" } });
  // Leaves a worker thread, which the next search uses.
  if (task.spareDescriptors !== undefined)
    await box.runner.run({ id: "0", name: "find", input: { query: "x" } });
  if (task.exhaustDescriptors) exhaustDescriptors(task.spareDescriptors ?? 0);
  const reports: CallReport[] = [];
  for (const [index, call] of task.calls.entries()) {
    const { isError, output } = await box.runner.run({ id: String(index), ...call });
    reports.push({ isError, output });
  }
  process.stdout.write(JSON.stringify(reports));
} else {
  const fs = localFs({ sweepAfterMs: 0 });
  process.stdout.write("ready");
  for (let round = 0; ; round++) {
    await fs.writeFile(task.path, Buffer.alloc(task.bytes, round % 2 === 0 ? "a" : "b"));
  }
}

function exhaustDescriptors(spare: number): void {
  const taken: number[] = [];
  try {
    for (;;) taken.push(openSync("/dev/null", "r"));
  } catch {
    // No descriptor is left, as intended.
  }
  for (const descriptor of taken.slice(0, spare)) closeSync(descriptor);
}
