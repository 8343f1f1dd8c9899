import { decode, encode, RECURSION_DESIRED } from "dns-packet";
import { withinLimits } from "@kintsugi/api/testing";
import fc from "fast-check";
import { expect, test } from "vitest";
import { type Query, readQuery, writeReply } from "./message.ts";
import { Records } from "./records.ts";

const records = new Records({ domain: "cluster.local", ttlSeconds: 5, servers: [] });

function aPacket(name: string, type: "A" | "AXFR" = "A", udpPayloadSize?: number): Buffer {
  const edns = {
    type: "OPT" as const,
    name: ".",
    extendedRcode: 0,
    ednsVersion: 0,
    flags: 0,
    flag_do: false,
    options: [],
  };
  return encode({
    type: "query",
    id: 4711,
    flags: RECURSION_DESIRED,
    questions: [{ type, name }],
    additionals: udpPayloadSize === undefined ? [] : [{ ...edns, udpPayloadSize }],
  });
}

function aQuery(...parts: Parameters<typeof aPacket>): Query {
  const read = readQuery(aPacket(...parts));
  if (read === "ignored" || !("query" in read)) throw new Error("not read");
  return read.query;
}

const rcodeOf = (packet: Buffer) => {
  const read = readQuery(packet);
  return read === "ignored" ? read : "query" in read ? "read" : read.rcode;
};

test("a question is parsed with its client's capabilities", () => {
  expect(aQuery("web.shop")).toMatchObject({
    id: 4711,
    question: { name: "web.shop", type: "A" },
    payloadMaxBytes: 512,
  });
  expect(aQuery("web.shop", "A", 4096)).toMatchObject({ payloadMaxBytes: 1232, hasEdns: true });
  expect(aQuery("web.shop", "A", 100).payloadMaxBytes).toBe(512);
  expect(aQuery(".").question.name).toBe("");
});

test("an unanswerable question is answered with its code, and a response is not answered", () => {
  const packet = aPacket("web.shop");
  const changed = (change: (copy: Buffer) => void) => {
    const copy = Buffer.from(packet);
    change(copy);
    return rcodeOf(copy);
  };
  expect(changed((copy) => copy.writeUInt16BE(0x8100, 2))).toBe("ignored");
  expect(changed((copy) => copy.writeUInt16BE(0x2800, 2))).toBe("NOTIMP");
  expect(changed((copy) => copy.writeUInt16BE(2, 4))).toBe("FORMERR");
  expect(changed((copy) => copy.writeUInt16BE(0, 4))).toBe("FORMERR");
  // The class CH, by which clients query a server's version.
  expect(changed((copy) => copy.writeUInt16BE(3, copy.length - 2))).toBe("REFUSED");
  expect(rcodeOf(packet.subarray(0, 11))).toBe("ignored");
  expect(rcodeOf(packet.subarray(0, packet.length - 1))).toBe("FORMERR");
  expect(rcodeOf(aPacket("cluster.local", "AXFR"))).toBe("REFUSED");
});

test("the parsing of any bytes ends without an exception", () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 80 }),
      fc.boolean(),
      withinLimits((bytes, asQuery) => {
        const packet = Buffer.from(bytes);
        if (asQuery && packet.length > 5) packet.set([0, 0, 0, 1], 2);
        readQuery(packet);
      }),
    ),
    { numRuns: 2_000 },
  );
});

test("a reply repeats the question's spelling and its ID", () => {
  const query = aQuery("WeB.shop");
  const reply = decode(writeReply(query, { rcode: "NOERROR", answers: records.a("WeB.shop", ["10.0.0.1"]) }, 512));
  expect(reply).toMatchObject({
    id: 4711,
    type: "response",
    flag_rd: true,
    flag_ra: true,
    flag_tc: false,
    questions: [{ name: "WeB.shop" }],
    answers: [{ name: "WeB.shop", data: "10.0.0.1", ttl: 5 }],
  });
});

test("records beyond the limit are omitted whole: additional records silently, answers with the truncation flag", () => {
  const addresses = Array.from({ length: 100 }, (_, index) => `10.0.0.${index}`);
  const answers = records.a("db.shop.svc.cluster.local", addresses);
  const query = aQuery("db.shop.svc.cluster.local", "A", 600);
  const cut = writeReply(query, { rcode: "NOERROR", answers, additionals: answers }, query.payloadMaxBytes);
  expect(cut.length).toBeLessThanOrEqual(600);
  const shown = decode(cut);
  expect(shown.flag_tc).toBe(true);
  expect(shown.answers?.length).toBeGreaterThan(10);
  expect(shown.additionals?.map(({ type }) => type)).toEqual(["OPT"]);

  const whole = decode(writeReply(query, { rcode: "NOERROR", answers, additionals: answers }, 5_500));
  expect(whole.flag_tc).toBe(false);
  expect(whole.answers).toHaveLength(100);
  expect(whole.additionals?.length).toBeLessThan(100);
  expect(whole.additionals?.at(-1)?.type).toBe("OPT");
});
