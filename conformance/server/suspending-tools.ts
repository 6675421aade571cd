import {
  type Answers,
  type Caller,
  failureResult,
  type Questions,
  type Suspension,
  type ToolResult,
  textResult,
} from "indusagi/runtime";
import type { FixtureAnswer, FixtureCall, FixtureTool } from "./fixture-tool.ts";
import { acceptedFields, form, modelText, prompt, roots } from "./questions.ts";

const askName = form("What is your name?", { name: { type: "string" } });
const askOk = form("Please confirm", { ok: { type: "boolean" } });

/**
 * Tools that end with a question and are called again with the answer, nothing of theirs waiting in between;
 * and some that wait inside, which looks the same from outside.
 */
export const suspendingTools: readonly FixtureTool[] = [
  {
    name: "test_input_required_result_elicitation",
    description: "Greets the user by name",
    run: (call) =>
      withAnswers(call, { requests: { user_name: askName } }, ({ user_name }) => {
        const name = acceptedFields(user_name)?.["name"];
        return typeof name === "string" ? textResult(`Hello, ${name}!`) : undefined;
      }),
  },
  {
    name: "test_input_required_result_sampling",
    description: "Asks the client's model for a capital",
    run: (call) =>
      withAnswers(
        call,
        { requests: { capital_question: prompt("What is the capital of France?") } },
        ({ capital_question }) => {
          const said = modelText(capital_question);
          return said === undefined ? undefined : textResult(said);
        },
      ),
  },
  {
    name: "test_input_required_result_list_roots",
    description: "Asks for the client's roots",
    run: (call) =>
      withAnswers(call, { requests: { client_roots: roots } }, ({ client_roots }) =>
        client_roots === undefined ? undefined : textResult(`Roots: ${JSON.stringify(client_roots)}`),
      ),
  },
  {
    name: "test_input_required_result_request_state",
    description: "Wants its state back",
    run: (call) => confirmWithState(call, "round-1", "state-ok"),
  },
  {
    name: "test_input_required_result_tampered_state",
    description: "Gives a state that must not be changed",
    run: (call) => confirmWithState(call, "sealed", "the state came back unharmed"),
  },
  {
    name: "test_input_required_result_multiple_inputs",
    description: "Asks a user, a model and the client at once",
    run: async ({ caller, signal }) => {
      const answers = await ask(
        caller,
        { user_name: askName, greeting: prompt("Generate a greeting", 50), client_roots: roots },
        signal,
      );
      return textResult(`answered: ${Object.keys(answers).join(", ")}`);
    },
  },
  {
    name: "test_input_required_result_multi_round",
    description: "Asks twice, one question after the other",
    run: async ({ caller, signal }) => {
      const askFirst = form("Step 1: What is your name?", { name: { type: "string" } });
      const askSecond = form("Step 2: What is your favorite color?", { color: { type: "string" } });
      const { step1 } = await ask(caller, { step1: askFirst }, signal);
      const { step2 } = await ask(caller, { step2: askSecond }, signal);
      return textResult(
        `${String(acceptedFields(step1)?.["name"])} likes ${String(acceptedFields(step2)?.["color"])}`,
      );
    },
  },
  {
    name: "test_input_required_result_capabilities",
    description: "Asks only what its client can answer",
    run: async ({ caller, signal }) => {
      const requests = {
        ...(caller.can.elicit?.form ? { user_name: askName } : {}),
        ...(caller.can.sample ? { greeting: prompt("Generate a greeting", 50) } : {}),
        ...(caller.can.roots ? { client_roots: roots } : {}),
      };
      const answers = await ask(caller, requests, signal);
      return textResult(`answered: ${Object.keys(answers).join(", ")}`);
    },
  },
  {
    name: "test_missing_capability",
    description: "Cannot do without the client's model",
    run: (call) =>
      withAnswers(call, { requests: { answer: prompt("Say something") } }, ({ answer }) => {
        const said = modelText(answer);
        return said === undefined ? undefined : textResult(said);
      }),
  },
];

/** Answers when everything asked for is there and of use; else asks, in the way this caller can be asked. */
async function withAnswers(
  { caller, signal }: FixtureCall,
  suspended: Suspension,
  use: (answers: Answers) => ToolResult | undefined,
): Promise<FixtureAnswer> {
  const done = use(caller.resume?.responses ?? {});
  if (done) return done;
  if (caller.can.suspend) return { suspended };
  return use(await ask(caller, suspended.requests, signal)) ?? failureResult("no answer of use came");
}

/** Asks for a yes. A caller that was given a state must bring the very same. */
function confirmWithState(call: FixtureCall, state: string, message: string): Promise<FixtureAnswer> {
  const { can, resume } = call.caller;
  return withAnswers(call, { requests: { confirm: askOk }, state }, ({ confirm }) => {
    if (!acceptedFields(confirm)) return undefined;
    const isSame = !can.suspend || resume?.state === state;
    return isSame ? textResult(message) : failureResult("the state is not the one that was given");
  });
}

async function ask(caller: Caller, requests: Questions, signal: AbortSignal): Promise<Answers> {
  if (!caller.ask) throw new Error("the client cannot be asked");
  return caller.ask(requests, signal);
}
