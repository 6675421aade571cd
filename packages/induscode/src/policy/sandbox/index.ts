export { heldNames } from "./hold-names.ts";
export { openSandbox, type Sandbox } from "./open-sandbox.ts";
export { refusedCards, sandboxedCards } from "./sandboxed-cards.ts";
