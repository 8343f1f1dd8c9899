import { PassThrough } from "node:stream";
import type { ServerResponse } from "node:http";
import { type Pod, silentLogger } from "@kintsugi/api";
import { expect, test } from "vitest";
import { TestNode } from "../testing/test-node.ts";
import type { LogFiles } from "../runtime/logs/log-file.ts";
import { kubeletRoutes } from "./routes.ts";

const second = 1000;

/** Every log holds its own path. */
const logFiles: LogFiles = {
  open: (path) => {
    const line = Buffer.from(`2026-01-01T00:00:00Z stdout F ${path}\n`);
    return Promise.resolve({
      read: (offset, length) => Promise.resolve(line.subarray(offset, offset + length)),
      size: () => Promise.resolve(line.length),
      isReplaced: () => Promise.resolve(false),
      close: () => Promise.resolve(),
    });
  },
  rotated: () => Promise.resolve([]),
};

/** The answer of the kubelet when the API has `pod`. */
async function readLog(node: TestNode, pod: Pod | undefined): Promise<{ status: number; text: string }> {
  const { kubelet, clock } = node;
  if (kubelet === undefined) throw new Error("the node has not started");
  const metrics = { exposition: () => Promise.resolve(""), contentType: "text/plain" };
  const pods = { ...kubelet.pods, find: () => pod };
  const routes = kubeletRoutes({ ...kubelet, pods, clock, logFiles, metrics, log: silentLogger });
  const body = new PassThrough();
  let status = 0;
  const head = { writeHead: (code: number) => ((status = code), response), flushHeaders: () => {} };
  const response = Object.assign(body, head) as unknown as ServerResponse;
  const request = {
    parts: ["default", "mine", "c"],
    query: new URLSearchParams(),
    signal: new AbortController().signal,
  };
  await routes.find(({ segment }) => segment === "containerLogs")?.answer?.(request, response);
  return { status, text: Buffer.concat((await body.toArray()) as Buffer[]).toString() };
}

test("a pod's log is read only from its own containers, even if its status names other containers", async () => {
  await using node = new TestNode();
  await node.start();
  for (const name of ["mine", "other"]) {
    await node.createPod(name, { containers: [{ name: "c", image: "script.kintsugi.dev/run" }] });
  }
  await node.clock.advance(5 * second);
  const [mine, other] = await Promise.all(["mine", "other"].map((name) => node.findPod(name)));
  expect(await readLog(node, mine)).toMatchObject({ status: 200, text: expect.stringContaining("default_mine_") });
  // The pod's status is forged, as if other clients could write it.
  const forged = mine && { ...mine, status: other?.status };
  expect(await readLog(node, forged)).toMatchObject({
    status: 400,
    text: expect.stringContaining("unable to retrieve container logs"),
  });
});
