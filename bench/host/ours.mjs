// An echo tool behind our host.
import { createProviderHost, serveHttp, serveStdio } from "indusagi/interop";
import { answeredOutcome, textResult } from "indusagi/runtime";

const parameters = { type: "object", properties: { text: { type: "string" } }, required: ["text"] };
const descriptors = Object.freeze([{ name: "echo", description: "Echoes.", parameters }]);
const box = {
  descriptors: () => descriptors,
  onChange: () => () => {},
  runner: { run: async (call) => answeredOutcome(call.id, textResult(call.input.text)) },
};
const host = createProviderHost(box);
if (process.argv[2] === "stdio") await serveStdio(host);
else process.stdout.write(`${(await serveHttp(host, { port: 0 })).url}\n`);
