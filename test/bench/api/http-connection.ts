import { connect, type TLSSocket } from "node:tls";

export interface ServerAccess {
  readonly server: string;
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  readonly token?: string;
}

/**
 * One keep-alive HTTP/1.1 connection that does as little as possible, so that the server is
 * measured and not the client.
 */
export interface Connection {
  /** Sends one request and resolves with the status code once the whole answer is in. */
  send(request: Buffer): Promise<number>;
  /** Sends one request and resolves with the answer: head and body as received. */
  read(request: Buffer): Promise<string>;
  /**
   * Sends one request with a large answer, discards its body, and resolves with the number of
   * bytes. It is the last request on its connection.
   */
  download(request: Buffer): Promise<number>;
  close(): void;
}

/** Opens a connection. Requests on it go one after another. */
export function openConnection(access: ServerAccess): Promise<Connection> {
  const url = new URL(access.server);
  return new Promise((resolve, reject) => {
    const socket = connect(
      {
        host: url.hostname,
        port: Number(url.port || 443),
        ca: access.ca,
        cert: access.cert,
        key: access.key,
        ALPNProtocols: ["http/1.1"],
      },
      () => resolve(overSocket(socket)),
    );
    socket.setNoDelay(true);
    socket.once("error", reject);
  });
}

/** The bytes of a request. */
export function requestBytes(access: ServerAccess, method: string, path: string, body?: string): Buffer {
  const { host } = new URL(access.server);
  const lines = [`${method} ${path} HTTP/1.1`, `host: ${host}`, "accept: application/json"];
  if (access.token !== undefined) lines.push(`authorization: Bearer ${access.token}`);
  if (body !== undefined) lines.push("content-type: application/json", `content-length: ${Buffer.byteLength(body)}`);
  return Buffer.from(`${lines.join("\r\n")}\r\n\r\n${body ?? ""}`);
}

function overSocket(socket: TLSSocket): Connection {
  let waiting: { resolve: (answer: Answer) => void; reject: (error: Error) => void } | undefined;
  let reader = new AnswerReader();
  let ended: Error | undefined;
  const fail = (error: Error) => {
    ended ??= error;
    waiting?.reject(error);
    waiting = undefined;
  };
  socket.on("data", (chunk: Buffer) => {
    const answer = reader.take(chunk);
    if (answer === undefined) return;
    reader = new AnswerReader();
    const { resolve } = waiting ?? { resolve: () => {} };
    waiting = undefined;
    resolve(answer);
  });
  socket.on("error", fail);
  socket.on("close", () => fail(new Error("the server closed the connection")));
  const exchange = (request: Buffer) =>
    new Promise<Answer>((resolve, reject) => {
      // A closed socket does not report further writes.
      if (ended !== undefined) throw ended;
      waiting = { resolve, reject };
      socket.write(request);
    });
  return {
    send: (request) => exchange(request).then(({ status }) => status),
    read: (request) => exchange(request).then(({ pieces }) => Buffer.concat(pieces).toString("utf8")),
    download: (request) =>
      new Promise((resolve, reject) => {
        let bytes = 0;
        let tail = "";
        socket.removeAllListeners("data");
        socket.on("data", (chunk: Buffer) => {
          bytes += chunk.length;
          tail = (tail + chunk.subarray(-8).toString("latin1")).slice(-7);
          if (tail.endsWith("\r\n0\r\n\r\n")) resolve(bytes);
        });
        if (ended !== undefined) throw ended;
        socket.once("error", reject);
        socket.once("close", () => reject(new Error("the server closed the connection")));
        socket.write(request);
      }),
    close: () => socket.destroy(),
  };
}

const headEnd = Buffer.from("\r\n\r\n");

interface Answer {
  readonly status: number;
  /** Head and body as received. */
  readonly pieces: readonly Buffer[];
}

/**
 * Reads one answer as it arrives, inspecting each piece once, so that large lists cost the reader
 * little.
 */
class AnswerReader {
  readonly #pieces: Buffer[] = [];
  #head: Buffer = Buffer.alloc(0);
  #status: number | undefined;
  /** Undefined when the body is chunked. */
  #bytesLeft: number | undefined;
  /** The last bytes so far; the head's end counts, for a body without chunks. */
  #tail = "\r\n";

  /** The answer once all of it has arrived. */
  take(piece: Buffer): Answer | undefined {
    this.#pieces.push(piece);
    const body = this.#status === undefined ? this.#takeHead(piece) : piece;
    return this.#status !== undefined && body !== undefined && this.#endsWith(body)
      ? { status: this.#status, pieces: this.#pieces }
      : undefined;
  }

  #endsWith(body: Buffer): boolean {
    if (this.#bytesLeft !== undefined) {
      this.#bytesLeft -= body.length;
      return this.#bytesLeft <= 0;
    }
    // Sufficient here, because the measured bodies are JSON on few lines, in which the end of a
    // chunk is unambiguous.
    this.#tail = (this.#tail + body.subarray(-lastChunk.length).toString("latin1")).slice(-lastChunk.length);
    return this.#tail === lastChunk;
  }

  /** Returns the part of the chunk that belongs to the body, once the head is whole. */
  #takeHead(chunk: Buffer): Buffer | undefined {
    this.#head = Buffer.concat([this.#head, chunk]);
    const end = this.#head.indexOf(headEnd);
    if (end < 0) return undefined;
    const text = this.#head.toString("latin1", 0, end).toLowerCase();
    this.#status = Number(text.slice(9, 12));
    const declared = /\r\ncontent-length: *(\d+)/.exec(text)?.[1];
    if (!text.includes("transfer-encoding: chunked")) this.#bytesLeft = Number(declared ?? 0);
    return this.#head.subarray(end + headEnd.length);
  }
}

const lastChunk = "\r\n0\r\n\r\n";
