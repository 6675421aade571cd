import { verifies } from "@indus/testkit";
import { createMemoryTokenStore, createOAuthProvider } from "indusagi/interop";
import { expect } from "vitest";
import { called, rejection } from "./login-kit.ts";
import { personAt, realIssuer } from "./real-issuer.ts";

verifies(
  "login:real-issuer",
  "registration, login, rotating renewals and logout work with an authorization server of others",
  async () => {
    await using server = await realIssuer();
    const store = createMemoryTokenStore();
    const redirectUrl = "http://127.0.0.1:1/callback";
    const interaction = { redirectUrl, authorize: (url: URL) => personAt(url, redirectUrl) };
    const options = { serverUrl: server.url, store };
    const person = createOAuthProvider({ ...options, interaction });
    expect(await called(server, person)).toBe("hello");
    const status = await person.status();
    expect(status).toMatchObject({ issuer: server.issuer, renewable: true });
    expect(status?.scope?.split(" ")).toContain("notes");
    // Renewals rotate the refresh token: a second use of an old one would end the login.
    for (let round = 0; round < 3; round++) {
      server.revokeAccessTokens();
      expect(await called(server, createOAuthProvider(options))).toBe("hello");
    }
    expect(await person.logout()).toBe(true);
    expect(await rejection(called(server, createOAuthProvider(options)))).toMatchObject({
      details: { status: 401 },
    });
  },
);
