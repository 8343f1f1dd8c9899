import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { VirtualClock } from "@kintsugi/clock/simulated";
import { describe, expect, test } from "vitest";
import type { ApiResponse } from "../http/api-request.ts";
import { parseRequestInfo } from "../request/request-info.ts";
import { createDashboardRoute } from "./dashboard-route.ts";
import { readDashboardFiles } from "./read-dashboard-files.ts";

const files = new Map([
  ["index.html", Buffer.from("<!doctype html>")],
  ["assets/main-1.js", Buffer.from("let page;".repeat(100))],
  ["assets/notes.txt", Buffer.from("no type")],
]);
const clock = new VirtualClock();
const route = createDashboardRoute({ files, clusterName: "lab", profile: "fast" }, clock);
const user = { name: "jane", groups: [] };

function ask(path: string, { method = "GET", headers = {} }: { method?: string; headers?: object } = {}) {
  const request = { method, path, headers: { ...headers }, signal: new AbortController().signal };
  return route(request, parseRequestInfo(method, path), user) as ApiResponse | undefined;
}

describe("the page", () => {
  test("has headers that restrict it to its own server", () => {
    const page = ask("/dashboard/");
    expect(page).toMatchObject({ status: 200, headers: { "content-type": "text/html; charset=utf-8" } });
    expect(page?.headers["content-security-policy"]).toContain("default-src 'self';");
    expect(page?.headers["content-security-policy"]).toContain("frame-ancestors 'none'");
    expect(page?.headers["x-content-type-options"]).toBe("nosniff");
    expect(page?.headers["cache-control"]).toBe("no-cache, private");
    expect(ask("/dashboard")).toMatchObject({ status: 308, headers: { location: "/dashboard/" } });
  });

  test("has files that browsers cache, compressed for browsers that accept it", () => {
    const plain = ask("/dashboard/assets/main-1.js");
    expect(plain?.headers["cache-control"]).toBe("private, immutable, max-age=31536000");
    const packed = ask("/dashboard/assets/main-1.js", { headers: { "accept-encoding": "br, gzip" } });
    expect(packed?.headers["content-encoding"]).toBe("gzip");
    expect(gunzipSync(packed?.body as Uint8Array).toString()).toBe("let page;".repeat(100));
    const etag = plain?.headers["etag"];
    expect(ask("/dashboard/assets/main-1.js", { headers: { "if-none-match": etag } })?.status).toBe(304);
  });

  test("receives the cluster's name, its profile and the server's time", () => {
    const { body, headers } = ask("/dashboard/settings.json") ?? {};
    expect(JSON.parse(Buffer.from(body as Uint8Array).toString())).toEqual({
      clusterName: "lab",
      profile: "fast",
      nowMs: clock.nowMs(),
    });
    expect(headers?.["cache-control"]).toBe("no-store");
  });

  test.each([
    "/dashboard/assets/none.js",
    "/dashboard/assets/notes.txt",
    "/dashboard/assets",
    "/dashboard/index.html/",
    "/dashboards/index.html",
    "/dashboard/%69ndex.html",
    "/api",
  ])("has nothing at %s", (path) => expect(ask(path)).toBeUndefined());

  test.each([
    "/dashboard/../api-server",
    "/dashboard/%2e%2e/secret",
    "/dashboard//index.html",
    "/dashboard/assets%2fmain-1.js",
  ])("is not served at paths such as %s", (path) => expect(() => ask(path)).toThrow("path"));

  test("is read-only", () => expect(() => ask("/dashboard/", { method: "POST" })).toThrow("does not allow"));
});

test("the server reads the files of the first existing directory, and does not follow links", async () => {
  const directory = await mkdtemp(join(tmpdir(), "kintsugi-dashboard-"));
  try {
    await mkdir(join(directory, "page/assets"), { recursive: true });
    await writeFile(join(directory, "page/assets/a.js"), "a");
    await writeFile(join(directory, "secret"), "s");
    await symlink(join(directory, "secret"), join(directory, "page/assets/b.js"));
    const read = await readDashboardFiles([join(directory, "none"), join(directory, "page")]);
    expect([...(read ?? [])].map(([name, bytes]) => [name, Buffer.from(bytes).toString()])).toEqual([
      ["assets/a.js", "a"],
    ]);
    expect(await readDashboardFiles([join(directory, "none")])).toBeUndefined();
  } finally {
    await rm(directory, { recursive: true });
  }
});
