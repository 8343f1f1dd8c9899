import { type Metrics, silentLogger } from "@kintsugi/api";
import { SeededRandom, VirtualClock } from "@kintsugi/clock/simulated";
import { decode, encode, type RecordType, RECURSION_DESIRED, TRUNCATED_RESPONSE } from "dns-packet";
import { expect, test, vi } from "vitest";
import { NobodyAnswered, TooManyWaiting, type Transport } from "./forwarder.ts";
import { Resolver } from "./resolver.ts";
import { aService, aSlice, directoryOf } from "./testing/directory-of.ts";

const services = [
  aService("web", { clusterIP: "10.96.3.4", ports: [{ name: "http", port: 80, protocol: "TCP" }] }),
  aService("db", { clusterIP: "None" }),
  aService("outside", { type: "ExternalName", externalName: "www.example.com" }),
  aService("alias", { type: "ExternalName", externalName: "web.shop.svc.cluster.local" }),
  aService("lost", { type: "ExternalName", externalName: "nope.shop.svc.cluster.local" }),
  aService("circle", { type: "ExternalName", externalName: "circle.shop.svc.cluster.local" }),
];
const slices = [
  aSlice(
    "db",
    ["10.64.1.1", "10.64.1.2", "10.64.1.3"].map((address) => ({ address })),
  ),
];

type Ask = (packet: Buffer, transport: Transport) => Promise<Buffer>;

/** www.example.com and example.com are 192.0.2.80; other names do not exist. */
const internet: Ask = async (packet) => {
  const { id = 0, questions = [] } = decode(packet);
  const name = questions[0]?.name ?? "";
  const isThere = name.endsWith("example.com") && questions[0]?.type === "A";
  const answers = isThere ? [{ type: "A" as const, name, ttl: 300, data: "192.0.2.80" }] : [];
  return encode({ type: "response", id, flags: RECURSION_DESIRED | (isThere ? 0 : 3), questions, answers });
};

const [ownPod, stranger] = ["10.64.1.9", "203.0.113.9"];

function aResolver({
  ask = internet,
  synced = true,
  own = (address) => address === ownPod,
}: { ask?: Ask; synced?: boolean; own?: (address: string) => boolean } = {}) {
  const asked: string[] = [];
  const counted: string[] = [];
  const note =
    (name: string) =>
    (value: number, labels: Readonly<Record<string, string>> = {}) =>
      void counted.push([name, ...Object.values(labels)].join(" "));
  const metrics: Metrics = {
    counter: ({ name }) => ({ add: note(name), remove() {} }),
    gauge: ({ name }) => ({ set: note(name), remove() {}, reset() {} }),
    histogram: () => ({ observe() {}, remove() {} }),
  };
  const forwarder = {
    ask(packet: Buffer, transport: Transport) {
      const question = decode(packet).questions?.[0];
      asked.push(`${question?.type} ${question?.name} by ${transport}`);
      return ask(packet, transport);
    },
  };
  const resolver = new Resolver(
    {
      clock: new VirtualClock(),
      random: new SeededRandom(1),
      log: silentLogger,
      metrics,
      directory: directoryOf(services, slices, synced),
      forwarder,
      isOwn: own,
    },
    { domain: "cluster.local", ttlSeconds: 5, servers: [] },
  );
  const answer = async (name: string, type: RecordType = "A", transport: Transport = "udp", address = ownPod) => {
    const questions = [{ name, type: type as "A" }];
    const packet = await resolver.answer(encode({ id: 7, flags: RECURSION_DESIRED, questions }), {
      transport,
      address,
    });
    const reply = decode(packet ?? Buffer.alloc(0));
    const rcode = (packet?.[3] ?? 0) & 0xf;
    return {
      rcode,
      said: (reply.answers ?? []).map((record) =>
        record.type === "A" || record.type === "CNAME" ? `${record.type} ${record.data}` : record.type,
      ),
      reply,
    };
  };
  return { answer, asked, counted, resolver };
}

test("names of the cluster are answered without another server", async () => {
  const { answer, asked } = aResolver();
  expect(await answer("web.shop.svc.cluster.local")).toMatchObject({ rcode: 0, said: ["A 10.96.3.4"] });
  expect(await answer("nope.shop.svc.cluster.local")).toMatchObject({ rcode: 3, said: [] });
  const { rcode, said, reply } = await answer("web.shop.svc.cluster.local", "AAAA");
  expect([rcode, said, reply.authorities?.map(({ type }) => type)]).toEqual([0, [], ["SOA"]]);
  expect(asked).toEqual([]);
});

test("other questions are forwarded unchanged", async () => {
  const { answer, asked } = aResolver();
  expect(await answer("example.com", "A", "tcp")).toMatchObject({ rcode: 0, said: ["A 192.0.2.80"] });
  expect(await answer("nope.example.org")).toMatchObject({ rcode: 3 });
  expect(asked).toEqual(["A example.com by tcp", "A nope.example.org by udp"]);
});

