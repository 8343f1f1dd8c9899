import { describe, expect, test } from "vitest";
import { judgeBrowserRequest, judgeBrowserUpgrade } from "./judge-browser-request.ts";

const access = { port: 8011, token: "secret" };
const host = "127.0.0.1:8011";
const cookie = "other=1; kintsugi-dashboard-8011=secret";
const judge = (target: string, headers: object = {}, method = "GET") =>
  judgeBrowserRequest({ method, target, headers: { host, cookie, ...headers } }, access);

describe("the local proxy", () => {
  test("accepts the token of its own address once, and stores it in a cookie that no script can read", () => {
    expect(judge("/?token=secret", { cookie: undefined })).toEqual({
      is: "enter",
      cookie: "kintsugi-dashboard-8011=secret; HttpOnly; SameSite=Strict; Path=/",
    });
    expect(judge("/?token=other", { cookie: undefined })).toMatchObject({ is: "refuse", status: 401 });
  });

  test.each(["/dashboard/", "/dashboard/assets/a.js", "/api/v1/pods?watch=true", "/apis/apps/v1/deployments"])(
    "forwards %s",
    (target) => expect(judge(target)).toEqual({ is: "forward" }),
  );

  test.each([
    ["a name that an attacker's DNS leads here", { host: "evil.example:8011" }, 421],
    ["no name", { host: undefined }, 421],
    ["another port's name", { host: "127.0.0.1:80" }, 421],
    ["another page's origin", { origin: "https://evil.example" }, 403],
    ["an origin without a name", { origin: "null" }, 403],
    ["another site", { "sec-fetch-site": "cross-site" }, 403],
    ["another port of this machine", { "sec-fetch-site": "same-site" }, 403],
    ["no cookie", { cookie: undefined }, 401],
    ["another run's cookie", { cookie: "kintsugi-dashboard-8011=secreT" }, 401],
    ["another port's cookie", { cookie: "kintsugi-dashboard-8012=secret" }, 401],
  ])("rejects %s", (_, headers, status) => {
    expect(judge("/api/v1/pods", headers)).toMatchObject({ is: "refuse", status });
  });

  test("also works through localhost, with the matching origin", () => {
    const headers = { host: "localhost:8011", origin: "http://localhost:8011", "sec-fetch-site": "same-origin" };
    expect(judge("/api/v1/pods", headers)).toEqual({ is: "forward" });
  });

  test.each([
    "/",
    "/metrics",
    "/apiary",
    "/api/v1/namespaces/default/pods/web/proxy/",
    "/api/v1/namespaces/default/services/web/%70roxy/index.html",
    "/api/v1/nodes/node-1/PROXY",
    "/api/%",
    "/dashboards/",
  ])("serves nothing at %s", (target) => expect(judge(target)).toMatchObject({ is: "refuse", status: 404 }));

  test.each(["//", "http://[", "/\\"])("rejects the line %s, which is not a valid URL", (target) => {
    expect(judge(target, { cookie: undefined })).toMatchObject({ is: "refuse", status: 400 });
  });

  const action = { origin: `http://${host}`, "content-type": "application/json", "sec-fetch-site": "same-origin" };

  test("lets the page itself change the lab, and no other page", () => {
    expect(judge("/lab/status")).toEqual({ is: "lab status" });
    expect(judge("/lab/actions", action, "POST")).toEqual({ is: "lab action" });
    expect(judge("/api/v1/pods", action, "POST")).toMatchObject({ is: "refuse", status: 405 });
    expect(judge("/lab/actions?x", action, "POST")).toMatchObject({ is: "refuse", status: 405 });
    expect(judge("/lab/actions")).toMatchObject({ is: "refuse", status: 404 });
  });

  test.each([
    ["without an origin", { origin: undefined }, 403],
    ["of another page", { origin: "https://evil.example" }, 403],
    ["of another port", { origin: "http://127.0.0.1:80" }, 403],
    ["of a form", { "content-type": "text/plain" }, 415],
    ["without a type", { "content-type": undefined }, 415],
    ["without the cookie", { cookie: undefined }, 401],
    ["by another name", { host: "evil.example:8011" }, 421],
    ["of another site", { "sec-fetch-site": "cross-site" }, 403],
  ])("rejects a change %s", (_, headers, status) => {
    expect(judge("/lab/actions", { ...action, ...headers }, "POST")).toMatchObject({ is: "refuse", status });
  });

  test.each(["POST", "PUT", "DELETE", "PATCH", "OPTIONS"])("rejects %s", (method) => {
    expect(judge("/api/v1/pods", {}, method)).toMatchObject({ is: "refuse", status: 405 });
  });

  const exec = "/api/v1/namespaces/default/pods/web/exec?command=sh&stdin=true";
  const terminal = {
    origin: `http://${host}`,
    upgrade: "websocket",
    "sec-websocket-protocol": "v5.channel.k8s.io",
    "sec-fetch-site": "same-origin",
  };
  const judgeUpgrade = (target: string, headers: object, method = "GET") =>
    judgeBrowserUpgrade({ method, target, headers: { host, cookie, ...terminal, ...headers } }, access);

  test("carries a terminal of the page itself and offers it", () => {
    expect(judge("/terminal/offer")).toEqual({ is: "terminal offer" });
    expect(judge("/lab/way")).toEqual({ is: "way" });
    expect(judgeUpgrade(exec, {})).toEqual({ is: "terminal" });
  });

  test.each([
    ["without an origin", { origin: undefined }, 403],
    ["of another page", { origin: "https://evil.example" }, 403],
    ["of another port", { origin: "http://127.0.0.1:80" }, 403],
    ["for a name that the browser does not use", { origin: "http://localhost:8011" }, 403],
    ["of an origin without a name", { origin: "null" }, 403],
    ["without the cookie", { cookie: undefined }, 401],
    ["with another run's cookie", { cookie: "kintsugi-dashboard-8011=secreT" }, 401],
    ["by another name", { host: "evil.example:8011" }, 421],
    ["of another site", { "sec-fetch-site": "cross-site" }, 403],
    ["in another protocol", { upgrade: "SPDY/3.1" }, 400],
    ["in an older subprotocol", { "sec-websocket-protocol": "v4.channel.k8s.io" }, 400],
  ])("rejects a terminal %s", (_, headers, status) => {
    expect(judgeUpgrade(exec, headers)).toMatchObject({ is: "refuse", status });
  });

  test.each([
    "/api/v1/namespaces/default/pods/web/exec",
    "/api/v1/namespaces/default/pods/web/attach?stdin=true",
    "/api/v1/namespaces/default/pods/web/portforward?ports=80",
    "/api/v1/namespaces/default/pods/web/../other/exec?command=sh",
    "/api/v1/namespaces/default/pods/web/proxy?command=sh",
    "/api/v1/pods?watch=true",
    "/dashboard/?command=sh",
    "/lab/status",
    "/?token=secret",
  ])("never upgrades a request for %s", (target) => expect(judgeUpgrade(target, {})).toMatchObject({ is: "refuse" }));

  test("never upgrades a request that makes a change", () =>
    expect(judgeUpgrade(exec, {}, "POST")).toMatchObject({ status: 405 }));
});
