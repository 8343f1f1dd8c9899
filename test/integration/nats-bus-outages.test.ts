import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { silentLogger } from "@kintsugi/api";
import { systemClock } from "@kintsugi/clock";
import {
  BusDenied,
  type BusCaller,
  type BusCredentials,
  BusUnavailable,
  NatsBus,
  userJwt,
} from "@kintsugi/watch-stream";
import { describe, expect, test } from "vitest";
import { sayWhyNot, whyNoPackage } from "../support/host-abilities.ts";
import { type NatsServerProcess, prepareNatsServer } from "../support/servers/nats-server-process.ts";
import { eventually } from "../support/run-program.ts";

const cluster = "lab";
const lacking = whyNoPackage("nats-server");
const listener = fileURLToPath(new URL("../support/servers/bus-listener.ts", import.meta.url));

type Credentials = (publicKey: string) => Promise<BusCredentials>;

function connectWith(server: NatsServerProcess, credentials: Credentials) {
  const stop = new AbortController();
  const bus = new NatsBus({ clock: systemClock, log: silentLogger, credentials }, { name: "test", ca: server.ca });
  const running = bus.run(stop.signal);
  const close = async () => {
    stop.abort();
    await running;
  };
  return { bus, [Symbol.asyncDispose]: close };
}

function connectAs(server: NatsServerProcess, who: BusCaller | "publisher") {
  return connectWith(server, async (publicKey) => {
    const issued =
      who === "publisher"
        ? { jwt: server.authority.issuePublisher(publicKey) }
        : server.authority.issue(who, publicKey);
    if ("refused" in issued) throw new Error(issued.refused);
    return { servers: [server.url], jwt: issued.jwt, cluster };
  });
}

function recorder() {
  const heard: string[] = [];
  return {
    heard,
    handlers: {
      onMessage: (_: string, payload: Uint8Array) => heard.push(Buffer.from(payload).toString()),
      onInterrupted: (reason: string) => heard.push(`interrupted: ${reason}`),
    },
  };
}

const scheduler: BusCaller = { name: "system:kube-scheduler", groups: ["system:authenticated"] };
const subject = "lab.watch.core.pods.a.default.web-0";
const forEver = new AbortController().signal;
const connected = (...buses: NatsBus[]) =>
  eventually("all are connected", async () => buses.every((bus) => bus.connected()));

