import { createSocket, type Socket as UdpSocket } from "node:dgram";
import { once } from "node:events";
import { createServer, isIPv6, type Server, type Socket } from "node:net";
import type { Logger } from "@kintsugi/api";
import { backoffDelayMs, type Clock, untilAborted } from "@kintsugi/clock";
import { explainListening, listen, SharedConnections } from "@kintsugi/daemon";
import type { Resolver } from "./resolver.ts";
import { readFrames, writeFrame } from "./tcp-frames.ts";

export interface NameServerDeps {
  clock: Clock;
  log: Logger;
  resolver: Pick<Resolver, "answer">;
}

export interface NameServerOptions {
  /** Default 53, because resolvers do not use other ports. */
  port: number;
  /** The advice when another server uses the port. */
  otherwise: string;
}

/** Another server may release the port, so the port is tried again. */
const retry = { initialMs: 1_000, maxMs: 30_000, factor: 2 };
/**
 * Receive buffer in which questions that arrive together wait while one is answered. The kernel may
 * grant less.
 */
const receiveBufferBytes = 4 * 1024 * 1024;
/**
 * Limits on concurrent connections, in total and per client: a stub resolver has one or two
 * connections.
 */
const connectionLimits = { max: 256, maxOfClient: 32 };
/** A silent connection is closed: RFC 7766 recommends several seconds. */
const idleTimeoutMs = 10_000;
/**
 * A question that has begun has to be complete within this time, because a question consists of one
 * or two packets.
 */
const questionTimeoutMs = 5_000;
/**
 * Limits on one connection's questions that wait for answers, and on answers that wait for their
 * reader.
 */
const pendingMax = 32;
const unreadMaxBytes = 1024 * 1024;

/** Serves names at one address, by UDP and by TCP. */
export class NameServer {
  readonly #deps: NameServerDeps;
  readonly #options: NameServerOptions;

  constructor(deps: NameServerDeps, options: NameServerOptions) {
    this.#deps = deps;
    this.#options = options;
  }

  /**
   * Answers at `address` until the signal aborts. While the port is in use, the server logs this
   * fact and retries.
   */
  async run(address: string, signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#deps;
    for (let failures = 1; !signal.aborted; failures++) {
      try {
        const servers = await this.#open(address, signal);
        log.info("answering names", { address, port: this.#options.port });
        await untilAborted(signal);
        await close(servers);
        return;
      } catch (error) {
        log.error("DNS queries are not answered", { address, port: this.#options.port, error });
        await clock.sleep(backoffDelayMs(failures, retry), signal).catch(() => {});
      }
    }
  }

  async #open(address: string, signal: AbortSignal): Promise<Servers> {
    const { port, otherwise } = this.#options;
    const connections = new SharedConnections(connectionLimits);
    const tcp = createServer((socket) => {
      if (connections.admit(socket)) this.#serve(socket, signal);
    });
    await listen(tcp, { address, port, otherwise });
    // Port 0 selects a free port, the same port for UDP and TCP.
    const bound = (tcp.address() as { port: number }).port;
    const udp = createSocket({ type: isIPv6(address) ? "udp6" : "udp4", recvBufferSize: receiveBufferBytes });
    try {
      udp.bind(bound, address);
      await once(udp, "listening");
    } catch (error) {
      tcp.close();
      udp.close();
      throw explainListening(error, { address, port, otherwise });
    }
    const failed = (error: Error) => this.#deps.log.warn("a socket failed", { error });
    tcp.on("error", failed);
    udp.on("error", failed);
    udp.on("message", (packet, from) => {
      void this.#deps.resolver.answer(packet, { address: from.address, transport: "udp" }, signal).then((answer) => {
        // A client that does not get the answer queries again.
        if (answer !== undefined && !signal.aborted) udp.send(answer, from.port, from.address, () => {});
      });
    });
    return { tcp, udp, connections };
  }

  #serve(socket: Socket, signal: AbortSignal): void {
    let pending = 0;
    const { remoteAddress: address = "" } = socket;
    socket.setTimeout(idleTimeoutMs, () => socket.destroy());
    socket.on("error", () => socket.destroy());
    const deadline = new Deadline(this.#deps.clock, () => socket.destroy());
    socket.once("close", () => deadline.cancel());
    const answerFrame = (packet: Buffer) => {
      pending++;
      if (pending >= pendingMax) socket.pause();
      void this.#deps.resolver.answer(packet, { address, transport: "tcp" }, signal).then((answer) => {
        pending--;
        if (socket.destroyed) return;
        if (answer === undefined || socket.writableLength > unreadMaxBytes) socket.destroy();
        else writeFrame(socket, answer);
        if (pending < pendingMax) socket.resume();
      });
    };
    readFrames(socket, answerFrame, ({ completed, isOpen }) => {
      if (completed || !isOpen) deadline.cancel();
      if (isOpen) deadline.begin(questionTimeoutMs);
    });
  }
}

/** A deadline that can be cancelled. */
class Deadline {
  readonly #clock: Clock;
  readonly #end: () => void;
  #timer: { cancel(): void } | undefined;

  constructor(clock: Clock, end: () => void) {
    this.#clock = clock;
    this.#end = end;
  }

  /** Does not change a deadline that has begun. */
  begin(durationMs: number): void {
    this.#timer ??= this.#clock.after(durationMs, this.#end);
  }

  cancel(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }
}

interface Servers {
  tcp: Server;
  udp: UdpSocket;
  connections: SharedConnections;
}

async function close({ tcp, udp, connections }: Servers): Promise<void> {
  connections.endAll();
  await Promise.all([new Promise((resolve) => tcp.close(resolve)), new Promise<void>((resolve) => udp.close(resolve))]);
}
