import type { Logger, Metrics } from "@kintsugi/api";
import type { Clock, Random } from "@kintsugi/clock";
import {
  type Answer as ForeignRecord,
  decode,
  encode,
  RECURSION_DESIRED,
  type RecordType,
  TRUNCATED_RESPONSE,
} from "dns-packet";
import { type Answer, answerQuestion, type Question } from "./answer-question.ts";
import { type Forwarder, TooManyWaiting, type Transport } from "./forwarder.ts";
import { type Query, type Rcode, rcodes, readQuery, type Reply, writeReply } from "./message.ts";
import { NameMetrics } from "./name-metrics.ts";
import type { ResourceRecord, ZoneOptions } from "./records.ts";
import type { ServiceDirectory } from "./service-directory.ts";

export interface ResolverDeps {
  clock: Clock;
  random: Random;
  log: Logger;
  metrics: Metrics;
  directory: ServiceDirectory;
  forwarder: Pick<Forwarder, "ask">;
  /**
   * Reports whether clients at this address may use other servers through this server. A server
   * that is open to every client can be used against third parties.
   */
  isOwn: (address: string) => boolean;
}

/** The client of a question, and its transport. */
export interface Asker {
  readonly address: string;
  readonly transport: Transport;
}

/** A TCP message's length has two bytes. */
const tcpMaxBytes = 65_535;
/** Limit on a chain of Services that name other Services: as many names as CoreDNS follows. */
const aliasesMax = 8;

/**
 * Limit on one client's questions that wait for other servers, a quarter of the total limit, so
 * that a pod with names whose servers are slow leaves room for other pods.
 */
const waitingMaxOfClient = 250;

/** Answers questions about the cluster's names, and queries other servers for other names. */
export class Resolver {
  readonly #deps: ResolverDeps;
  readonly #zone: ZoneOptions;
  readonly #metrics: NameMetrics;
  /** Clients with questions that wait for other servers, and the number of these questions. */
  readonly #waiting = new Map<string, number>();

  constructor(deps: ResolverDeps, options: ZoneOptions) {
    this.#deps = deps;
    this.#zone = options;
    this.#metrics = new NameMetrics(deps.metrics);
  }

  /**
   * Returns the answer to send back; undefined if the packet is not answered. Never throws, for any
   * packet.
   */
  async answer(packet: Buffer, asker: Asker, signal?: AbortSignal): Promise<Buffer | undefined> {
    const sinceMs = this.#deps.clock.monotonicMs();
    const read = readQuery(packet);
    if (read === "ignored") return undefined;
    if ("refusal" in read) {
      this.#metrics.answered({ zone: ".", rcode: read.rcode, tookMs: 0 });
      return read.refusal;
    }
    const { query } = read;
    const own = this.#ownAnswer(query.question);
    const zone = own === "unknown" || own.kind !== "elsewhere" ? `${this.#zone.domain}.` : ".";
    this.#metrics.asked({ zone, transport: asker.transport, type: query.question.type });
    const said = await this.#say(query, own, { ...asker, signal });
    this.#metrics.answered({ zone, rcode: said.rcode, tookMs: this.#deps.clock.monotonicMs() - sinceMs });
    return said.packet;
  }

  /** "unknown": it is not known yet whether the name exists. */
  #ownAnswer(question: Question): Answer | "unknown" {
    const { directory } = this.#deps;
    const answer = answerQuestion(question, directory, this.#zone);
    return answer.kind !== "elsewhere" && !directory.synced ? "unknown" : answer;
  }

