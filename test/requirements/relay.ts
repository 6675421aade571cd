/** What servers have beside tools, passed on to the clients of a host: names, lists, reads. */
export const relay = {
  "relay:namespaced":
    "a namespaced URI is the server and its URI, in one spelling, and no two pairs of them share a name",
  "relay:uris":
    "a resource URI is passed on as it is while one server has it, and is namespaced from the first clash on; the plain one is then an error that names both servers",
  "relay:unlisted":
    "a URI in no list belongs to the server that gave this client a link to it, else to the one with a template for it; no server is tried in turn",
  "relay:links": "links are remembered per session or principal, and their number is limited",
  "relay:rewritten":
    "URIs in links, embedded resources, templates and _meta are renamed only where they are namespaced, and back in requests",
  "relay:prompts": "prompts have wire names like tools; icons, titles, annotations and _meta are passed on",
  "relay:completion":
    "a completion is asked of the server that has the prompt or template, under its name there",
  "relay:last-known":
    "lists are answered from what is last known while a server does not answer, and wait at most the patience",
  "relay:shape":
    "an item of a wrong form is left out, so that it does not make clients reject the whole list",
  "relay:scope": "one server can be relayed under its own names, or some servers under the shared ones",
  "serve:relay":
    "`indus serve` passes on resources, templates, prompts and completion, over stdio and HTTP, to clients of both eras",
  "serve:clashes": "a URI that two servers had stays namespaced after a restart of the gateway",
  "serve:relay-patience":
    "a server that hangs delays a list of a gateway by at most the patience, and its last known items are listed",
  "serve:status":
    "`indus__status` is offered only while a server is down, needs a login, is not approved or is quarantined, and says which, why and what to run",
} as const;