test("an ExternalName Service is answered with the records of its target", async () => {
  const { answer, asked } = aResolver();
  expect((await answer("outside.shop.svc.cluster.local")).said).toEqual(["CNAME www.example.com", "A 192.0.2.80"]);
  expect((await answer("alias.shop.svc.cluster.local")).said).toEqual([
    "CNAME web.shop.svc.cluster.local",
    "A 10.96.3.4",
  ]);
  expect(await answer("lost.shop.svc.cluster.local")).toMatchObject({
    rcode: 3,
    said: ["CNAME nope.shop.svc.cluster.local"],
  });
  expect((await answer("outside.shop.svc.cluster.local", "CNAME")).said).toEqual(["CNAME www.example.com"]);
  expect(asked).toEqual(["A www.example.com by udp"]);
});

test("an ExternalName Service that names itself is followed only up to a limit", async () => {
  const { rcode, said } = await aResolver().answer("circle.shop.svc.cluster.local", "A", "tcp");
  expect([rcode, said.length]).toEqual([0, 9]);
});

test("a truncated response of another server is fetched whole before it is appended to an alias", async () => {
  const { answer, asked } = aResolver({
    ask: async (packet, transport) => {
      const whole = await internet(packet, transport);
      if (transport === "udp") whole.writeUInt16BE(whole.readUInt16BE(2) | TRUNCATED_RESPONSE, 2);
      return whole;
    },
  });
  expect((await answer("outside.shop.svc.cluster.local")).said).toEqual(["CNAME www.example.com", "A 192.0.2.80"]);
  expect(asked).toEqual(["A www.example.com by udp", "A www.example.com by tcp"]);
});

test("each client receives another endpoint first", async () => {
  const { answer } = aResolver();
  const firsts = new Set<string | undefined>();
  for (let times = 0; times < 30; times++) {
    const { said } = await answer("db.shop.svc.cluster.local");
    expect(said.toSorted()).toEqual(["A 10.64.1.1", "A 10.64.1.2", "A 10.64.1.3"]);
    firsts.add(said[0]);
  }
  expect(firsts.size).toBe(3);
});

test("until Services are listed their names are not denied, and other names are forwarded", async () => {
  const { answer } = aResolver({ synced: false });
  expect(await answer("nope.shop.svc.cluster.local")).toMatchObject({ rcode: 2 });
  expect(await answer("example.com")).toMatchObject({ rcode: 0 });
});

test("the client is notified if no server answers, and immediately if too many questions wait", async () => {
  const failing = (error: Error) => aResolver({ ask: () => Promise.reject(error) });
  expect(await failing(new NobodyAnswered("x")).answer("example.com")).toMatchObject({ rcode: 2 });
  expect(await failing(new NobodyAnswered("x")).answer("outside.shop.svc.cluster.local")).toMatchObject({ rcode: 2 });
  const full = failing(new TooManyWaiting());
  expect(await full.answer("example.com")).toMatchObject({ rcode: 5 });
  expect(full.counted).toContain("coredns_forward_max_concurrent_rejects_total");
});

test("one client's questions for slow servers do not use other clients' places", async () => {
  const held: (() => void)[] = [];
  const { answer, asked } = aResolver({
    ask: async (packet, transport) => {
      if (decode(packet).questions?.[0]?.name.startsWith("slow") === true)
        await new Promise<void>((resolve) => held.push(resolve));
      return internet(packet, transport);
    },
    own: (address) => address.startsWith("10.64.1."),
  });
  const slow = Array.from({ length: 250 }, () => answer("slow.example.com"));
  await vi.waitFor(() => expect(held).toHaveLength(250));
  expect(await answer("slow.example.com")).toMatchObject({ rcode: 5 });
  expect(asked).toHaveLength(250);
  expect(await answer("www.example.com", "A", "udp", "10.64.1.10")).toMatchObject({ rcode: 0 });
  for (const release of held) release();
  expect(await Promise.all(slow)).toHaveLength(250);
  expect(await answer("www.example.com")).toMatchObject({ rcode: 0 });
});

test("a client outside the node receives names of the cluster, and its other questions are not forwarded", async () => {
  const { answer, asked } = aResolver();
  expect(await answer("web.shop.svc.cluster.local", "A", "udp", stranger)).toMatchObject({ rcode: 0 });
  expect(await answer("example.com", "A", "udp", stranger)).toMatchObject({ rcode: 5, said: [] });
  expect(await answer("outside.shop.svc.cluster.local", "A", "udp", stranger)).toMatchObject({ rcode: 5, said: [] });
  expect(asked).toEqual([]);
});

test("garbage is answered with its code, and a response is not answered", async () => {
  const { resolver } = aResolver();
  expect((await resolver.answer(Buffer.alloc(12), { transport: "udp", address: ownPod }))?.readUInt16BE(2)).toBe(
    0x8001,
  );
  expect(
    await resolver.answer(Buffer.from([0, 1, 0x80, 0, 0, 1, 0, 0, 0, 0, 0, 0]), { transport: "udp", address: ownPod }),
  ).toBeUndefined();
});

test("questions are counted by zone and type, and unused types of the 65,536 are counted together", async () => {
  const { answer, counted } = aResolver();
  await answer("web.shop.svc.cluster.local");
  await answer("example.com", "RP");
  expect(counted).toEqual([
    "coredns_dns_requests_total dns://:53 cluster.local. udp 1 A",
    "coredns_dns_responses_total dns://:53 cluster.local. NOERROR",
    "coredns_dns_requests_total dns://:53 . udp 1 other",
    "coredns_dns_responses_total dns://:53 . NXDOMAIN",
  ]);
});
