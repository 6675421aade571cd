import { openCatalogue } from "../../../src/servers/memory/index.ts";

/** Writes two entries many times. Arguments: the folder, and the name of this writer. */
const [folder = "", name = ""] = process.argv.slice(2);
const catalogue = openCatalogue(folder, {
  report: (message) => {
    throw new Error(message);
  },
});
const tools = Array.from({ length: 200 }, () => ({ name: `tool${name}`, inputSchema: { type: "object" } }));
const listing = { tools, prompts: [], resources: [], templates: [], capabilities: {} };
for (let round = 0; round < 15; round++) {
  for (const launch of ["a".repeat(32), "b".repeat(32)]) catalogue.listed(launch, name, listing);
  await catalogue.flush();
}
