// Lists the native tools, then runs one in a folder.
// #region native
import { toolBox } from "indusagi/capabilities";

await using box = toolBox("coding", process.cwd());
console.log(
  box
    .descriptors()
    .map((tool) => tool.name)
    .join(" "),
);

const outcome = await box.runner.run({ id: "1", name: "read", input: { path: "package.json", limit: 3 } });
console.log(outcome.output);
// #endregion

if (outcome.isError) throw new Error("the example expected to read package.json");
