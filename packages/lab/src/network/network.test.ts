import { expect, test } from "vitest";
import { findProgram, runCommand } from "@kintsugi/daemon";
import { linksIn, observeNetwork } from "./network.ts";

const devices = `Inter-|   Receive                                                |  Transmit
 face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed
    lo: 1186418   18201    0    0    0     0          0         0  1186418   18201    0    0    0     0       0          0
kt0123456789abc:       0       0    0    0    0     0          0         0        0       0    0    0    0     0       0          0
eth0.5@x:7 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
`;

test("the links of a network are the links that the kernel lists, whatever the length of their names", () => {
  expect([...linksIn(devices)]).toEqual(["lo", "kt0123456789abc", "eth0.5@x"]);
});

test.skipIf(findProgram("ip", "") === undefined)(
  "the observed state of this host equals ip's output, without starting a program",
  async () => {
    const ask = async (...args: string[]) =>
      (JSON.parse((await runCommand("ip", ["-j", ...args])) || "[]") as { ifname?: string; name?: string }[]).map(
        ({ ifname, name }) => ifname ?? name ?? "",
      );
    const told = async () => ({ links: await ask("link"), namespaces: await ask("netns", "list") });
    const before = await told();
    const observed = await observeNetwork();
    const after = await told();
    // Other tests may create and remove some in the meantime.
    const lasting = (kind: "links" | "namespaces") => before[kind].filter((name) => after[kind].includes(name));
    for (const kind of ["links", "namespaces"] as const) {
      expect(lasting(kind).filter((name) => !observed[kind].has(name))).toEqual([]);
    }
    expect(observed.links).toContain("lo");
  },
);
