// Every failure of a connection is a fault of one of six kinds, with the server's last output on standard error.
import { createServerEndpoint, isProtocolFault } from "indusagi/interop";

const failing = "console.error('the license has expired'); process.exit(3)";
const endpoint = createServerEndpoint({
  kind: "stdio",
  id: "licensed",
  command: process.execPath,
  args: ["-e", failing],
});
try {
  await endpoint.open();
  throw new Error("the example expected a fault");
} catch (thrown) {
  if (!isProtocolFault(thrown)) throw thrown;
  console.log(thrown.kind);
  console.log(thrown.message);
  console.log(thrown.details.exit, thrown.details.stderr);
  if (thrown.kind !== "spawn_failed") throw thrown;
}
