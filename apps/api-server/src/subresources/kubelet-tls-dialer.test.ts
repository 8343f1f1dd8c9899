import { expect, test } from "vitest";
import { assertDialable, refusedAddresses } from "./kubelet-tls-dialer.ts";

const refused = refusedAddresses(["10.64.0.1", "fd00::1"]);

test.each(["10.64.0.11", "192.168.1.5", "fd00::11", "::ffff:10.64.0.11"])("a kubelet may be at %s", (address) => {
  expect(() => assertDialable({ nodeName: "node-1", address, port: 10250 }, refused)).not.toThrow();
});

test.each([
  "127.0.0.1",
  "::1",
  "169.254.169.254",
  "10.64.0.1",
  "fd00::1",
  "::ffff:127.0.0.1",
  "::ffff:10.64.0.1",
  "fe80::1",
  "node-1",
])("no kubelet is at %s", (address) => {
  expect(() => assertDialable({ nodeName: "node-1", address, port: 10250 }, refused)).toThrow(
    `the address of node node-1 (${address}:10250) is not one that a kubelet may have`,
  );
});
