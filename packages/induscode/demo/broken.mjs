// Broken on purpose: it is listed with the reason, and the other servers work.
process.stderr.write("this server is broken on purpose\n");
process.exit(1);
