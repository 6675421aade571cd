export { type LogInOptions, type LogInResult, logIn, noLogin } from "./log-in.ts";
export { openBrowser } from "./open-browser.ts";
