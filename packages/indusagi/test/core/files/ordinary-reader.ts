// Reads two files of a folder as an ordinary user and prints what was found.
import { join } from "node:path";
import { readPrivateText } from "indusagi/core";

const [folder = ""] = process.argv.slice(2);
const read = (name: string): object => readPrivateText(join(folder, name));
process.stdout.write(JSON.stringify({ own: read("own"), other: read("other") }));
