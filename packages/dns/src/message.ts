import {
  type Answer,
  AUTHORITATIVE_ANSWER,
  decode,
  encode,
  encodingLength,
  type OptAnswer,
  type Packet,
  RECURSION_AVAILABLE,
  RECURSION_DESIRED,
  TRUNCATED_RESPONSE,
} from "dns-packet";
import type { Question } from "./answer-question.ts";
import type { ResourceRecord } from "./records.ts";

/** A question that can be answered. */
export interface Query {
  readonly id: number;
  readonly question: Question;
  /** The whole packet, for a forwarder. */
  readonly packet: Buffer;
  /** The question's bytes, which an answer repeats. */
  readonly questionBytes: Buffer;
  readonly recursionDesired: boolean;
  /**
   * The client's limit for one UDP packet: 512 bytes unless the query sets another (EDNS, RFC
   * 6891).
   */
  readonly payloadMaxBytes: number;
  /** The query uses EDNS, and so expects an EDNS answer. */
  readonly hasEdns: boolean;
}

/** The codes of RFC 1035 section 4.1.1. */
export const rcodes = {
  NOERROR: 0,
  FORMERR: 1,
  SERVFAIL: 2,
  NXDOMAIN: 3,
  NOTIMP: 4,
  REFUSED: 5,
} as const;
export type Rcode = keyof typeof rcodes;

export type ReadQuery =
  | { query: Query }
  /** This is the only answer to the packet. */
  | { refusal: Buffer; rcode: Rcode }
  /** The packet is an answer, or too short to be answered. */
  | "ignored";

const headerBytes = 12;
const payloadMinBytes = 512;
/** A packet of this size passes through every network without fragmentation (DNS flag day 2020). */
const payloadLimitBytes = 1232;
const isAnswer = 0x8000;

/** Never throws, for any packet. */
export function readQuery(packet: Buffer): ReadQuery {
  if (packet.length < headerBytes) return "ignored";
  const flags = packet.readUInt16BE(2);
  if ((flags & isAnswer) !== 0) return "ignored";
  if (((flags >> 11) & 0xf) !== 0) return refuse(packet, "NOTIMP");
  const end = endOfQuestion(packet);
  if (end === undefined) return refuse(packet, "FORMERR");
  let decoded: Packet;
  try {
    decoded = decode(packet);
  } catch {
    return refuse(packet, "FORMERR");
  }
  const [asked, ...others] = decoded.questions ?? [];
  if (asked === undefined || others.length > 0) return refuse(packet, "FORMERR");
  const questionBytes = packet.subarray(headerBytes, end);
  // Zone transfers and classes other than IN are not supported.
  const classNumber = questionBytes.readUInt16BE(questionBytes.length - 2);
  if (asked.type === "AXFR" || asked.type === "IXFR" || classNumber !== inClass) return refuse(packet, "REFUSED");
  const edns = (decoded.additionals ?? []).find((record): record is OptAnswer => record.type === "OPT");
  return {
    query: {
      id: packet.readUInt16BE(0),
      question: { name: asked.name === "." ? "" : asked.name, type: asked.type },
      packet,
      questionBytes,
      recursionDesired: (flags & RECURSION_DESIRED) !== 0,
      payloadMaxBytes: Math.min(payloadLimitBytes, Math.max(payloadMinBytes, edns?.udpPayloadSize ?? 0)),
      hasEdns: edns !== undefined,
    },
  };
}

const inClass = 1;

/**
 * A question's name is never compressed, because compression refers to an earlier name in the
 * packet.
 */
function endOfQuestion(packet: Buffer): number | undefined {
  if (packet.readUInt16BE(4) !== 1) return undefined;
  for (let at = headerBytes; at < packet.length;) {
    const length = packet[at] ?? 0;
    if (length === 0) return at + 5 <= packet.length ? at + 5 : undefined;
    if (length > 63) return undefined;
    at += length + 1;
  }
  return undefined;
}

function refuse(packet: Buffer, rcode: Rcode): ReadQuery {
  const refusal = Buffer.alloc(headerBytes);
  packet.copy(refusal, 0, 0, 2);
  refusal.writeUInt16BE(isAnswer | (packet.readUInt16BE(2) & 0x7900) | rcodes[rcode], 2);
  return { refusal, rcode };
}

export interface Reply {
  rcode: Rcode;
  /** The question is about the cluster's own names. */
  authoritative?: boolean;
  /** The cluster's answers, and other servers' answers to an alias. */
  answers?: readonly Answer[];
  authorities?: readonly ResourceRecord[];
  additionals?: readonly ResourceRecord[];
}

/**
 * Writes the reply in at most `maxBytes`. Records that do not fit are omitted: first the additional
 * records, then answers. A reply that lacks answers is marked as truncated, and its client repeats
 * the query by TCP.
 */
export function writeReply(query: Query, reply: Reply, maxBytes: number): Buffer {
  const { answers = [], authorities = [], additionals = [] } = reply;
  const options: OptAnswer[] = query.hasEdns ? [ednsOfOurs] : [];
  let roomBytes = maxBytes - headerBytes - query.questionBytes.length - lengthOf(options);
  const take = (records: readonly Answer[]) => {
    const fitting: Answer[] = [];
    for (const record of records) {
      const bytes = lengthOf([record]);
      if (bytes > roomBytes) break;
      roomBytes -= bytes;
      fitting.push(record);
    }
    return fitting;
  };
  const kept = take(answers);
  const isCut = kept.length < answers.length;
  const packet = encode({
    type: "response",
    id: query.id,
    flags:
      (reply.authoritative === true ? AUTHORITATIVE_ANSWER : 0) |
      (isCut ? TRUNCATED_RESPONSE : 0) |
      (query.recursionDesired ? RECURSION_DESIRED : 0) |
      RECURSION_AVAILABLE |
      rcodes[reply.rcode],
    answers: kept,
    authorities: isCut ? [] : take(authorities),
    additionals: [...(isCut ? [] : take(additionals)), ...options],
  });
  packet.writeUInt16BE(1, 4);
  // The question is repeated byte by byte, because clients compare it, and some mix upper and lower
  // case to identify their answers.
  return Buffer.concat([packet.subarray(0, headerBytes), query.questionBytes, packet.subarray(headerBytes)]);
}

const ednsOfOurs: OptAnswer = {
  type: "OPT",
  name: ".",
  udpPayloadSize: payloadLimitBytes,
  extendedRcode: 0,
  ednsVersion: 0,
  flags: 0,
  flag_do: false,
  options: [],
};

function lengthOf(records: readonly Answer[]): number {
  return encodingLength({ answers: [...records] }) - headerBytes;
}
