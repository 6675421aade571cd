import { call, log } from "./calls.ts";
import { listChanged } from "./changes.ts";
import { HELLO_AND_LISTS, missing } from "./every-plan.ts";
import { ask, complete, list, prompt, read } from "./requests.ts";
import type { Plan, Step } from "./step.ts";
import { otherMethods, task, unknownTask } from "./tasks.ts";

const elicit = (tool: string, args = {}): Step => call(tool, args, { feature: "elicit" });
const asked = (name: string): string => `test_input_required_result_${name}`;

/** Everything that the server for the conformance suite offers. */
export const conformancePlan: Plan = {
  extensions: { "io.modelcontextprotocol/tasks": {}, "io.modelcontextprotocol/skills": {} },
  steps: [
    ...HELLO_AND_LISTS,
    call("test_simple_text"),
    call("test_image_content"),
    call("test_audio_content"),
    call("test_embedded_resource"),
    call("test_multiple_content_types"),
    call("json_schema_2020_12_tool", { name: "Ada", contactMethod: "email", email: "ada@example.test" }),
    call("test_error_handling", {}, { feature: "tool errors" }),
    call("test_tool_with_progress", {}, { feature: "progress" }),
    log("info", "test_tool_with_logging"),
    call("test_reconnection"),
    call("test_sampling", { prompt: "Say hi" }, { feature: "sample" }),
    elicit("test_elicitation", { message: "Who are you?" }),
    elicit("test_elicitation_sep1034_defaults"),
    elicit("test_elicitation_sep1330_enums"),
    elicit("test_streaming_elicitation"),
    elicit(asked("elicitation")),
    call(asked("sampling"), {}, { feature: "sample" }),
    call(asked("list_roots"), {}, { feature: "roots" }),
    elicit(asked("multiple_inputs")),
    elicit(asked("multi_round")),
    elicit(asked("capabilities")),
    listChanged("tools", "test_trigger_tool_change"),
    listChanged("prompts", "test_trigger_prompt_change"),
    read("test://static-text"),
    read("test://static-binary"),
    read("test://template/7/data"),
    prompt("test_simple_prompt"),
    prompt("test_prompt_with_arguments", { arg1: "a", arg2: "東京" }),
    prompt("test_prompt_with_embedded_resource", { resourceUri: "test://static-text" }),
    prompt("test_prompt_with_image"),
    prompt("test_input_required_result_prompt"),
    complete({ prompt: "test_prompt_with_arguments", argument: { name: "arg1", value: "par" } }),
    complete({ template: "test://template/{id}/data", argument: { name: "id", value: "t" } }),
    task("slow_compute", { seconds: 0.2, label: "東京" }),
    task("failing_job"),
    task("protocol_error_job"),
    task("confirm_delete", { filename: "a" }),
    task("multi_input"),
    task("test_tool_with_task"),
    unknownTask,
    otherMethods,
    list({ method: "skills/list", member: "skills" }, "skills"),
    ask("skills/get", "skills", "skills/get", { uri: "skill://pdf-forms/SKILL.md" }),
    read("skill://pdf-forms/references/fields.md", "skills"),
    ask("folder of a skill", "skills", "resources/directory/read", { uri: "skill://pdf-forms" }),
    ...missing("test://no-such-thing"),
  ],
};
