/** The page of the console, in a real browser. Skipped where there is none; `npm run test:browser` runs all of them. */
export const consolePage = {
  "page:form":
    "a form asks for each part of a JSON Schema in the fitting way, for what it does not understand as JSON, and never fails",
  "page:bundle":
    "the page is part of the build: hashed names, no inline script or style, nothing from another host, at most 150 KB with gzip",
  "browser:link":
    "a link opens the console once; the session survives a reload and is shared by tabs, not by browsers",
  "browser:alive": "what happens to servers and calls is shown as it happens",
  "browser:try":
    "tools are called by a form, their questions are answered by a form, and the raw messages are shown",
  "browser:changes": "a changed tool is compared and approved, and a connected client gets `list_changed`",
  "browser:access": "a token is made and shown once, used by a client, and revoked",
  "browser:rows":
    "a row is edited with the checks of the command: a mistake is named, and the right one is written",
  "browser:programs":
    "the gateway is connected to a program and taken out again, with the difference shown before it is written",
  "browser:many": "100 servers and 1,500 tools are listed, filtered and scrolled",
  "browser:folders":
    "of a gateway of several folders one is chosen; clients that come and go are seen, and a folder whose clients are gone is kept and says so",
  "browser:heals": "a lost connection is shown and heals, and tabs share one stream",
  "browser:markup":
    "markup, addresses and invisible characters from servers and clients are shown as text; nothing runs",
  "browser:app":
    "an app is shown in a frame of its own origin: it reaches neither the console, its key, other frames nor the network beyond its policy",
  "browser:foreign": "other pages cannot frame the console, read it, or change something with it",
  "browser:accessible":
    "no view violates WCAG 2.2 AA, in light and dark; every view works from 360 to 2,560 pixels and by keyboard",
  "browser:speed":
    "the first view takes at most 6 requests and 250 KB; 200 calls a second block the page for at most 50 ms at a time",
  "browser:pictures": "the pictures of the guide are of this page",
} as const;
