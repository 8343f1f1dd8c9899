import { createSocket } from "node:dgram";
import { connect, isIP, isIPv6 } from "node:net";
import { type Clock, onAbort, type Random } from "@kintsugi/clock";
import { readFrames, writeFrame } from "./tcp-frames.ts";

export interface ForwarderDeps {
  clock: Clock;
  random: Random;
  /** Lists the servers, in the order of preference; the list may change. */
  servers: () => Promise<readonly string[]>;
}

export interface ForwarderOptions {
  /** The time limit of each server. Default 2 s, as in CoreDNS. */
  timeoutMs: number;
  /**
   * Limit on questions that wait for answers; further questions are refused. Default 1,000, as in
   * kubeadm's CoreDNS.
   */
  waitingMax: number;
  /** The port of the servers. Default 53; for tests. */
  port: number;
}

const forwarderDefaults: ForwarderOptions = { timeoutMs: 2_000, waitingMax: 1_000, port: 53 };

/** Time after which no further server is queried: clients wait 5 s, and then query again. */
const giveUpMs = 4_000;

export type Transport = "udp" | "tcp";

/** The limit on waiting questions is reached. */
export class TooManyWaiting extends Error {}
/** All servers failed to answer. */
export class NobodyAnswered extends Error {}

/** Queries other servers for names outside of the cluster. */
export class Forwarder {
  readonly #deps: ForwarderDeps;
  readonly #options: ForwarderOptions;
  #waiting = 0;
  /**
   * The server that answered last is queried first, so that the delay of a failed server occurs
   * once.
   */
  #lastGood: string | undefined;

  constructor(deps: ForwarderDeps, options: Partial<ForwarderOptions> = {}) {
    this.#deps = deps;
    this.#options = { ...forwarderDefaults, ...options };
  }

  /**
   * The answer to a packet, with that packet's id.
   * @throws TooManyWaiting, NobodyAnswered
   */
  async ask(packet: Buffer, transport: Transport, signal?: AbortSignal): Promise<Buffer> {
    if (this.#waiting >= this.#options.waitingMax) throw new TooManyWaiting();
    this.#waiting++;
    try {
      return await this.#askInTurn(packet, transport, signal);
    } finally {
      this.#waiting--;
    }
  }

  async #askInTurn(packet: Buffer, transport: Transport, signal: AbortSignal | undefined): Promise<Buffer> {
    const known = (await this.#deps.servers()).filter((server) => isIP(server) !== 0);
    const isLastGood = (server: string) => server === this.#lastGood;
    const servers = [...known.filter(isLastGood), ...known.filter((server) => !isLastGood(server))];
    const deadlineMs = this.#deps.clock.monotonicMs() + giveUpMs;
    const failures: string[] = [];
    for (const server of servers) {
      if (signal?.aborted === true || this.#deps.clock.monotonicMs() >= deadlineMs) break;
      // Each question has its own id and its own port, so that a forger of the server's answer has
      // to guess the id and the port.
      const own = Buffer.from(packet);
      own.writeUInt16BE(this.#deps.random.integer(0x10000), 0);
      try {
        const answer = await this.#within(signal, (ends) => askOne[transport](own, { server, ...this.#options }, ends));
        packet.copy(answer, 0, 0, 2);
        this.#lastGood = server;
        return answer;
      } catch (error) {
        failures.push(`${server}: ${(error as Error).message}`);
      }
    }
    throw new NobodyAnswered(failures.length === 0 ? "there is no other name server" : failures.join("; "));
  }

  async #within<T>(signal: AbortSignal | undefined, ask: (ends: AbortSignal) => Promise<T>): Promise<T> {
    const { timeoutMs } = this.#options;
    const late = new AbortController();
    const timer = this.#deps.clock.after(timeoutMs, () => late.abort(new Error(`no answer within ${timeoutMs} ms`)));
    try {
      return await ask(signal === undefined ? late.signal : AbortSignal.any([signal, late.signal]));
    } finally {
      timer.cancel();
    }
  }
}

interface Asked {
  server: string;
  port: number;
}

const askOne: Record<Transport, (packet: Buffer, at: Asked, signal: AbortSignal) => Promise<Buffer>> = {
  udp: (packet, { server, port }, signal) =>
    untilAnswered(packet, signal, ({ hear, fail, isOver }) => {
      const socket = createSocket(isIPv6(server) ? "udp6" : "udp4");
      socket.on("error", fail);
      socket.on("message", hear);
      // A connected socket receives only from its server, and gets an error when the server's port
      // is closed.
      socket.connect(port, server, () => {
        if (!isOver()) socket.send(packet);
      });
      return () => socket.close();
    }),
  tcp: (packet, { server, port }, signal) =>
    untilAnswered(packet, signal, ({ hear, fail }) => {
      const socket = connect({ host: server, port }, () => writeFrame(socket, packet));
      socket.on("error", fail);
      socket.once("close", () => fail(new Error("the connection ended without an answer")));
      readFrames(socket, hear);
      return () => socket.destroy();
    }),
};

interface Exchange {
  /** A packet arrived: the answer, or an unrelated packet. */
  readonly hear: (packet: Buffer) => void;
  readonly fail: (error: Error) => void;
  readonly isOver: () => boolean;
}

/** Runs the cleanup that `open` returns once: after an answer, a failure, or the signal's abort. */
function untilAnswered(packet: Buffer, signal: AbortSignal, open: (exchange: Exchange) => () => void): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    let isOver = false;
    const end = (settle: () => void) => {
      if (isOver) return;
      isOver = true;
      stopListening();
      close();
      settle();
    };
    const fail = (error: Error) => end(() => reject(error));
    const hear = (came: Buffer) => {
      if (isAnswerTo(packet, came)) end(() => resolve(came));
    };
    const stopListening = onAbort(signal, () => fail(signal.reason as Error));
    const close = open({ hear, fail, isOver: () => isOver });
  });
}

/**
 * Reports whether the packet is an answer with this question's id. The connection proves the
 * sender.
 */
function isAnswerTo(packet: Buffer, answer: Buffer): boolean {
  return answer.length >= 12 && answer.readUInt16BE(0) === packet.readUInt16BE(0) && (answer[2] ?? 0) >= 0x80;
}
