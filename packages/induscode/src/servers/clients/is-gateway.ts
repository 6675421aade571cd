import type { FileObject } from "./client-server.ts";

/** Whether a row starts `indus serve`: importing it would make the gateway start itself. */
export function isGateway({ command, args }: FileObject): boolean {
  const words = [command, ...(Array.isArray(args) ? (args as unknown[]) : [])].flat().map(String);
  const at = words.findIndex((word) => /(^|[\\/])(indus|indusagi)(\.js|\.cmd|\.exe)?$/.test(word));
  return at !== -1 && words.slice(at + 1).includes("serve");
}
