import { connect, type ClientHttp2Session, constants } from "node:http2";
import { Agent, request as httpsRequest } from "node:https";
import type { FuzzRequest, IdentityName } from "./grammar/fuzz-request.ts";

export interface FuzzAnswer {
  /** 0 when the server ended the connection without an answer. */
  readonly status: number;
  /** The beginning of the body: all of it, unless it is long or continues. */
  readonly text: string;
  /** The time until the head of the answer. */
  readonly tookMs: number;
}

/** A server that accepts any request. */
export interface FuzzTarget extends AsyncDisposable {
  /** @throws Error when no head of an answer arrived within `answerMaxMs`. */
  send(request: FuzzRequest): Promise<FuzzAnswer>;
}

/** The credentials of an identity. */
export interface Credentials {
  readonly cert?: string;
  readonly key?: string;
  readonly token?: string;
}

export interface HttpsTargetOptions {
  readonly server: string;
  readonly ca: string;
  readonly credentials: Readonly<Record<IdentityName, Credentials>>;
  /** Default 15 s, because on a busy machine an answer may take long, but not longer. */
  readonly answerMaxMs?: number;
}

/** Long enough for an event that waits to be sent; a watch continues forever. */
const bodyMaxMs = 300;
/** A body whose length is known ends by itself; on a busy machine it takes a while. */
const knownBodyMaxMs = 10_000;
/** The rest of a body is not read: a snapshot of the whole store begins with its objects. */
const bodyBytesMax = 8 * 1024 * 1024;

export function httpsTarget({ server, ca, credentials, answerMaxMs = 15_000 }: HttpsTargetOptions): FuzzTarget {
  const agents = new Map<IdentityName, Agent>();
  const sessions = new Map<IdentityName, ClientHttp2Session>();
  const agentOf = (identity: IdentityName) => {
    const { cert, key } = credentials[identity];
    const agent = agents.get(identity) ?? new Agent({ keepAlive: true, maxSockets: 8, ca, cert, key });
    agents.set(identity, agent);
    return agent;
  };
  const sessionOf = (identity: IdentityName) => {
    const known = sessions.get(identity);
    if (known && !known.closed && !known.destroyed) return known;
    const { cert, key } = credentials[identity];
    const session = connect(server, { ca, cert, key });
    // A session that fails ends its streams, and the streams report the failure.
    session.on("error", () => {});
    sessions.set(identity, session);
    return session;
  };
  return {
    send(request) {
      const { token } = credentials[request.identity];
      const headers = { ...(token === undefined ? {} : { authorization: `Bearer ${token}` }), ...request.headers };
      const sent = { ...request, headers };
      return request.protocol === "h2"
        ? overHttp2(sessionOf(request.identity), sent, answerMaxMs)
        : overHttp1({ server, agent: agentOf(request.identity) }, sent, answerMaxMs);
    },
    async [Symbol.asyncDispose]() {
      for (const agent of agents.values()) agent.destroy();
      for (const session of sessions.values()) session.destroy();
    },
  };
}

type Reader = NodeJS.EventEmitter & { destroy(): unknown };

/** Reads the body, and stops reading an endless stream after `bodyMaxMs`. */
class BodyReader {
  readonly #chunks: Buffer[] = [];
  #bytes = 0;

  constructor(stream: Reader, hasLength: boolean, done: (text: string) => void) {
    const end = () => {
      clearTimeout(timer);
      done(Buffer.concat(this.#chunks).toString("latin1"));
    };
    const timer = setTimeout(
      () => {
        stream.destroy();
        end();
      },
      hasLength ? knownBodyMaxMs : bodyMaxMs,
    );
    stream.on("data", (chunk: Buffer) => {
      this.#chunks.push(chunk);
      this.#bytes += chunk.length;
      if (this.#bytes > bodyBytesMax) stream.destroy();
    });
    for (const event of ["end", "close", "error"]) stream.once(event, end);
  }
}

function overHttp1(
  { server, agent }: { server: string; agent: Agent },
  { method, path, headers, body }: FuzzRequest,
  answerMaxMs: number,
): Promise<FuzzAnswer> {
  const startedMs = performance.now();
  const { hostname, port } = new URL(server);
  return new Promise((resolve, reject) => {
    const upgrading = headers["upgrade"] === undefined ? {} : { connection: "Upgrade" };
    const length = body === undefined ? {} : { "content-length": String(body.length) };
    const asked = httpsRequest({
      hostname,
      port,
      agent,
      method,
      path,
      headers: { ...headers, ...upgrading, ...length },
    });
    const timer = setTimeout(() => {
      asked.destroy();
      reject(new Error(`no answer within ${answerMaxMs} ms`));
    }, answerMaxMs);
    asked.on("response", (response) => {
      clearTimeout(timer);
      const tookMs = performance.now() - startedMs;
      new BodyReader(response, response.headers["content-length"] !== undefined, (text) =>
        resolve({ status: response.statusCode ?? 0, text, tookMs }),
      );
    });
    asked.on("upgrade", (response, socket) => {
      clearTimeout(timer);
      socket.destroy();
      resolve({ status: response.statusCode ?? 0, text: "", tookMs: performance.now() - startedMs });
    });
    asked.on("error", (error) => {
      clearTimeout(timer);
      resolve({ status: 0, text: error.message, tookMs: performance.now() - startedMs });
    });
    asked.end(body);
  });
}

function overHttp2(
  session: ClientHttp2Session,
  { method, path, headers, body }: FuzzRequest,
  answerMaxMs: number,
): Promise<FuzzAnswer> {
  const startedMs = performance.now();
  // HTTP/2 has no such headers.
  const { upgrade: _upgrade, expect: _expect, ...rest } = headers;
  return new Promise((resolve, reject) => {
    const stream = session.request({ ":method": method, ":path": path, ...rest }, { endStream: body === undefined });
    const timer = setTimeout(() => {
      stream.close(constants.NGHTTP2_CANCEL);
      reject(new Error(`no answer within ${answerMaxMs} ms`));
    }, answerMaxMs);
    stream.on("response", (answered) => {
      clearTimeout(timer);
      const tookMs = performance.now() - startedMs;
      new BodyReader(stream, answered["content-length"] !== undefined, (text) =>
        resolve({ status: answered[":status"] ?? 0, text, tookMs }),
      );
    });
    const ended = (error?: Error) => {
      clearTimeout(timer);
      resolve({ status: 0, text: error?.message ?? "closed", tookMs: performance.now() - startedMs });
    };
    stream.on("error", ended);
    stream.on("close", ended);
    if (body !== undefined) stream.end(body);
  });
}
