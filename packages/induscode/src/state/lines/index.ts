export { appendLines, endOf, type LinePlace, lineFiles, readLines, readSince } from "./line-file.ts";
export { openLineWriter } from "./line-writer.ts";
export { parseLine } from "./parse-line.ts";
