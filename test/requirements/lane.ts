/** Plain requests that a host serves without the SDK; `docs/inbound-lane.md` explains why this is safe. */
export const lane = {
  "lane:same":
    "a request gets the same status, headers of meaning and messages on the lane as from the SDK: valid, odd and malformed ones, in both eras, over HTTP and stdio",
  "lane:plain": "what the lane takes for a valid request, the SDK's schemas take for one",
  "lane:off": "with INDUS_INBOUND=sdk no request takes the lane",
  "lane:talk":
    "on the lane a tool reports progress, logs, asks its client and is cancelled as it is under the SDK, in both eras",
  "lane:signals": "a tool may keep the signal of its call: a later call never aborts it",
  "lane:order": "a request does not overtake a message that was sent before it",
  "lane:list-once": "a list of tools is written once per change, and sent to all clients",
  "lane:bytes":
    "the bytes of a server's result are sent as they were received, unless something in it has to change",
} as const;