describe.skipIf(sayWhyNot("outages of the bus", lacking))("the bus through outages of a real nats-server", () => {
  test("after an absence of any length every client reconnects, and is notified of possible losses", async () => {
    await using server = await prepareNatsServer(cluster);
    await server.start();
    await using publisher = connectAs(server, "publisher");
    await using follower = connectAs(server, scheduler);
    await connected(publisher.bus, follower.bus);
    const { heard, handlers } = recorder();
    await follower.bus.subscribe("lab.watch.core.pods.>", handlers, forEver);
    await server.kill();
    await eventually("the loss is noticed", async () => !publisher.bus.connected() && !follower.bus.connected());
    expect(() => publisher.bus.publish(subject, Buffer.from("lost"))).toThrow(BusUnavailable);
    // Longer than the pauses between the first attempts.
    await systemClock.sleep(3000);
    await server.start();
    await connected(publisher.bus, follower.bus);
    publisher.bus.publish(subject, Buffer.from("after"));
    await eventually("the change after the outage", async () => heard.includes("after"));
    expect(heard).toEqual([
      expect.stringContaining("interrupted: the connection was lost"),
      "interrupted: the connection is back",
      "after",
    ]);
  });

  test("a server that does not exist yet is awaited", async () => {
    await using server = await prepareNatsServer(cluster);
    await using publisher = connectAs(server, "publisher");
    await expect(publisher.bus.subscribe(subject, recorder().handlers, forEver)).rejects.toThrow(BusUnavailable);
    await systemClock.sleep(500);
    await server.start();
    await connected(publisher.bus);
    await expect(publisher.bus.flush()).resolves.toBeUndefined();
  });

  test("a token that expires is replaced, and the subscriptions continue", async () => {
    await using server = await prepareNatsServer(cluster);
    await server.start();
    await using publisher = connectAs(server, "publisher");
    const permissions = { publish: [], subscribe: ["lab.watch.core.pods.>"] };
    const lifetimesMs = [2000, 3_600_000];
    let issued = 0;
    await using follower = connectWith(server, async (publicKey) => {
      const issuedAtMs = systemClock.nowMs();
      const expiresAtMs = issuedAtMs + (lifetimesMs[issued++] ?? 0);
      const user = { publicKey, name: "short-lived", permissions };
      return { servers: [server.url], jwt: userJwt(server.accountSeed, user, { issuedAtMs, expiresAtMs }), cluster };
    });
    await connected(publisher.bus, follower.bus);
    const { heard, handlers } = recorder();
    await follower.bus.subscribe("lab.watch.core.pods.>", handlers, forEver);
    await eventually("both interruptions", async () => heard.length >= 2);
    await connected(follower.bus);
    expect(issued).toBe(2);
    publisher.bus.publish(subject, Buffer.from("after"));
    await eventually("the change after the renewal", async () => heard.includes("after"));
    expect(heard).toHaveLength(3);
  });

  test("a server that stops responding counts as down: publishing becomes an error before memory fills", async () => {
    await using server = await prepareNatsServer(cluster);
    await server.start();
    await using publisher = connectAs(server, "publisher");
    await connected(publisher.bus);
    server.freeze();
    const publishUntilRefused = () => {
      const payload = new Uint8Array(250_000);
      for (let i = 1; i <= 1000; i++) publisher.bus.publish(subject, payload);
    };
    expect(publishUntilRefused).toThrow(BusUnavailable);
    await expect(publisher.bus.flush()).rejects.toThrow("did not confirm");
    server.thaw();
    await eventually("it is usable again", async () => {
      await publisher.bus.flush();
      return true;
    });
    publisher.bus.publish(subject, Buffer.from("fits again"));
  });

  test("the relay may publish only changes of its cluster, and does not receive messages", async () => {
    await using server = await prepareNatsServer(cluster);
    await server.start();
    await using publisher = connectAs(server, "publisher");
    await using follower = connectAs(server, scheduler);
    await using admin = connectAs(server, { name: "admin", groups: ["system:masters"] });
    await connected(publisher.bus, follower.bus, admin.bus);
    await expect(publisher.bus.subscribe("lab.watch.>", recorder().handlers, forEver)).rejects.toThrow(BusDenied);
    await expect(follower.bus.subscribe("other.watch.>", recorder().handlers, forEver)).rejects.toThrow(BusDenied);
    const { heard, handlers } = recorder();
    await follower.bus.subscribe("lab.watch.>", handlers, forEver);
    await admin.bus.subscribe("lab.watch.>", handlers, forEver);
    // The server drops a forger's message; the relay's message arrives at both.
    follower.bus.publish(subject, Buffer.from("forged"));
    admin.bus.publish(subject, Buffer.from("forged"));
    await follower.bus.flush();
    await admin.bus.flush();
    publisher.bus.publish(subject, Buffer.from("genuine"));
    await eventually("the relay's change", async () => heard.length >= 2);
    expect(heard).toEqual(["genuine", "genuine"]);
  });

  test("a subscriber that falls behind is disconnected with a notice, and the publisher and the other subscribers continue", async () => {
    await using server = await prepareNatsServer(cluster);
    await server.start();
    await using publisher = connectAs(server, "publisher");
    await using follower = connectAs(server, scheduler);
    await connected(publisher.bus, follower.bus);
    let followed = 0;
    const handlers = { onMessage: () => followed++, onInterrupted: () => (followed = -Infinity) };
    await follower.bus.subscribe("lab.watch.>", handlers, forEver);
    const { url, ca, accountSeed } = server;
    const options = JSON.stringify({ url, ca, accountSeed, filter: "lab.watch.>" });
    const child = spawn(process.execPath, ["--import", "tsx", "--conditions", "@kintsugi/source", listener, options], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    try {
      let lines = "";
      child.stdout.on("data", (chunk: Buffer) => (lines += chunk.toString()));
      await eventually("the listener is ready", async () => lines.includes("listening"));
      child.kill("SIGSTOP");
      const large = new Uint8Array(250_000).fill(65);
      const count = 400;
      for (let i = 0; i < count; i++) {
        publisher.bus.publish(subject, large);
        await publisher.bus.flush();
      }
      await eventually("the other follower has all", async () => followed === count);
      await eventually("the server has noticed", async () => /Slow Consumer/.test(server.log()));
      child.kill("SIGCONT");
      await eventually("the listener is back", async () => lines.includes("interrupted the connection is back"));
      publisher.bus.publish(subject, Buffer.from("small"));
      await eventually("it hears again", async () => lines.includes("heard small"));
      expect(lines.match(/interrupted the connection was lost/g)).toHaveLength(1);
    } finally {
      child.kill("SIGKILL");
    }
  });
});
