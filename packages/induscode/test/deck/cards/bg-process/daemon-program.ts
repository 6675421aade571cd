import { makeLocalContext } from "indusagi/capabilities";
import { daemonCard } from "induscode/deck";

/** Starts a background job and stays, for a test that kills it: `node program FOLDER COMMAND`. */
const [, , cwd = "", command = ""] = process.argv;
const session = makeLocalContext(cwd);
const capability = daemonCard().build({ cwd, framework: {} });
const input = { action: "start", command };
const call = { id: "c1", name: capability.name, input };
await capability.run(input, { ...session, call, signal: new AbortController().signal });
process.stdout.write("started\n");
setInterval(() => {}, 1_000);
