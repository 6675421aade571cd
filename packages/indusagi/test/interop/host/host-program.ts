import { toolBox } from "indusagi/capabilities";
import { createProviderHost, serveHttp, serveStdio } from "indusagi/interop";

// Serves the native read-only tools on standard input and output, or on a port that it prints.
const [how, cwd = process.cwd()] = process.argv.slice(2);
const box = toolBox("read-only", cwd);
const host = createProviderHost(box, {
  name: "native",
  version: "1.0.0",
  instructions: "Look, do not touch.",
});
if (how === "stdio") {
  const running = await serveStdio(host);
  await running.waiting();
  await box.close();
} else {
  const listener = await serveHttp(host, { port: 0 });
  process.stdout.write(`${listener.url}\n`);
  process.once("SIGTERM", () => void listener.close().then(() => box.close()));
}
