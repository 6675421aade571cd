/** The console of a gateway: who gets in, what is shown, and what may be changed. */
export const consoleServer = {
  "console:link":
    "`indus console` makes a link that works once, within a minute, for the gateway it was made for; without a session that it opened there is no data, also on this machine",
  "console:opener":
    "The program that opens the browser gets the path of a private page, so the code of a link is in no command line, and the page is gone afterwards",
  "console:sites":
    "Requests of other web pages are refused, also of pages at another port of this host, and no answer sets a cookie or allows another origin",
  "console:host": "A request that names a foreign host is refused",
  "console:frames": "No page may frame the console, and its own policy allows only its own files",
  "console:remote":
    "Over the network only a token made with `--admin` opens the console, over https; its session ends when the token is revoked, and it changes no row and no file of a client",
  "console:assets":
    "Only built files of the page are served, by plain names; a path that leads elsewhere is not found",
  "console:stream":
    "The live stream resumes without a gap, ends with its reader, and is limited in number; nothing is recorded while nobody looks",
  "console:overview":
    "The overview has each problem with its reason and its remedy, the servers with calls, memory and processor time, the clients, and what the tools cost them",
  "console:calls":
    "Calls are shown with filters, percentiles and the shape of their arguments, never a value",
  "console:changes": "A changed tool is shown with its difference, and approved or refused as it was shown",
  "console:refuse":
    "`indus mcp refuse` keeps what was approved and asks no longer, until the server changes it again",
  "console:rows":
    "A row is added, replaced and removed with the checks of the commands, its secrets stay hidden and in place, and each change names its command",
  "console:commands":
    "Each command that the console shows can be pasted into a shell: it is one of ours with flags that it has, and names of others are quoted",
  "console:tokens": "A token made in the console is shown once and never opens the console itself",
  "console:try":
    "A tool is called, a resource read and a prompt fetched through the gate in either era, with the raw messages, and questions are answered",
  "console:apps":
    "The page of an app is served once, in an origin of its own, under a policy that never includes this machine; an app reaches only the tools of its own server that are for apps",
  "console:off": "`indus serve --no-console` serves neither the page nor its data",
  "console:restart":
    "`indus mcp restart` restarts a server of the running gateway, or of the background gateway",
  "console:background":
    "The background gateway opens a port for its console alone, without an endpoint, while somebody looks; it shows the folders that have clients, each with the calls of all its clients",
} as const;
