import { processTerminal } from "../boot/index.ts";
import { runInvocation } from "../commands/index.ts";
import { parseArguments } from "../launch/index.ts";

process.exitCode = await runInvocation(parseArguments(process.argv.slice(2)), processTerminal);
