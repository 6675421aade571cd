import { isRecord } from "../../../core/internal.ts";
import { withoutEnvelope } from "../../content/index.ts";
import { ProtocolFault, type RawResult, type TaskProvider } from "../../contract/index.ts";
import { renameInQuestions, renameInResult } from "../names/rename-uris.ts";
import type { TaskHandles } from "../names/task-handles.ts";
import { passOn } from "./relay-failures.ts";
import { passedOn, type RelayParts } from "./relay-parts.ts";
import { isInScope, type RelayScope } from "./relay-scope.ts";

/** The tasks of modern servers, under handles that only their own clients can use. */
export function taskProvider(parts: RelayParts, scope: RelayScope, handles: TaskHandles): TaskProvider {
  return {
    handleOf: (task, { principal }) => {
      const handle = handles.seal(task, principal);
      if (handle !== undefined) return handle;
      const message = `server "${task.server}" created a task whose id is too long to be passed on`;
      throw new ProtocolFault("protocol", message, { server: task.server });
    },
    request: (method, { taskId, inputResponses }, request) => {
      const { caller } = request;
      const task = handles.open(taskId, caller.principal);
      if (!task || !isInScope(scope, task.server, caller)) return undefined;
      const { server, id } = task;
      const asked = { method, params: { taskId: id, ...(inputResponses && { inputResponses }) } };
      const send = async (): Promise<RawResult> => {
        await parts.begun();
        const asking = parts.relay.task(server, asked, passedOn(parts, { scope, server }, request));
        const answer = withoutEnvelope(await passOn(asking, caller));
        const renaming = parts.names.inResults(server, caller);
        const { result, inputRequests } = answer;
        const isRenamed = scope.only === undefined;
        return {
          ...answer,
          ...("taskId" in answer && { taskId }),
          ...(isRecord(result) && {
            result: withoutEnvelope(isRenamed ? renameInResult(result, renaming) : result),
          }),
          ...(isRenamed &&
            isRecord(inputRequests) && {
              inputRequests: renameInQuestions(inputRequests as never, renaming),
            }),
        };
      };
      return send();
    },
  };
}
