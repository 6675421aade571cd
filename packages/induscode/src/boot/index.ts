export { productVersion } from "./product-version.ts";
export { processTerminal, type Terminal } from "./terminal.ts";
