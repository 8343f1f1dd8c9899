import { connect as connectHttp2, constants } from "node:http2";
import { afterAll, expect, test } from "vitest";
import { type ApiRequest, type ApiResponse, textResponse } from "../http/api-request.ts";
import { TestCertificates } from "../testing/test-certificates.ts";
import { listenWith } from "../testing/tls-listener.ts";

const certificates = new TestCertificates()
  .authority()
  .issue("server", "/CN=api-server", { usage: "serverAuth", altNames: "IP:127.0.0.1" });
afterAll(() => certificates[Symbol.dispose]());

/** Sends a part of a body over HTTP/2, and resolves with the answer when the stream has closed. */
async function sendPart(handle: (request: ApiRequest) => Promise<ApiResponse>) {
  await using own = await listenWith(certificates, handle);
  const session = connectHttp2(`https://127.0.0.1:${own.port}`, { ca: certificates.read("ca.crt") });
  try {
    const stream = session.request({ ":method": "POST", ":path": "/" }, { endStream: false });
    stream.write("a part");
    let status: number | undefined;
    let bytes = 0;
    stream.on("response", (headers) => (status = headers[":status"]));
    stream.on("data", (chunk: Buffer) => (bytes += chunk.length));
    await new Promise((resolve, reject) => stream.on("close", resolve).on("error", reject));
    return { status, bytes, code: stream.rstCode };
  } finally {
    session.destroy();
  }
}

const nothing = () => {};
/** Longer than what HTTP/2 sends before its client has read something. */
const long = "x".repeat(3_000_000);

test.each<[string, (request: ApiRequest) => Promise<unknown>]>([
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
])("an HTTP/2 request with a body %s ends with its answer", async (_which, read) => {
  const answer = await sendPart(async (request) => {
    await read(request);
    return textResponse(403, long);
  });
  expect(answer).toEqual({ status: 403, bytes: long.length, code: constants.NGHTTP2_NO_ERROR });
});
