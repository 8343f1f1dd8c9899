import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { PassThrough, Readable } from "node:stream";
import { afterEach, describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { receivers, serveOverTls } from "../testing/served-over-tls.ts";
import { aPod, podsPath } from "../testing/test-server.ts";
import type { KubeletDialer } from "../kubelet/kubelet-dialer.ts";

describe.each(receivers)("received by %s", (receiver) => {
  let served: Awaited<ReturnType<typeof serveOverTls>>;
  afterEach(() => served[Symbol.asyncDispose]());

  /** A pod whose kubelet returns this log. */
  async function startWithLog(log: Readable, status = 200): Promise<{ isLetGo: boolean }> {
    const state = { isLetGo: false };
    const kubeletDialer: KubeletDialer = {
      get: async (_target, _path, signal) => {
        signal.addEventListener("abort", () => (state.isLetGo = true));
        return { status, contentType: "text/plain", body: log };
      },
      send: () => Promise.reject(new Error("not asked for")),
      upgrade: () => Promise.reject(new Error("not asked for")),
    };
    served = await serveOverTls({ kubeletDialer }, receiver);
    const { server } = served;
    await server.post(podsPath, aPod("web"));
    const addresses = [{ type: "InternalIP", address: "10.1.0.2" }];
    await server.post("/api/v1/nodes", { metadata: { name: "n1" }, status: { addresses } });
    await server.post(`${podsPath}/web/binding`, { metadata: { name: "web" }, target: { kind: "Node", name: "n1" } });
    return state;
  }

  function open(protocols: string[]): WebSocket {
    const webSocket = new WebSocket(`${served.url.replace("https", "wss")}${podsPath}/web/log?follow=true`, protocols, {
      ...served.identity,
    });
    webSocket.on("error", () => {});
    return webSocket;
  }

  /** Each received message, text messages as text, and how the connection ended. */
  async function messagesOf(webSocket: WebSocket): Promise<{ messages: (string | Buffer)[]; code: number }> {
    const messages: (string | Buffer)[] = [];
    webSocket.on("message", (data: Buffer, isBinary: boolean) => messages.push(isBinary ? data : data.toString()));
    const [code] = (await once(webSocket, "close")) as [number];
    return { messages, code };
  }

  const log = () => Readable.from([Buffer.from("one\n"), Buffer.from([0xff, 0x0a])]);

  test.each([
    [[], "", [Buffer.from(""), Buffer.from("one\n"), Buffer.from([0xff, 0x0a])]],
    [["binary.k8s.io"], "binary.k8s.io", [Buffer.from(""), Buffer.from("one\n"), Buffer.from([0xff, 0x0a])]],
    [["other", "base64.binary.k8s.io"], "base64.binary.k8s.io", ["", "b25lCg==", "/wo="]],
  ])("a log is streamed over a WebSocket that offers %j", async (offered, chosen, expected) => {
    await startWithLog(log());
    const webSocket = open(offered);
    expect(await messagesOf(webSocket)).toEqual({ messages: expected, code: 1005 });
    expect(webSocket.protocol).toBe(chosen);
  });

  test.each([
    [["v4.channel.k8s.io"], 200, 403, "requested protocol(s) are not supported: [v4.channel.k8s.io]"],
    [[], 400, 400, "container is waiting to start"],
  ])(
    "a WebSocket that offers %j is rejected where the kubelet answers with %i",
    async (offered, status, code, text) => {
      await startWithLog(Readable.from([Buffer.from("container is waiting to start")]), status);
      const [, response] = (await once(open(offered), "unexpected-response")) as [unknown, IncomingMessage];
      let body = "";
      for await (const chunk of response) body += String(chunk);
      expect([response.statusCode, JSON.parse(body).message]).toEqual([code, expect.stringContaining(text)]);
    },
  );

  test("a log that breaks off does not look complete", async () => {
    const broken = new PassThrough();
    await startWithLog(broken);
    const webSocket = open([]);
    await once(webSocket, "message");
    broken.destroy(new Error("the node has gone"));
    expect((await messagesOf(webSocket)).code).toBe(1006);
  });

  test("a log whose client has disconnected is closed", async () => {
    const endless = new PassThrough();
    const state = await startWithLog(endless);
    const going = open([]);
    await once(going, "message");
    going.terminate();
    await expect.poll(() => state.isLetGo).toBe(true);
  });
});
