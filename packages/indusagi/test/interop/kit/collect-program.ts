// Reads lines of a child process with a FrameReader and prints how much the memory grew up to the last frame:
//   node collect-program.mjs BYTES
import { spawn } from "node:child_process";
import { FrameReader } from "../../../src/interop/wire/frames/frame-reader.ts";

const bytes = Number(process.argv[2]);
// Short lines first, so that the code and the pipe have their memory before the measurement.
const WARM_UP = 40;
const WRITER = `
const line = (length) => "x".repeat(length) + "\\n";
for (let i = 0; i < ${WARM_UP}; i++) process.stdout.write(line(200_000));
process.stdin.once("data", () => process.stdout.write(line(${bytes})));
`;

let frames = 0;
let before = 0;
let peak = 0;
const look = (): void => void (peak = Math.max(peak, process.memoryUsage.rss()));
const child = spawn(process.execPath, ["-e", WRITER], { stdio: ["pipe", "pipe", "inherit"] });
const reader = new FrameReader({
  maxBytes: bytes,
  ownsChunks: true,
  onOversized: () => process.exit(1),
  onFrame: (frame) => {
    frames += 1;
    if (frames === WARM_UP) {
      before = process.memoryUsage.rss();
      child.stdin.write("now\n");
    } else if (frames > WARM_UP) {
      look();
      process.stdout.write(JSON.stringify({ read: frame.bytes, grew: peak - before }));
      child.kill("SIGKILL");
    }
  },
});
child.stdout.on("data", (chunk: Buffer) => {
  reader.push(chunk);
  look();
});
