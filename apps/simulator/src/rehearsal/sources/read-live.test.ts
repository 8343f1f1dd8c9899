import { ApiError } from "@kintsugi/api";
import { createInProcessClient, type HandlerRequest, type RequestHandler } from "@kintsugi/client";
import { SeededRandom, VirtualClock } from "@kintsugi/clock/simulated";
import { rehearsedKinds } from "@kintsugi/rehearsal";
import { expect, test } from "vitest";
import { readLive } from "./read-live.ts";

/** A server that answers by `answer`, and the requests that it received. */
function serverOf(answer: (path: string) => { status: number; body: object }) {
  const requests: HandlerRequest[] = [];
  const handler: RequestHandler = {
    handle: async (request) => {
      requests.push(request);
      const { status, body } = answer(request.path);
      return { status, headers: {}, body: Buffer.from(JSON.stringify(body)) };
    },
  };
  const deps = { handler, clock: new VirtualClock(), random: new SeededRandom(1) };
  const client = createInProcessClient(deps, { identity: { name: "reader", groups: [] } });
  return { requests, get: (path: string) => client.call({ method: "GET", path, isTriedOnce: true }) };
}

const refusal = (code: number, reason: string) => ({
  status: code,
  body: { apiVersion: "v1", kind: "Status", status: "Failure", code, reason, message: "no" },
});

test("only lists are requested, each of them once, in pages of 500 from the server's cache", async () => {
  const page = (path: string) =>
    path.includes("continue=") ? [{ metadata: { name: "b" } }] : [{ metadata: { name: "a" } }];
  const server = serverOf((path) => ({
    status: 200,
    body: {
      items: page(path),
      metadata: path.startsWith("/api/v1/pods?") && !path.includes("continue=") ? { continue: "t&1" } : {},
    },
  }));
  const { objects, listed } = await readLive(server, () => {});
  expect(new Set(server.requests.map(({ method }) => method))).toEqual(new Set(["GET"]));
  expect(server.requests.some(({ path }) => /secrets|configmaps|watch|exec|proxy|log/.test(path))).toBe(false);
  const ofPods = server.requests.map(({ path }) => path).filter((path) => path.startsWith("/api/v1/pods?"));
  expect(ofPods).toEqual(["/api/v1/pods?limit=500&resourceVersion=0", "/api/v1/pods?limit=500&continue=t%261"]);
  expect(server.requests).toHaveLength(rehearsedKinds.length + 1);
  expect(listed).toHaveLength(rehearsedKinds.length);
  expect(objects.filter(({ kind }) => kind === "Pod")).toHaveLength(2);
});

test("a kind that may not be listed names the missing rule, and the other kinds are read", async () => {
  const server = serverOf((path) =>
    path.includes("poddisruptionbudgets")
      ? refusal(403, "Forbidden")
      : { status: 200, body: { items: [], metadata: {} } },
  );
  const { listed } = await readLive(server, () => {});
  const budgets = listed.find(({ kind }) => kind === "PodDisruptionBudget");
  expect(budgets?.refused).toContain('apiGroups ["policy"], resources ["poddisruptionbudgets"], verbs ["list"]');
  expect(listed.filter(({ refused }) => refused !== undefined)).toHaveLength(1);
});

test("an overloaded server is not queried again", async () => {
  const server = serverOf((path) =>
    path.includes("/deployments")
      ? refusal(429, "TooManyRequests")
      : { status: 200, body: { items: [], metadata: {} } },
  );
  await expect(readLive(server, () => {})).rejects.toThrow(/overloaded \(429, at deployments\)/);
  expect(server.requests.filter(({ path }) => path.includes("/deployments"))).toHaveLength(1);
  expect(server.requests.at(-1)?.path).toContain("/deployments");
});

test("a failure other than a refusal is not hidden", async () => {
  const get = () => Promise.reject(new Error("broken"));
  await expect(readLive({ get }, () => {})).rejects.toThrow("broken");
  expect(new ApiError("Forbidden", "x").reason).toBe("Forbidden");
});
