import { CoreError } from "indusagi/core";

/** A command cannot run in the sandbox: `unsafe` if a protected path could not be kept as it is. */
export class SandboxError extends CoreError<"unsafe"> {}
