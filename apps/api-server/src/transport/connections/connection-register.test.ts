import { describe, expect, test } from "vitest";
import { connectionLimits, shareDescriptors } from "./connection-limits.ts";
import { ConnectionRegister, networkOf, type RegisteredConnection } from "./connection-register.ts";
import { openFilesMax } from "./open-files-limit.ts";

class TestConnection {
  bytes = 0;
  readonly address: string;

  constructor(address: string) {
    this.address = address;
  }

  bytesRead(): number {
    return this.bytes;
  }
}

type Registered = RegisteredConnection<TestConnection>;

const limits = {
  connectionsMax: 10,
  perUserMax: 4,
  unknownMax: 6,
  unknownPerAddressMax: 3,
  unknownBytesMax: 100,
  unknownBytesInAllMax: 250,
  unknownRequestsMax: 3,
  handshakeTimeoutMs: 10_000,
  unknownTimeoutMs: 60_000,
};

function openRegister() {
  const register = new ConnectionRegister<TestConnection>(limits);
  const ended: [Registered, string][] = [];
  const open = (address: string, nowMs = 0): Registered => {
    const admission = register.open(new TestConnection(address), nowMs);
    if ("refused" in admission) throw new Error(`refused: ${admission.refused}`);
    if (admission.ending !== undefined) ended.push([admission.ending.registered, admission.ending.reason]);
    return admission.registered;
  };
  const openKnown = (address: string, user: string) => {
    const registered = open(address);
    register.know(registered, user);
    return registered;
  };
  return { register, ended, open, openKnown };
}

test("an unauthenticated connection beyond an address's limit closes the address's oldest connection", () => {
  const { register, ended, open } = openRegister();
  open("10.0.0.2");
  const first = open("10.0.0.1");
  for (let i = 0; i < 2; i++) open("10.0.0.1");
  expect(ended).toEqual([]);
  open("10.0.0.1");
  expect(ended).toEqual([[first, "address"]]);
  expect(register.counts).toEqual({ known: 0, unknown: 4 });
});

test("authenticated connections of one address are limited only by the total", () => {
  const { register, ended, openKnown } = openRegister();
  for (let i = 0; i < 10; i++) openKnown("127.0.0.1", `system:node:node-${i}`);
  expect(ended).toEqual([]);
  expect(register.counts).toEqual({ known: 10, unknown: 0 });
});

test("an unauthenticated connection beyond the total limit closes the oldest connection of the address with the most connections", () => {
  const { ended, open } = openRegister();
  open("10.0.0.9");
  const heavy = open("10.0.0.1");
  for (const address of ["10.0.0.1", "10.0.0.1", "10.0.0.2", "10.0.0.3"]) open(address);
  open("10.0.0.4");
  expect(ended).toEqual([[heavy, "total"]]);
});

test("at the total limit a new connection replaces an unauthenticated connection, and an authenticated client replaces a new one", () => {
  const { register, ended, open, openKnown } = openRegister();
  for (let i = 0; i < 9; i++) openKnown("127.0.0.1", `user-${i}`);
  const stranger = open("10.0.0.1");
  const next = open("10.0.0.2");
  expect(ended).toEqual([[stranger, "total"]]);
  register.know(next, "user-9");
  expect(register.open(new TestConnection("10.0.0.3"), 0)).toEqual({ refused: "total" });
  register.close(next);
  expect(register.open(new TestConnection("10.0.0.3"), 0)).toHaveProperty("registered");
});

test("a user cannot exceed its share, and may connect again after a connection is closed", () => {
  const { register, open, openKnown } = openRegister();
  const [first] = [1, 2, 3, 4].map(() => openKnown("10.0.0.1", "greedy"));
  const fifth = open("10.0.0.1");
  expect(register.know(fifth, "greedy")).toEqual({ registered: fifth, reason: "user" });
  expect(register.counts).toEqual({ known: 4, unknown: 0 });
  if (first !== undefined) register.close(first);
  expect(register.know(open("10.0.0.1"), "greedy")).toBeUndefined();
  expect(register.counts).toEqual({ known: 4, unknown: 0 });
});

