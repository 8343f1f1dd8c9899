import { expect, test } from "vitest";
import { judgePageRequest } from "./judge-page-request.ts";

const access = { port: 4000, token: "secret" };
const host = "127.0.0.1:4000";
const cookie = "kintsugi-gameday-4000=secret";
const form = { host, cookie, origin: `http://${host}`, "content-type": "application/json" };
const judge = (method: string, target: string, headers: object) =>
  judgePageRequest({ method, target, headers }, access);

test("the printed address gives the browser its cookie, even from a link in a message", () => {
  expect(judge("GET", "/?token=secret", { host, "sec-fetch-site": "cross-site" })).toMatchObject({ is: "enter" });
});

test("the page reads and sends its forms", () => {
  expect(judge("GET", "/live", { host, cookie })).toEqual({ is: "read", path: "/live" });
  expect(judge("POST", "/notice", form)).toEqual({ is: "write", path: "/notice" });
});

test.each([
  ["a foreign name", "GET", "/live", { host: "evil.example:4000", cookie }, 421],
  ["no cookie", "GET", "/live", { host }, 401],
  ["the cookie of another page", "GET", "/live", { host, cookie: "kintsugi-gameday-4001=secret" }, 401],
  ["another page's token under this name", "GET", "/live", { host, cookie: "kintsugi-gameday-4000=others" }, 401],
  ["a wrong token", "GET", "/?token=secres", { host }, 401],
  ["another site", "GET", "/live", { host, cookie, "sec-fetch-site": "cross-site" }, 403],
  ["another port of this host", "GET", "/live", { host, cookie, "sec-fetch-site": "same-site" }, 403],
  ["a form of another page", "POST", "/notice", { ...form, origin: "http://127.0.0.1:4001" }, 403],
  ["a form without an origin", "POST", "/notice", { ...form, origin: undefined }, 403],
  ["a form of HTML", "POST", "/notice", { ...form, "content-type": "text/plain" }, 415],
  ["a token in a form's address", "POST", "/?token=secret", { ...form, cookie: "" }, 401],
  ["another method", "PUT", "/notice", form, 405],
  ["an address that is not a URL", "GET", "//", { host, cookie }, 400],
])("%s is refused", (_what, method, target, headers, status) => {
  expect(judge(method, target, headers)).toMatchObject({ is: "refuse", status });
});
