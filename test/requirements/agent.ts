/** The loop of a model and its tools. */
export const agent = {
  "agent:stream": "text arrives in pieces, and complete parts become the transcript",
  "agent:order": "calls that only read run at the same time, every other call runs alone and in order",
  "agent:arguments": "arguments are repaired as their schema asks; the transcript has both forms",
  "agent:bad-calls": "an unknown tool and broken arguments get a readable answer, and nothing runs",
  "agent:errors": "the failure of a tool is an answer for the model",
  "agent:step-limit": "a model that never stops calling is stopped",
  "agent:repeats": "the same call with the same answer is not run for ever; a poll is",
  "agent:abort": "an abort at any moment ends the turn, and every call has an answer",
  "agent:model-failure": "a model that fails, hangs or says nothing ends the turn, and what it said is kept",
  "agent:usage": "tokens are summed over steps and turns",
  "agent:live-tools": "changed tools are offered with the next step, or with the next turn",
  "agent:unlisted-tools": "a tool that the box runs but does not list can be called by its name",
  "agent:long-results": "a long answer is kept whole, shown as a preview, and can be read and searched",
  "agent:reader-when-needed":
    "the tool that reads stored answers is offered once there is one, and not before",
  "agent:prompt-only": "an agent without tools offers none, and its requests have no calls",
  "agent:view": "the conversation is well formed for every transcript",
  "agent:compaction":
    "a full context is shortened: previews first, then a summary; the transcript stays whole",
  "agent:resume": "a conversation goes on from its transcript",
} as const;
