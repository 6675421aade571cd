export const house = {
  "house:layers":
    "what a call runs is composed when the tools change: it looks its tool up once, however many layers there are",
  "house:next-call":
    "what a call runs is composed when tools change; modes, rules, approvals, withheld tools, tokens and limits hold for the very next call",
  "house:last-word": "whoever holds a tool or a call, what the tool's own box says when it runs counts",
  "house:once": "per tool that runs, a call is looked up, coerced, examined and measured once",
  "house:layer-order":
    "the layers around a gateway's tools have one order, which decides what is seen, recorded and refused",
  "house:layer-refusals":
    "every layer passes on why a tool is refused, and none tells more than its client may know",
  "house:layer-identity": "a list of tools is the same frozen array until the tools change",
  "house:layer-tables": "clients with the same token, route and mode share one table",
  "house:undefined-keeps-default":
    "a limit or an option that is undefined keeps its default, as one that is absent does",
  "house:types": "the public types of both packages are pinned, wherever they are declared",
  "house:exports": "every subpath exports exactly the pinned names",
  "house:cli":
    "the command lists the tools, runs a call, and answers wrong usage with one line and exit code 2",
  "docs:paths": "files, folders, rooms and identifiers that the documents name exist",
  "docs:honest": "README, help and glossary claim no more than `serve` passes on",
  "docs:figures": "the figures that README and docs/why.md state are those of the pages that the runs wrote",
  "docs:configuration":
    "the page on configuration lists every member that the parser knows, each with an example that parses",
  "docs:readme": "the code, the commands and the links of the README work as shown",
  "docs:troubleshooting":
    "the page on troubleshooting quotes messages that the code has, each with what to do",
  "docs:links": "every link between the documents leads to a file and a heading that exist",
  "docs:parity": "docs/parity.md marks a name as done only when its subpath exports it",
  "house:bench-gate": "a bench case misses its budget when its median is more than 10 % above it",
  "house:benchmarks-page": "docs/benchmarks.md lists each work at which another program is ahead of ours",
  "house:call-costs":
    "a call allocates no more promises and bytes than test/call-costs.json allows: in a mounted box, and through the gateway over HTTP and stdio",
  "house:requirements-gate":
    "a test run fails when a requirement has no test that passed, or a test cites an unknown requirement",
  "house:install":
    "the two lines of the README pack and install the command and the framework; `npm run test:nodes` runs them from an empty prefix",
  "house:node-versions":
    "the page of platforms holds the last run of each Node version and names the platforms without any run",
} as const;
