import { expect, test } from "vitest";
import { chooseNodeResolver } from "./node-resolver.ts";

const none = { resolvConf: undefined, stubs: [] };

test("nodes of a host with systemd-resolved query its servers, and their programs find the proxy at its address", () => {
  expect(chooseNodeResolver("nameserver 127.0.0.53\noptions edns0", "nameserver 192.0.2.53")).toEqual({
    resolvConf: "/run/systemd/resolve/resolv.conf",
    stubs: ["127.0.0.53"],
  });
});

test.each([
  ["a server that nodes reach", "nameserver 192.0.2.53", "nameserver 192.0.2.54"],
  ["an unknown server on loopback", "nameserver 127.0.0.1", undefined],
  ["a server that forwards to another on loopback", "nameserver 127.0.0.53", "nameserver 127.0.0.1"],
  ["no server", "", undefined],
])("%s: the host's configuration is used", (_, etc, behind) => {
  expect(chooseNodeResolver(etc, behind)).toEqual(none);
});