describe("the sweep closes", () => {
  test("a handshake after 10 s, and a connection without authentication after 60 s", () => {
    const { register, open, openKnown } = openRegister();
    openKnown("10.0.0.1", "admin");
    const [silent, anonymous] = [open("10.0.0.1"), open("10.0.0.1")];
    anonymous.isSecure = true;
    expect(register.sweep(9_999)).toEqual([]);
    expect(register.sweep(10_000)).toEqual([{ registered: silent, reason: "handshake" }]);
    expect(register.sweep(59_999)).toEqual([]);
    expect(register.sweep(60_000)).toEqual([{ registered: anonymous, reason: "unknown" }]);
    expect(register.counts).toEqual({ known: 1, unknown: 0 });
  });

  test("unauthenticated clients that have sent too much, separately and together, the largest first", () => {
    const { register, open, openKnown } = openRegister();
    openKnown("10.0.0.1", "admin").connection.bytes = 10_000;
    const sent = [101, 90, 80, 70, 60].map((bytes, i) => {
      const registered = open(`10.0.0.${i + 1}`);
      registered.connection.bytes = bytes;
      return registered;
    });
    expect(register.sweep(0)).toEqual([
      { registered: sent[0], reason: "bytes" },
      { registered: sent[1], reason: "bytes" },
    ]);
    expect(register.counts).toEqual({ known: 1, unknown: 3 });
  });
});

test("unauthenticated clients of an address may begin a limited number of requests in 10 s, over all their connections", () => {
  const { register, open, openKnown } = openRegister();
  const known = openKnown("10.0.0.1", "admin");
  const [first, second, elsewhere] = [open("10.0.0.1"), open("10.0.0.1"), open("10.0.0.2")];
  for (let i = 0; i < 10; i++) expect(register.request(known, 1)).toBeUndefined();
  for (const connection of [first, first, second, elsewhere]) expect(register.request(connection, 1)).toBeUndefined();
  expect(register.request(second, 9_999)).toEqual({ registered: second, reason: "requests" });
  expect(register.request(first, 10_000)).toBeUndefined();
  expect(register.counts).toEqual({ known: 1, unknown: 2 });
});

test("a connection that is closed twice, or closed after it was ended, counts once", () => {
  const { register, open, openKnown } = openRegister();
  const [known, unknown] = [openKnown("10.0.0.1", "admin"), open("10.0.0.1")];
  for (let i = 0; i < 2; i++) {
    register.close(known);
    register.close(unknown);
  }
  expect(register.counts).toEqual({ known: 0, unknown: 0 });
});

test("an ended connection is no longer authenticated, whatever its client sends", () => {
  const { register, open } = openRegister();
  const ended = open("10.0.0.1");
  register.close(ended);
  register.know(ended, "admin");
  expect(register.counts).toEqual({ known: 0, unknown: 0 });
});

test.each([
  ["10.1.2.3", "10.1.2.3"],
  ["::ffff:10.1.2.3", "10.1.2.3"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
  ["2001:db8:1:2::9", "2001:db8:1:2::/64"],
  ["2001:DB8::1", "2001:db8:0:0::/64"],
  ["fe80::1%eth0", "fe80:0:0:0::/64"],
  ["::1", "0:0:0:0::/64"],
])("%s is counted as %s", (address, network) => {
  expect(networkOf(address)).toBe(network);
});

describe("file descriptors", () => {
  test.each([320, 1_024, 20_000, 1_048_576, Infinity])(
    "of %d descriptors, 256 are reserved for the store and other uses",
    (filesMax) => {
      const { connectionsMax, dialsMax } = shareDescriptors(filesMax);
      expect(connectionsMax + dialsMax).toBeLessThanOrEqual(filesMax - 256);
      const { perUserMax, unknownMax, unknownPerAddressMax } = connectionLimits({ connectionsMax });
      expect(unknownMax).toBeLessThan(connectionsMax);
      expect(unknownPerAddressMax).toBeLessThan(unknownMax);
      expect(perUserMax).toBeLessThan(connectionsMax);
    },
  );

  test("too few descriptors are rejected with a remedy", () => {
    expect(() => shareDescriptors(319)).toThrow("raise the limit (ulimit -n)");
  });

  test("the limit is parsed as the kernel writes it", () => {
    const line = (soft: string) =>
      `Max cpu time  unlimited  unlimited  seconds\nMax open files            ${soft}                20000                files\n`;
    expect(openFilesMax(line("1024"))).toBe(1024);
    expect(openFilesMax(line("unlimited"))).toBe(Infinity);
    expect(openFilesMax()).toBeGreaterThan(0);
  });
});
