import { readConfigText } from "indusagi/config";

/** Prints the reading of the file that the first argument names, and the user it ran as. */
const [, , path = ""] = process.argv;
process.stdout.write(JSON.stringify({ uid: process.getuid?.(), reading: readConfigText(path) }));
