import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import { verifies } from "@indus/testkit";
import fc from "fast-check";
import ipaddr from "ipaddr.js";
import { expect } from "vitest";
import { guardedLookup, isLoopbackHost, isPublicAddress, type ResolveHost } from "../../../src/core/index.ts";

const BLOCKED_V4 = [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/4",
  "240.0.0.0/4",
  "168.63.129.16/32",
];
const BLOCKED_V6 = [
  "::/128",
  "::1/128",
  "::/96",
  "64:ff9b:1::/48",
  "100::/64",
  "2001::/32",
  "2001:db8::/32",
  "2001:10::/28",
  "2002::/16",
  "3fff::/20",
  "5f00::/16",
  "fc00::/7",
  "fe80::/10",
  "fec0::/10",
  "ff00::/8",
];
const PUBLIC = [
  "1.1.1.1",
  "8.8.8.8",
  "9.255.255.255",
  "11.0.0.0",
  "100.63.255.255",
  "100.128.0.0",
  "126.255.255.255",
  "128.0.0.1",
  "169.253.255.255",
  "172.15.255.255",
  "172.32.0.0",
  "192.167.255.255",
  "198.17.255.255",
  "198.20.0.0",
  "223.255.255.255",
  "2606:4700:4700::1111",
  "2a00:1450:4001::1",
  "2001:4860:4860::8888",
  "::ffff:8.8.8.8",
  "64:ff9b::808:808",
  "2001:200::1",
];

/** An address anywhere in one of these networks. */
function inside(networks: readonly string[]): fc.Arbitrary<number[]> {
  return fc.constantFrom(...networks).chain((network) => {
    const [base, bits] = ipaddr.parseCIDR(network);
    const bytes = base.toByteArray();
    return fc.uint8Array({ minLength: bytes.length, maxLength: bytes.length }).map((noise) =>
      bytes.map((byte, index) => {
        const fixed = Math.min(8, Math.max(0, bits - index * 8));
        const mask = (0xff << (8 - fixed)) & 0xff;
        return (byte & mask) | ((noise[index] ?? 0) & ~mask & 0xff);
      }),
    );
  });
}

const hex = (byte: number | undefined): string => (byte ?? 0).toString(16);
const pair = (high: number | undefined, low: number | undefined): string =>
  (((high ?? 0) << 8) | (low ?? 0)).toString(16);

/** All known forms of an IPv4 address that a URL, a resolver or a socket accepts as that address. */
function disguises([a = 0, b = 0, c = 0, d = 0]: readonly number[]): readonly string[] {
  const dotted = `${a}.${b}.${c}.${d}`;
  const high = pair(a, b);
  const low = pair(c, d);
  return [
    dotted,
    `::ffff:${dotted}`,
    `::ffff:${high}:${low}`,
    `0:0:0:0:0:ffff:${dotted}`,
    `::FFFF:${dotted}`,
    `64:ff9b::${dotted}`,
    `64:ff9b::${high}:${low}`,
    `2002:${high}:${low}::`,
    `2002:${high}:${low}:1:2:3:4:5`,
    `::${dotted}`,
    `::ffff:${dotted}%eth0`,
  ];
}

/** Forms that only a URL accepts; `new URL` must convert them to the dotted form. */
function urlForms([a = 0, b = 0, c = 0, d = 0]: readonly number[]): readonly string[] {
  const number = a * 2 ** 24 + b * 2 ** 16 + c * 2 ** 8 + d;
  const octal = [a, b, c, d].map((part) => `0${part.toString(8)}`).join(".");
  return [
    `${number}`,
    `0x${number.toString(16)}`,
    octal,
    `0x${hex(a)}.0x${hex(b)}.0x${hex(c)}.0x${hex(d)}`,
    `${a}.${b}.${c * 256 + d}`,
    `${a}.${b * 65_536 + c * 256 + d}`,
    `${a}.${b}.${c}.${d}.`,
  ];
}

verifies(
  "web:public-only",
  "every IPv4 address of a blocked network is blocked in all its IPv6 forms",
  () => {
    fc.assert(
      fc.property(inside(BLOCKED_V4), (bytes) => {
        for (const form of disguises(bytes)) expect(isPublicAddress(form), form).toBe(false);
      }),
    );
  },
);

verifies("web:public-only", "numbers, octal and hexadecimal forms are blocked through a URL", () => {
  fc.assert(
    fc.property(inside(BLOCKED_V4), (bytes) => {
      for (const form of urlForms(bytes)) {
        expect(isPublicAddress(new URL(`http://${form}/`).hostname), form).toBe(false);
      }
    }),
  );
});

