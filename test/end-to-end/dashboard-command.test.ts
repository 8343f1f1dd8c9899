import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { type Browser, startBrowser } from "../support/dashboard/browser.ts";
import { sayWhyNot, whyNoPackage } from "../support/host-abilities.ts";
import { repository } from "../support/lab-cluster.ts";
import { endWithThis, eventually } from "../support/run-program.ts";
import { type ApiServerProcess, prepareApiServer } from "../support/servers/api-server-process.ts";

const cannot = sayWhyNot("pages in a browser", whyNoPackage("chromium"));

let server: ApiServerProcess;
let browser: Browser;
let command: ChildProcess;
let directory: string;
let printed = "";

beforeAll(async () => {
  if (cannot) return;
  [server, browser, directory] = await Promise.all([
    prepareApiServer(),
    startBrowser(),
    mkdtemp(join(tmpdir(), "kintsugi-dashboard-")),
  ]);
  await server.start();
  const kubeconfig = join(directory, "kubeconfig");
  await writeFile(kubeconfig, kubeconfigOf(server.access));
  const words = [join(repository, "bin/kintsugi"), "dashboard", "--kubeconfig", kubeconfig, "--no-open"];
  command = endWithThis(spawn(process.execPath, words, { stdio: ["ignore", "pipe", "inherit"] }));
  command.stdout?.on("data", (piece: Buffer) => (printed += piece.toString()));
  await eventually("the address", async () => addressOf(printed) !== "");
});

beforeEach(({ skip }) => skip(cannot));

afterAll(async () => {
  command?.kill("SIGKILL");
  await browser?.[Symbol.asyncDispose]();
  await server?.[Symbol.asyncDispose]();
  if (!cannot) await rm(directory, { recursive: true, force: true });
});

function kubeconfigOf({ server: address, ca, cert, key }: ApiServerProcess["access"]): string {
  const inBase64 = (text: string) => Buffer.from(text).toString("base64");
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    "current-context": "alone",
    contexts: [{ name: "alone", context: { cluster: "alone", user: "admin" } }],
    clusters: [{ name: "alone", cluster: { server: address, "certificate-authority-data": inBase64(ca) } }],
    users: [{ name: "admin", user: { "client-certificate-data": inBase64(cert), "client-key-data": inBase64(key) } }],
  });
}

function addressOf(text: string): string {
  return /http:\S+/.exec(text)?.[0] ?? "";
}

/** Returns the status of an answer to a request that a browser would not send. */
function statusOf(path: string, headers: Record<string, string>): Promise<number | undefined> {
  const { hostname, port } = new URL(addressOf(printed));
  return new Promise((resolve, reject) => {
    request({ hostname, port, path, headers }, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .once("error", reject)
      .end();
  });
}

test("the printed address opens the page of the API server, with the kubeconfig's rights", async () => {
  const page = await browser.open(addressOf(printed));
  await page.getByText("No timer is running.").waitFor();
  expect(await page.title()).toBe("Kintsugi: kintsugi");
  expect(new URL(page.url()).search).toBe("");
  expect(await page.evaluate("document.cookie")).toBe("");
  await expect.poll(() => page.getByRole("status").count()).toBe(0);
  expect(browser.faults).toEqual([]);
});

test("a request without the token, or for another name, is rejected", async () => {
  const { host, searchParams } = new URL(addressOf(printed));
  const cookie = `kintsugi-dashboard-${host.split(":")[1]}=${searchParams.get("token")}`;
  expect(await statusOf("/api/v1/nodes", { host, cookie })).toBe(200);
  expect(await statusOf("/api/v1/nodes", { host })).toBe(401);
  expect(await statusOf("/api/v1/nodes", { host: "attacker.example", cookie })).toBe(421);
  expect(await statusOf("/api/v1/nodes", { host, cookie, origin: "http://attacker.example" })).toBe(403);
  expect(await statusOf("/metrics", { host, cookie })).toBe(404);
});

test("the command ends with Ctrl-C", async () => {
  const ended = new Promise((resolve) => command.once("exit", resolve));
  command.kill("SIGINT");
  expect(await ended).toBe(0);
});
