import { readConfigText } from "indusagi/config";

/** Reads the file named by the first argument and prints the result and the user id. */
const [, , path = ""] = process.argv;
process.stdout.write(JSON.stringify({ uid: process.getuid?.(), reading: readConfigText(path) }));