verifies("web:public-only", "every IPv6 address of a blocked network is blocked", () => {
  fc.assert(
    fc.property(inside(BLOCKED_V6), (bytes) => {
      const address = new ipaddr.IPv6(bytes);
      for (const form of [address.toString(), address.toNormalizedString(), `${address.toString()}%1`]) {
        expect(isPublicAddress(form), form).toBe(false);
      }
    }),
  );
});

verifies("web:public-only", "public addresses pass, also those next to blocked networks", () => {
  for (const address of PUBLIC) expect(isPublicAddress(address), address).toBe(true);
});

verifies(
  "web:public-only",
  "every address that an independent library does not call unicast is blocked",
  () => {
    // Small networks that are in the registry but public, and the two forms that contain an IPv4 address and are
    // judged by it.
    const exempt = new Set(["unicast", "as112", "amt", "as112v6", "ipv4Mapped", "rfc6052"]);
    const bytes = fc.oneof(
      fc.uint8Array({ minLength: 4, maxLength: 4 }),
      fc.uint8Array({ minLength: 16, maxLength: 16 }),
    );
    fc.assert(
      fc.property(bytes, (raw) => {
        const address = ipaddr.fromByteArray([...raw]);
        if (!exempt.has(address.range()))
          expect(isPublicAddress(address.toString()), address.toString()).toBe(false);
      }),
    );
  },
);

verifies("web:public-only", "a text that is not an address is not public", () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      if (!ipaddr.isValid(text)) expect(isPublicAddress(text)).toBe(false);
    }),
  );
});

/** The answer of a lookup. */
function lookUp(resolve: ResolveHost, all: boolean): Promise<unknown> {
  return new Promise((answer, refuse) => {
    guardedLookup(resolve)("name.test", { all }, (error, address) =>
      error ? refuse(error) : answer(address),
    );
  });
}

verifies(
  "web:dial-checked",
  "the socket gets exactly the addresses of the answer that was checked",
  async () => {
    const answers = [["8.8.8.8", "2606:4700:4700::1111"], ["127.0.0.1"]];
    let asked = 0;
    const changing: ResolveHost = async () => answers[asked++] ?? ["127.0.0.1"];
    expect(await lookUp(changing, true)).toEqual([
      { address: "8.8.8.8", family: 4 },
      { address: "2606:4700:4700::1111", family: 6 },
    ]);
    expect(asked).toBe(1);
    await expect(lookUp(changing, false)).rejects.toThrow("name.test resolves to 127.0.0.1");
  },
);

verifies("web:dial-checked", "a name with one blocked address among public ones is refused", async () => {
  for (const mixed of [
    ["8.8.8.8", "10.0.0.1"],
    ["2606:4700:4700::1111", "::1"],
    ["fe80::1%eth0", "1.1.1.1"],
  ]) {
    for (const all of [true, false])
      await expect(lookUp(async () => mixed, all)).rejects.toThrow("not a public");
  }
  await expect(lookUp(async () => [], true)).rejects.toThrow("has no address");
});

verifies("web:dial-checked", "a real socket does not connect when the lookup refuses", async () => {
  let connects = 0;
  const server = createServer((socket) => {
    connects++;
    socket.destroy();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const socket = connect({ host: "name.test", port, lookup: guardedLookup(async () => ["127.0.0.1"]) });
  const [error] = await once(socket, "error").catch((thrown: unknown) => [thrown]);
  expect(String(error)).toContain("not a public internet address");
  server.close();
  await once(server, "close");
  expect(connects).toBe(0);
});

verifies("core:loopback-host", "names and addresses of this machine, and no others", () => {
  const byte = fc.integer({ min: 0, max: 255 });
  fc.assert(
    fc.property(byte, byte, byte, byte, (a, b, c, d) => {
      expect(isLoopbackHost(`127.${b}.${c}.${d}`)).toBe(true);
      expect(isLoopbackHost(`${a}.${b}.${c}.${d}`)).toBe(a === 127);
    }),
  );
  for (const host of ["localhost", "LocalHost", "::1", "[::1]"])
    expect([host, isLoopbackHost(host)]).toEqual([host, true]);
  const near = ["127.1", "127.0.0.999", "127.0.0.01", "127.0.0.1.example.org", "::ffff:127.0.0.1", "::1%lo"];
  for (const host of [
    ...near,
    "",
    "::",
    "[::]",
    "0.0.0.0",
    "localhost.example",
    "x.localhost",
    "localhost\n",
  ])
    expect([host, isLoopbackHost(host)]).toEqual([host, false]);
});
