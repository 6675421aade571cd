/** Whether a source on the command line is the URL of a server. */
export function isUrl(source: string): boolean {
  return /^https?:\/\//i.test(source);
}
