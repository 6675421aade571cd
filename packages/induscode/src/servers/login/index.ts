export { type LogInOptions, logIn } from "./log-in.ts";
export { openBrowser } from "./open-browser.ts";
