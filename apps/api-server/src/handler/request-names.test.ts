import { createMetrics } from "@kintsugi/daemon";
import { expect, test } from "vitest";
import { aPod, podsPath, TestServer } from "../testing/test-server.ts";

/** Part of every text that a client is free to choose. */
const madeUp = "madeup";

const nobody = { name: "nobody", groups: [] };
const anonymous = { user: undefined };

async function startMeasured() {
  const metrics = createMetrics();
  const server = await TestServer.start({}, { metrics });
  return { metrics, server };
}

/** Requests with an invented word at each place of a path. */
const strangePaths = [
  (word: string) => `/apis/${word}/v1/namespaces/a/pods/b`,
  (word: string) => `/apis/apps/${word}/namespaces/a/deployments/b`,
  (word: string) => `/api/${word}/pods`,
  (word: string) => `/api/v1/${word}`,
  (word: string) => `/api/v1/namespaces/a/${word}/b`,
  (word: string) => `/api/v1/namespaces/${word}/pods/b`,
  (word: string) => `/api/v1/namespaces/a/pods/${word}`,
  (word: string) => `/api/v1/namespaces/a/pods/b/${word}`,
  (word: string) => `/api/v1/namespaces/a/pods/b/status/${word}`,
  (word: string) => `/api/v1/watch/${word}`,
  (word: string) => `/api/v1/namespaces/a/${word}?watch=true`,
  (word: string) => `/api/v1/pods?dryRun=${word}&watch=${word}&fieldManager=${word}`,
  (word: string) => `/${word}/${word}`,
  (word: string) => `/healthz/${word}`,
  (word: string) => `/apis/metrics.k8s.io/v1beta1/${word}`,
  (word: string) => `/apis/authorization.k8s.io/v1/selfsubjectaccessreviews/${word}/${word}`,
];

test("no series contains a word that a client invents, with or without rights", async () => {
  const { metrics, server } = await startMeasured();
  await using _ = server;
  const statuses = new Set<number>();
  for (const options of [anonymous, { user: nobody }, {}]) {
    for (const path of strangePaths) {
      for (const method of ["GET", "POST", "PATCH", "DELETE", `X-${madeUp}`]) {
        const headers = { "user-agent": madeUp, accept: `application/${madeUp}` };
        const body = method === "GET" ? {} : { body: { metadata: { name: "a" } } };
        const { status } = await server.call(method, path(`${madeUp}1`), { ...options, ...body, headers });
        statuses.add(status);
      }
    }
  }
  expect([...statuses]).toEqual(expect.arrayContaining([400, 401, 403, 404, 405]));
  const text = (await metrics.exposition()).toLowerCase();
  expect(text).toContain("apiserver_request_total{");
  expect(text.split("\n").filter((line) => line.includes(madeUp))).toEqual([]);
});

test("the number of series does not grow with the number of invented names", async () => {
  const { metrics, server } = await startMeasured();
  await using _ = server;
  const lines = async (round: number) => {
    for (let i = 0; i < 20; i++) {
      for (const path of strangePaths) {
        await server.call("GET", path(`${madeUp}${round}x${i}`), anonymous);
        await server.call("GET", path(`${madeUp}${round}x${i}`), { user: nobody });
      }
    }
    return (await metrics.exposition()).match(/^(?:apiserver|kintsugi|etcd|kubernetes)_.*$/gm)?.length;
  };
  const first = await lines(1);
  expect(await lines(2)).toBe(first);
});

test("a refusal and an absent object are counted under the resource that they name", async () => {
  const { metrics, server } = await startMeasured();
  await using _ = server;
  await server.get(`${podsPath}/absent`);
  await server.get(`${podsPath}/absent`, { user: nobody });
  await server.post(podsPath, aPod("web"));
  await server.get(`${podsPath}/web/log`);
  await server.get("/api/v1/componentstatuses");
  await server.post("/apis/authentication.k8s.io/v1/selfsubjectreviews", {});
  const counted = (await metrics.exposition())
    .split("\n")
    .filter((line) => line.startsWith("apiserver_request_total{"))
    .map((line) => ["verb", "resource", "subresource", "code"].map((name) => line.match(` ?\\b${name}="(.*?)"`)?.[1]));
  expect(counted).toEqual(
    expect.arrayContaining([
      ["GET", "pods", "", "404"],
      ["GET", "pods", "", "403"],
      ["CREATE", "pods", "", "201"],
      ["GET", "pods", "log", "200"],
      ["LIST", "componentstatuses", "", "200"],
      ["CREATE", "selfsubjectreviews", "", "201"],
    ]),
  );
});
