import { connect, type TLSSocket } from "node:tls";

export interface ServerAccess {
  readonly server: string;
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  readonly token?: string;
}

/** One keep-alive HTTP/1.1 connection that does as little as possible, so that what is measured is the server. */
export interface Connection {
  /** Sends one request and resolves with the status code once the whole answer is in. */
  send(request: Buffer): Promise<number>;
  /** Sends one request and resolves with what came: head and body as they are on the wire. */
  read(request: Buffer): Promise<string>;
  /** Sends one request with a large answer, throws its body away, and resolves with how many bytes came. The last on its connection. */
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
  let waiting:
    | { resolve: (answer: { status: number; bytes: Buffer }) => void; reject: (error: Error) => void }
    | undefined;
  let pending: Buffer = Buffer.alloc(0);
  const fail = (error: Error) => {
    waiting?.reject(error);
    waiting = undefined;
  };
  socket.on("data", (chunk: Buffer) => {
    pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk]);
    const answer = parseAnswer(pending);
    if (!answer) return;
    const bytes = pending.subarray(0, answer.length);
    pending = pending.subarray(answer.length);
    const { resolve } = waiting ?? { resolve: () => {} };
    waiting = undefined;
    resolve({ status: answer.status, bytes });
  });
  socket.on("error", fail);
  socket.on("close", () => fail(new Error("the server closed the connection")));
  const exchange = (request: Buffer) =>
    new Promise<{ status: number; bytes: Buffer }>((resolve, reject) => {
      waiting = { resolve, reject };
      socket.write(request);
    });
  return {
    send: (request) => exchange(request).then(({ status }) => status),
    read: (request) => exchange(request).then(({ bytes }) => bytes.toString("utf8")),
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
        socket.once("error", reject);
        socket.write(request);
      }),
    close: () => socket.destroy(),
  };
}

const headEnd = Buffer.from("\r\n\r\n");

/** The answer at the start of `bytes`, once it is whole. */
function parseAnswer(bytes: Buffer): { status: number; length: number } | undefined {
  const end = bytes.indexOf(headEnd);
  if (end < 0) return undefined;
  const head = bytes.toString("latin1", 0, end).toLowerCase();
  const status = Number(head.slice(9, 12));
  const declared = /\r\ncontent-length: *(\d+)/.exec(head);
  if (declared) {
    const length = end + 4 + Number(declared[1]);
    return bytes.length >= length ? { status, length } : undefined;
  }
  if (head.includes("transfer-encoding: chunked")) {
    const last = bytes.indexOf("0\r\n\r\n", end + 4);
    // Good enough here: the bodies measured are JSON on few lines, in which a chunk's end cannot be mistaken.
    return last >= 0 && bytes.subarray(last - 2, last).toString() === "\r\n" ? { status, length: last + 5 } : undefined;
  }
  return { status, length: end + 4 };
}
