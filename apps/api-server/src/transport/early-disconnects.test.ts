import { connect as connectHttp2, constants } from "node:http2";
import { connect } from "node:tls";
import { setTimeout as sleep } from "node:timers/promises";
import { ApiError } from "@kintsugi/api";
import { afterAll, describe, expect, test } from "vitest";
import { type ApiRequest, textResponse } from "../http/api-request.ts";
import { TestCertificates } from "../testing/test-certificates.ts";
import { listenWith } from "../testing/tls-listener.ts";

const certificates = new TestCertificates()
  .authority()
  .issue("server", "/CN=api-server", { usage: "serverAuth", altNames: "IP:127.0.0.1" });
afterAll(() => certificates[Symbol.dispose]());

describe("a client that disconnects early", () => {
  /** Resolves with what `look` finds in the request that `send` sends. */
  async function seenBy<T>(
    send: (port: number, begun: Promise<void>) => Promise<void>,
    look: (request: ApiRequest) => Promise<T>,
  ): Promise<T> {
    let begin = () => {};
    const begun = new Promise<void>((resolve) => (begin = resolve));
    let settle: (value: Promise<T>) => void = () => {};
    const seen = new Promise<T>((resolve) => (settle = resolve));
    const handle = async (request: ApiRequest) => {
      settle(look(request));
      begin();
      await seen;
      return textResponse(200, "");
    };
    const own = await listenWith(certificates, handle);
    try {
      await send(own.port, begun);
      return await seen;
    } finally {
      await own[Symbol.asyncDispose]();
    }
  }

  test("is known to have gone, even if it reset its stream before anybody asked", async () => {
    const wasGone = seenBy(
      async (port, begun) => {
        const session = connectHttp2(`https://127.0.0.1:${port}`, { ca: certificates.read("ca.crt") });
        const stream = session.request({ ":path": "/api/v1/pods?watch=1" });
        stream.on("error", () => {});
        await begun;
        stream.close(constants.NGHTTP2_CANCEL);
        await sleep(200);
        session.destroy();
      },
      async (request) => {
        await sleep(100);
        return request.signal.aborted;
      },
    );
    expect(await wasGone).toBe(true);
  });

  test("has sent a bad request if its body broke off, which is not a failure of the server", async () => {
    const failure = seenBy(
      async (port, begun) => {
        const socket = connect({ host: "127.0.0.1", port, ca: certificates.read("ca.crt") });
        socket.write("POST /api/v1/pods HTTP/1.1\r\nhost: a\r\ncontent-length: 100\r\n\r\nabc");
        await begun;
        socket.destroy();
      },
      async ({ readBody }) => {
        try {
          return await readBody?.(() => {});
        } catch (error) {
          return error;
        }
      },
    );
    expect(await failure).toEqual(new ApiError("BadRequest", "the body of the request broke off"));
  });
});
