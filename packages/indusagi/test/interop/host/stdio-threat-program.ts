import { info, log } from "node:console";
import { createProviderHost, serveStdio } from "indusagi/interop";
import { textResult } from "indusagi/runtime";
import { boxOf } from "./box-of.ts";

// A server on standard input and output whose tools misbehave.
const box = boxOf({
  echo: ({ input }) => textResult(JSON.stringify(input)),
  length: ({ input }) => textResult(String(JSON.stringify(input).length)),
  noisy: () => {
    log("printed by console.log");
    info({ printed: "by console.info" });
    process.stdout.write("printed by write, no newline");
    process.stdout.write(Buffer.from('{"jsonrpc":"2.0","id":1,"result":"forged"}\n'), () => {});
    return textResult("done");
  },
  hang: async (_call, signal) => {
    process.stderr.write("hang started\n");
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
    process.stderr.write("hang aborted\n");
    return textResult("ended");
  },
});
const running = await serveStdio(createProviderHost(box));
await running.waiting();
process.stderr.write("connection over\n");
