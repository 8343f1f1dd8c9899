import { connect as connectHttp2, constants } from "node:http2";
import { Duplex, PassThrough } from "node:stream";
import { connect as connectTls } from "node:tls";
import { afterAll, expect, test } from "vitest";
import { type ApiRequest, type ApiResponse, textResponse } from "../http/api-request.ts";
import { TestCertificates } from "../testing/test-certificates.ts";
import { listenWith } from "../testing/tls-listener.ts";

const certificates = new TestCertificates()
  .authority()
  .issue("server", "/CN=api-server", { usage: "serverAuth", altNames: "IP:127.0.0.1" });
afterAll(() => certificates[Symbol.dispose]());

/**
 * Sends a part of a body over HTTP/2, and resolves with the answer when the stream has closed.
 * `ends` has the frames that end the stream, in the order of their arrival: Go's client discards an
 * answer whose reset precedes its end, and Node's client does not.
 */
async function sendPart(handle: (request: ApiRequest) => Promise<ApiResponse>) {
  await using own = await listenWith(certificates, handle);
  const received: Buffer[] = [];
  const session = connectHttp2(`https://127.0.0.1:${own.port}`, {
    createConnection: () => {
      const socket = connectTls({
        host: "127.0.0.1",
        port: own.port,
        ca: certificates.read("ca.crt"),
        ALPNProtocols: ["h2"],
      });
      const readable = socket.pipe(new PassThrough()).on("data", (chunk: Buffer) => received.push(chunk));
      return Duplex.from({ readable, writable: socket });
    },
  });
  try {
    const stream = session.request({ ":method": "POST", ":path": "/" }, { endStream: false });
    stream.write("a part");
    let status: number | undefined;
    let bytes = 0;
    stream.on("response", (headers) => (status = headers[":status"]));
    stream.on("data", (chunk: Buffer) => (bytes += chunk.length));
    await new Promise((resolve, reject) => stream.on("close", resolve).on("error", reject));
    return { status, bytes, code: stream.rstCode, ends: endsOf(Buffer.concat(received)) };
  } finally {
    session.destroy();
  }
}

/** The frames that end a stream (RFC 9113, section 4.1: a frame has 9 bytes before its payload). */
function endsOf(bytes: Buffer): string[] {
  const ends: string[] = [];
  for (let at = 0; at + 9 <= bytes.length; at += 9 + bytes.readUIntBE(at, 3)) {
    const [type, flags] = [bytes[at + 3], bytes[at + 4] ?? 0];
    const isEnd = (type === dataFrame || type === headersFrame) && (flags & constants.NGHTTP2_FLAG_END_STREAM) !== 0;
    if (isEnd) ends.push("end");
    else if (type === resetFrame) ends.push("reset");
  }
  return ends;
}

const [dataFrame, headersFrame, resetFrame] = [0, 1, 3];
const nothing = () => {};
/** The long answer is longer than what HTTP/2 sends before its client has read something. */
const answers: [string, number, string][] = [
  ["bodyless", 204, ""],
  ["empty", 403, ""],
  ["short", 403, "no"],
  ["long", 403, "x".repeat(300_000)],
];

const bodies: [string, (request: ApiRequest) => Promise<unknown>][] = [
  ["that nobody read", async () => {}],
  // An HTTP worker begins to read a short body before the request is authorized.
  ["that is still being read", async ({ readBody }) => void readBody?.(nothing).catch(nothing)],
  [
    "of which the rest was refused",
    async ({ readBody }) => {
      const refuse = () => {
        throw new Error("enough");
      };
      await readBody?.(refuse).catch(nothing);
    },
  ],
];

test.each(
  bodies.flatMap(([which, read]) => answers.map(([length, ...answer]) => [length, which, ...answer, read] as const)),
)(
  "the %s answer to an HTTP/2 request with a body %s arrives whole, and ends the request",
  async (_length, _which, status, text, read) => {
    const answer = await sendPart(async (request) => {
      await read(request);
      return textResponse(status, text);
    });
    const code = constants.NGHTTP2_NO_ERROR;
    expect(answer).toEqual({ status, bytes: text.length, code, ends: ["end", "reset"] });
  },
);
