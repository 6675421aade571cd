export { type LogInOptions, logIn } from "./log-in.ts";
export { openBrowser, openPage } from "./open-browser.ts";
