// Broken on purpose: a server that cannot start is shown with its reason, and the others do not notice.
process.stderr.write("this server is broken on purpose\n");
process.exit(1);
