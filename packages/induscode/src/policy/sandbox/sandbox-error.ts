import { CoreError } from "indusagi/core";

/** A command cannot run in the sandbox: `unsafe` if a protected path could not be protected. */
export class SandboxError extends CoreError<"unsafe"> {}
