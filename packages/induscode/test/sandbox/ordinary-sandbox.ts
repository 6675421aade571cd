import { dirname } from "node:path";
import { localShell } from "indusagi/capabilities";
import { openSandbox } from "../../src/sandbox/index.ts";

// Run by the test of the sandbox as a user without special rights: then bubblewrap needs a user namespace.
const cwd = process.argv[2] ?? "";
process.env["TMPDIR"] = dirname(cwd);
const sandbox = await openSandbox({ cwd, env: { PATH: process.env["PATH"], HOME: "/nonexistent" } });
if ("problem" in sandbox) throw new Error(sandbox.problem);
const { wrap } = sandbox;
const command =
  "touch made; mkdir -p /tmp/made/in; touch /tmp/made/in/file; chmod -R a-w /tmp/made; id -u; for try in 'touch .git/x' 'mkdir .vscode' 'unshare -Urm umount .git'; do $try 2>/dev/null && echo $try; done; true";
const { stdout, code } = await localShell().exec(command, { cwd, wrap });
sandbox.close();
process.stdout.write(JSON.stringify({ stdout, code }));
