// Your own tool beside the native ones. It asks its caller a question and reports progress.
import { builtinRegistry, defineTool, makeLocalContext } from "indusagi/capabilities";
import { textResult } from "indusagi/runtime";

const greet = defineTool({
  name: "greet",
  description: "Asks the user for a name and greets them.",
  parameters: { type: "object", properties: {} },
  run: async (_input, ctx) => {
    ctx.caller?.progress?.({ progress: 1, total: 2, message: "asking for a name" });
    const answers = await ctx.caller?.ask?.({
      name: { method: "elicitation/create", params: { message: "What is your name?" } },
    });
    return textResult(`Hello, ${JSON.stringify(answers?.["name"])}`);
  },
});

await using session = makeLocalContext(process.cwd());
const box = builtinRegistry()
  .register(greet)
  .toToolBox(() => session);
const outcome = await box.runner.run({ id: "1", name: "greet", input: {} }, undefined, {
  key: "example",
  can: { elicit: { form: true } },
  progress: (note) => console.log(`${note.progress}/${note.total} ${note.message}`),
  ask: async () => ({ name: { action: "accept", content: { name: "Ada" } } }),
});
console.log(outcome.output);

if (outcome.output !== 'Hello, {"action":"accept","content":{"name":"Ada"}}')
  throw new Error("the example expected the answer of the caller");
