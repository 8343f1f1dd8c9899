import { describe, expect, test } from "vitest";
import { requestHeaders, responseHeaders } from "./forwarded-headers.ts";

const from = { prefix: "/api/v1/namespaces/default/pods/web/proxy", path: "/x/", remoteAddress: "10.0.0.9" };

describe("a request", () => {
  test("is forwarded with its content headers and its client's address", () => {
    const headers = { host: "api:6443", accept: "text/html", cookie: "a=b", "content-type": "text/x", te: "trailers" };
    expect(requestHeaders({ ...headers, "x-forwarded-for": "192.0.2.1" }, from)).toEqual({
      host: "api:6443",
      accept: "text/html",
      cookie: "a=b",
      "content-type": "text/x",
      "x-forwarded-for": "192.0.2.1, 10.0.0.9",
      "x-forwarded-uri": "/api/v1/namespaces/default/pods/web/proxy/x/",
    });
  });

  test("of HTTP/2 is forwarded as a request of HTTP/1.1", () => {
    const headers = { ":method": "GET", ":path": "/x", ":authority": "api:6443", ":scheme": "https" };
    expect(requestHeaders(headers, { ...from, remoteAddress: undefined })).toEqual({
      host: "api:6443",
      "x-forwarded-uri": "/api/v1/namespaces/default/pods/web/proxy/x/",
    });
  });

  test("is forwarded without its client's credentials and without hop-by-hop headers", () => {
    const secrets = {
      authorization: "Bearer secret",
      "impersonate-user": "jane",
      "impersonate-extra-a": "b",
      "x-remote-user": "system:admin",
      "x-remote-group": "system:masters",
      "proxy-authorization": "Basic secret",
      "sec-websocket-protocol": "base64url.bearer.authorization.k8s.io.c2VjcmV0, chat",
    };
    const ofConnection = {
      connection: "keep-alive, X-Own",
      "x-own": "1",
      "keep-alive": "timeout=5",
      "transfer-encoding": "chunked",
      expect: "100-continue",
      upgrade: "h2c",
    };
    expect(requestHeaders({ ...secrets, ...ofConnection }, from)).toEqual({
      "sec-websocket-protocol": "chat",
      "x-forwarded-for": "10.0.0.9",
      "x-forwarded-uri": "/api/v1/namespaces/default/pods/web/proxy/x/",
    });
    const onlyToken = { "sec-websocket-protocol": "base64url.bearer.authorization.k8s.io.c2VjcmV0" };
    expect(requestHeaders(onlyToken, from)).not.toHaveProperty("sec-websocket-protocol");
  });

  test("for another protocol names the protocol", () => {
    const headers = { connection: "Upgrade", upgrade: "websocket", "sec-websocket-key": "k" };
    expect(requestHeaders(headers, { ...from, upgrade: "websocket" })).toMatchObject({
      connection: "Upgrade",
      upgrade: "websocket",
      "sec-websocket-key": "k",
    });
  });
});

describe("a response", () => {
  test("is returned without hop-by-hop headers and without policies for this server's origin", () => {
    const sent = {
      "content-type": "text/plain",
      "set-cookie": ["a=1", "b=2"],
      vary: ["a", "b"],
      connection: "close, x-own",
      "x-own": "1",
      "transfer-encoding": "chunked",
      "access-control-allow-origin": "*",
      "access-control-allow-credentials": "true",
    };
    expect(responseHeaders(sent)).toEqual({
      headers: { "content-type": "text/plain", vary: "a, b" },
      setCookies: ["a=1", "b=2"],
    });
  });

  test("is returned without headers that this server cannot write", () => {
    expect(responseHeaders({ "x-good": "1", "x-bad": "a\u0000b", "bad name": "1", "set-cookie": ["a=\n"] })).toEqual({
      headers: { "x-good": "1" },
      setCookies: [],
    });
  });
});
