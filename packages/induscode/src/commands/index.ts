export { runInvocation } from "./run-invocation.ts";
