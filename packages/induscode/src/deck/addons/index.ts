export { type LoadedAddons, loadAddons } from "./load-addons.ts";
