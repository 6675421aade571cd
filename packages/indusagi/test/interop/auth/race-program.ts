// One of several processes that use the same stored login. It prints "ready", waits for a line, calls a tool and prints the result.
import { once } from "node:events";
import { createFileTokenStore, createOAuthProvider } from "indusagi/interop";
import { called } from "./login-kit.ts";

const [url = "", folder = ""] = process.argv.slice(2);
const store = createFileTokenStore(folder);
const auth = createOAuthProvider({ serverUrl: url, store });
await auth.status();
process.stdout.write("ready\n");
await once(process.stdin, "data");
process.stdout.write(
  await called({ url }, auth).catch((thrown: unknown) => `failed: ${(thrown as Error).message}`),
);
process.exit();