  async #say(query: Query, own: Answer | "unknown", way: Way): Promise<{ packet: Buffer; rcode: Rcode }> {
    const maxBytes = way.transport === "udp" ? query.payloadMaxBytes : tcpMaxBytes;
    const write = (reply: Reply) => ({ packet: writeReply(query, reply, maxBytes), rcode: reply.rcode });
    try {
      if (own === "unknown") return write({ rcode: "SERVFAIL" });
      if (own.kind === "elsewhere") return passedOn(await this.#ask(query.packet, way));
      if (own.kind === "alias") return write(await this.#follow(query.question, own, way));
      return write(this.#replyOf(own));
    } catch (error) {
      if (error instanceof TooManyWaiting) {
        this.#metrics.rejected();
        return write({ rcode: "REFUSED" });
      }
      if (error instanceof NotOurs) return write({ rcode: "REFUSED" });
      this.#deps.log.debug("no answer", { name: query.question.name, type: query.question.type, error });
      return write({ rcode: "SERVFAIL" });
    }
  }

  /**
   * Returns the alias, with its target's records, because libcs expect both in one answer, and do
   * not query again.
   */
  async #follow(question: Question, first: Extract<Answer, { kind: "alias" }>, way: Way): Promise<Reply> {
    const answers: ForeignRecord[] = [first.record];
    const { type } = question;
    let { target } = first;
    for (let depth = 1; type !== "CNAME" && depth <= aliasesMax; depth++) {
      const next = answerQuestion({ name: target, type }, this.#deps.directory, this.#zone);
      if (next.kind === "elsewhere") {
        const foreign = await this.#askOthers({ name: target, type }, way);
        return { rcode: foreign.rcode, authoritative: true, answers: [...answers, ...foreign.answers] };
      }
      if (next.kind !== "alias") {
        const last = this.#replyOf(next);
        return { ...last, answers: [...answers, ...(last.answers ?? [])] };
      }
      answers.push(next.record);
      target = next.target;
    }
    return { rcode: "NOERROR", authoritative: true, answers };
  }

  async #askOthers({ name, type }: Question, way: Way): Promise<{ rcode: Rcode; answers: ForeignRecord[] }> {
    const packet = encode({
      type: "query",
      id: 0,
      flags: RECURSION_DESIRED,
      questions: [{ name, type: type as RecordType }],
    });
    const short = await this.#ask(packet, { ...way, transport: "udp" });
    const isCut = (short.readUInt16BE(2) & TRUNCATED_RESPONSE) !== 0;
    const answer = isCut ? await this.#ask(packet, { ...way, transport: "tcp" }) : short;
    const { answers = [] } = decode(answer);
    return { rcode: rcodeOf(answer), answers };
  }

  /** @throws NotOurs, TooManyWaiting, and the errors of the forwarder. */
  async #ask(packet: Buffer, { address, transport, signal }: Way): Promise<Buffer> {
    if (!this.#deps.isOwn(address)) throw new NotOurs();
    const waiting = this.#waiting.get(address) ?? 0;
    if (waiting >= waitingMaxOfClient) throw new TooManyWaiting();
    this.#waiting.set(address, waiting + 1);
    try {
      return await this.#deps.forwarder.ask(packet, transport, signal);
    } finally {
      const left = (this.#waiting.get(address) ?? 1) - 1;
      if (left === 0) this.#waiting.delete(address);
      else this.#waiting.set(address, left);
    }
  }

  #replyOf(answer: Extract<Answer, { kind: "found" | "nothing" }>): Reply {
    if (answer.kind === "nothing")
      return { rcode: answer.exists ? "NOERROR" : "NXDOMAIN", authoritative: true, authorities: answer.authorities };
    const { records, additionals } = answer;
    return { rcode: "NOERROR", authoritative: true, answers: this.#shuffled(records), additionals };
  }

  /** Clients use the first address, so each client gets a different first address. */
  #shuffled(records: readonly ResourceRecord[]): readonly ResourceRecord[] {
    if (records.length < 2) return records;
    const shuffled = [...records];
    for (let last = shuffled.length - 1; last > 0; last--) {
      const other = this.#deps.random.integer(last + 1);
      [shuffled[last], shuffled[other]] = [shuffled[other] as ResourceRecord, shuffled[last] as ResourceRecord];
    }
    return shuffled;
  }
}

/** Other servers are not queried for clients at that address. */
class NotOurs extends Error {}

interface Way extends Asker {
  signal: AbortSignal | undefined;
}

function passedOn(packet: Buffer): { packet: Buffer; rcode: Rcode } {
  return { packet, rcode: rcodeOf(packet) };
}

/** A code without a known name counts as SERVFAIL. */
function rcodeOf(packet: Buffer): Rcode {
  const code = (packet[3] ?? 0) & 0xf;
  const known = (Object.keys(rcodes) as Rcode[]).find((name) => rcodes[name] === code);
  return known ?? "SERVFAIL";
}
