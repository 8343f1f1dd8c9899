import { silentLogger } from "@kintsugi/api";
import { systemClock } from "@kintsugi/clock";
import { type BusCaller, BusDenied, NatsBus } from "@kintsugi/watch-stream";
import { type BusUnderTest, describeBusContract } from "@kintsugi/watch-stream/testing/contract";
import { describe, expect, test } from "vitest";
import { sayWhyNot, whyNoPackage } from "../support/host-abilities.ts";
import { type NatsServerProcess, prepareNatsServer } from "../support/servers/nats-server-process.ts";
import { eventually } from "../support/run-program.ts";

const cluster = "lab";
const lacking = whyNoPackage("nats-server");

/** Connects as the API server, or as a client with credentials from it. */
function connectTo(
  server: NatsServerProcess,
  who: BusCaller | "publisher",
): { bus: NatsBus; close: () => Promise<void> } {
  const stop = new AbortController();
  const credentials = async (publicKey: string) => {
    const issued =
      who === "publisher"
        ? { jwt: server.authority.issuePublisher(publicKey) }
        : server.authority.issue(who, publicKey);
    if ("refused" in issued) throw new Error(issued.refused);
    return { servers: [server.url], jwt: issued.jwt, cluster };
  };
  const bus = new NatsBus({ clock: systemClock, log: silentLogger, credentials }, { name: "test", ca: server.ca });
  const running = bus.run(stop.signal);
  return {
    bus,
    close: async () => {
      stop.abort();
      await running;
    },
  };
}

const scheduler: BusCaller = { name: "system:kube-scheduler", groups: ["system:authenticated"] };
const nodeA: BusCaller = { name: "system:node:a", groups: ["system:nodes", "system:authenticated"] };

describe.skipIf(sayWhyNot("the bus over NATS", lacking))("the bus over a real nats-server", () => {
  test("a node receives only its own pods, and may not publish", async () => {
    await using server = await prepareNatsServer(cluster);
    await server.start();
    const publisher = connectTo(server, "publisher");
    const node = connectTo(server, nodeA);
    await eventually("both are connected", async () => publisher.bus.connected() && node.bus.connected());
    const heard: string[] = [];
    const handlers = {
      onMessage: (subject: string) => heard.push(subject),
      onInterrupted: () => heard.push("interrupted"),
    };
    const { signal } = new AbortController();
    await node.bus.subscribe("lab.watch.core.pods.a.*.*", handlers, signal);
    for (const filter of [
      "lab.watch.core.pods.b.*.*",
      "lab.watch.core.pods.>",
      ">",
      "lab.watch.core.secrets._.*.*",
      "_INBOX.>",
    ]) {
      await expect(node.bus.subscribe(filter, handlers, signal)).rejects.toThrow(BusDenied);
    }
    node.bus.publish("lab.watch.core.pods.a.default.forged", new Uint8Array(1));
    await node.bus.flush();
    publisher.bus.publish("lab.watch.core.pods.a.default.mine", new Uint8Array(1));
    publisher.bus.publish("lab.watch.core.pods.b.default.other", new Uint8Array(1));
    await publisher.bus.flush();
    await eventually("its own pod", async () => heard.length > 0);
    expect(heard).toEqual(["lab.watch.core.pods.a.default.mine"]);
    await Promise.all([publisher.close(), node.close()]);
  });

  test("a node has at most 64 subscriptions", async () => {
    await using server = await prepareNatsServer(cluster);
    await server.start();
    const publisher = connectTo(server, "publisher");
    const node = connectTo(server, nodeA);
    await eventually("both are connected", async () => publisher.bus.connected() && node.bus.connected());
    const heard = new Set<number>();
    for (let index = 0; index < 70; index++) {
      const handlers = { onMessage: () => heard.add(index), onInterrupted: () => {} };
      await node.bus.subscribe("lab.watch.core.pods.a.*.*", handlers, new AbortController().signal);
    }
    publisher.bus.publish("lab.watch.core.pods.a.default.mine", new Uint8Array(1));
    await eventually("the change", async () => heard.has(63));
    await node.bus.flush();
    expect(heard.size).toBe(64);
    await Promise.all([publisher.close(), node.close()]);
  });

  test("an identity without a role on the bus does not get a token, and a token of another account is rejected", async () => {
    await using server = await prepareNatsServer(cluster);
    await using stranger = await prepareNatsServer(cluster);
    await server.start();
    const key = "UDXU4RCSJNZOIQHZNWXHXORDPRTGNJAHAHFRGZNEEJCPQTT2M7NLCNF4";
    expect(server.authority.issue({ name: "somebody", groups: ["system:authenticated"] }, key)).toEqual({
      refused: "notAllowed",
    });
    expect(server.authority.issue(scheduler, "not a key")).toEqual({ refused: "badKey" });
    const forged = connectTo({ ...server, authority: stranger.authority }, scheduler);
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(forged.bus.connected()).toBe(false);
    await forged.close();
  });
});

if (lacking === undefined) {
  describeBusContract("NatsBus", async (): Promise<BusUnderTest> => {
    const server = await prepareNatsServer(cluster);
    await server.start();
    // The contract uses arbitrary subjects, so both clients may do everything here.
    const everything = { ...server, authority: server.unlimited };
    const publisher = connectTo(everything, "publisher");
    const subscriber = connectTo(everything, scheduler);
    const both = (connected: boolean) =>
      eventually(
        `both connected: ${connected}`,
        async () => publisher.bus.connected() === connected && subscriber.bus.connected() === connected,
      );
    const close = async () => {
      await Promise.all([publisher.close(), subscriber.close()]);
      await server[Symbol.asyncDispose]();
    };
    // A test that cannot begin has to clean up after itself.
    await both(true).catch(async (error: unknown) => {
      await close();
      throw error;
    });
    return {
      publisher: publisher.bus,
      subscriber: subscriber.bus,
      async interrupt() {
        await server.kill();
        await both(false);
      },
      async restore() {
        await server.start();
        await both(true);
      },
      async settle() {
        await publisher.bus.flush();
        await subscriber.bus.flush();
      },
      [Symbol.asyncDispose]: close,
    };
  });
}
