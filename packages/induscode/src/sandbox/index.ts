export { heldNames } from "./hold-names.ts";
export { type OpenSandboxOptions, openSandbox, type Sandbox } from "./open-sandbox.ts";
export { refusedCards, type SandboxedCards, sandboxedCards } from "./sandboxed-cards.ts";
