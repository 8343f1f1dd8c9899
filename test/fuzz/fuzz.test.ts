import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { formsOf, rightfulName } from "./checks.ts";
import { BodyGrammar } from "./grammar/body-grammar.ts";
import { replacePart } from "./grammar/hostile.ts";
import { type FuzzRequest, identities, type IdentityName } from "./grammar/fuzz-request.ts";
import { requestGrammar } from "./grammar/request-grammar.ts";
import type { ApiRoute } from "./grammar/routes.ts";
import { Hunt } from "./run-fuzz.ts";
import type { FuzzAnswer } from "./target.ts";

const route: ApiRoute = {
  group: "",
  version: "v1",
  resource: "configmaps",
  subresource: "",
  namespaced: true,
  verbs: ["get", "list", "create", "patch", "update", "delete"],
  body: "v1 ConfigMap",
};
const log: ApiRoute = { ...route, resource: "pods", subresource: "log", verbs: ["get"], body: "v1 Pod" };
const canaries = [{ text: "canary-4711-secret", hiddenFrom: ["powerless"] satisfies IdentityName[] }];

async function grammar(): Promise<fc.Arbitrary<FuzzRequest>> {
  const published = {
    call: async () => ({ paths: {} }),
  };
  const example = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "fixture" } };
  return requestGrammar([route, log], await BodyGrammar.read(published, [example]));
}

/** Returns the findings at a server with these answers. */
async function findingsAt(
  answer: (request: FuzzRequest) => FuzzAnswer | Error,
  workMs: (request: FuzzRequest) => number = () => 1,
  keptMegabytes: (request: FuzzRequest) => number = () => 0,
): Promise<string[]> {
  let workedMs = 0;
  let longestTurnMs = 0;
  let megabytes = 0;
  const target = {
    send: async (request: FuzzRequest) => {
      workedMs += workMs(request);
      longestTurnMs = Math.max(longestTurnMs, workMs(request));
      megabytes += keptMegabytes(request);
      const answered = answer(request);
      if (answered instanceof Error) throw answered;
      return answered;
    },
    [Symbol.asyncDispose]: async () => {},
  };
  const memory = { residentMegabytes: () => megabytes, keptMegabytes: async () => megabytes };
  const work = {
    workedMs: () => workedMs,
    longestTurnMs: async () => {
      const longestMs = longestTurnMs;
      longestTurnMs = 0;
      return longestMs;
    },
  };
  const hunt = new Hunt({ target, canaries, grammar: await grammar(), work, memory });
  for (let seed = 0; seed < 10; seed++) await hunt.round(seed, 60_000);
  return hunt.findings.map(({ signature }) => signature.split(" ")[0] ?? "");
}

const fine: FuzzAnswer = { status: 200, text: "{}", tookMs: 1 };

describe("the hunt", () => {
  test("does not report a fault of a correct server", async () => {
    expect(await findingsAt(() => fine)).toEqual([]);
  });

  test("finds a secret in a response to an identity that may not read it, including in base64", async () => {
    const hidden = Buffer.from("{x:canary-4711-secret}").toString("base64");
    const leak = ({ identity }: FuzzRequest) => ({
      ...fine,
      text: identity === "powerless" ? `{"a":"${hidden}"}` : "{}",
    });
    expect(await findingsAt(leak)).toContain("canary");
  });

  test("finds an internal error, but not in a kubelet that does not answer", async () => {
    const broken = ({ method }: FuzzRequest) =>
      method === "PATCH" ? { ...fine, status: 500, text: "x is undefined" } : fine;
    expect(new Set(await findingsAt(broken))).toEqual(new Set(["5xx"]));
    const away = ({ path }: FuzzRequest) =>
      /\/log(?:[/?]|$)/.test(path) ? { ...fine, status: 500, text: "dial tcp" } : fine;
    expect(await findingsAt(away)).toEqual([]);
  });

  test.each([
    [500, "internal error", "PATCH", "/api/v1/namespaces/a/configmaps/b", undefined],
    [500, "failed to create typed patch object (a/b)", "PATCH", "/api/v1/namespaces/a/configmaps/b", "typed patch"],
    [500, "failed to create typed patch object (a/b)", "PUT", "/api/v1/namespaces/a/configmaps/b", undefined],
    [503, "ServiceUnavailable", "GET", "/api/v1/namespaces/a/configmaps/b", undefined],
    [503, 'no endpoints available for service "b"', "GET", "/api/v1/namespaces/a/services/b/proxy", "no endpoints"],
    [504, "Timeout", "GET", "/api/v1/namespaces/a/configmaps", undefined],
    [504, "Too large resource version: 9, current: 1", "GET", "/api/v1/pods?resourceVersion=9", "future revision"],
    [504, "", "HEAD", "/api/v1/pods?resourceVersion=9", "future revision"],
    [504, "", "HEAD", "/api/v1/pods", undefined],
    [422, "failed to create typed patch object (a/b)", "PATCH", "/api/v1/namespaces/a/configmaps/b", undefined],
  ])("a response of %i with %j to %s %s is correct by its name: %j", (status, text, method, path, name) => {
    const request: FuzzRequest = {
      identity: "none",
      protocol: "h2",
      method,
      path,
      headers: {},
      body: undefined,
    };
    expect(rightfulName(request, { status, text, tookMs: 1 })).toBe(name);
  });

  test("finds a request that is never answered, and a request that blocks", async () => {
    const silent = ({ body }: FuzzRequest) => (body === undefined ? fine : new Error("no answer within 15000 ms"));
    expect(await findingsAt(silent)).toContain("hang");
    const slow = ({ method }: FuzzRequest) => ({ ...fine, tookMs: method === "DELETE" ? 9000 : 1 });
    expect(await findingsAt(slow)).toContain("slow");
  });

  test("finds a request that uses the event loop's processor time, and not a concurrent request", async () => {
    const work = ({ method }: FuzzRequest) => (method === "PATCH" ? 300 : 60);
    expect(new Set(await findingsAt(() => fine, work))).toEqual(new Set(["blocks"]));
    // A batch of such requests takes longer than the limit of one request.
    expect(
      await findingsAt(
        () => fine,
        () => 200,
      ),
    ).toEqual([]);
  });
});

test("finds a request that retains much memory in the server, and does not report many requests that retain a little", async () => {
  const fineOf = () => fine;
  const noWork = () => 1;
  const keeping = ({ method }: FuzzRequest) => (method === "PATCH" ? 70 : 1);
  expect(new Set(await findingsAt(fineOf, noWork, keeping))).toEqual(new Set(["keeps"]));
  expect(await findingsAt(fineOf, noWork, () => 30)).toEqual([]);
});

test("costly and large requests are drawn in every encoding, the same requests for the same seed", async () => {
  const draw = async () => fc.sample(await grammar(), { numRuns: 3_000, seed: 2 });
  const requests = await draw();
  const costly = requests.filter(({ path }) =>
    /lamps|resourceclaims|customresourcedef|policies|deviceclasses/.test(path),
  );
  const types = new Set(costly.map(({ headers }) => headers["content-type"]));
  for (const type of ["json", "yaml", "cbor", "vnd.kubernetes.protobuf"])
    expect(types).toContain(`application/${type}`);
  expect(costly.some(({ body }) => body !== undefined && Buffer.from(body).includes(".replace("))).toBe(true);
  const lengths = requests.map(({ body }) => body?.byteLength ?? 0);
  expect(Math.max(...lengths)).toBeGreaterThan(1_000_000);
  expect((await draw()).map(({ path, body }) => [path, body?.byteLength])).toEqual(
    requests.map(({ path, body }) => [path, body?.byteLength]),
  );
});

test("requests reach objects and also paths next to them", async () => {
  const requests = fc.sample(await grammar(), { numRuns: 2000, seed: 1 });
  const paths = requests.map(({ path }) => path);
  expect(paths).toContain("/api/v1/namespaces/fuzz-mine/configmaps/fixture");
  expect(paths.some((path) => path.startsWith("/apis/kintsugi.dev/v1alpha1/namespaces/fuzz-"))).toBe(true);
  expect(new Set(requests.map(({ identity }) => identity))).toEqual(new Set(identities));
  expect(requests.some(({ body }) => body !== undefined && Buffer.from(body).includes('"fixture"'))).toBe(true);
});

test("a canary is found in base64 at every offset", () => {
  for (const before of ["", "a", "ab", "abc"]) {
    const encoded = Buffer.from(`${before}canary-4711-secret and more`).toString("base64");
    expect(formsOf("canary-4711-secret").some((form) => encoded.includes(form))).toBe(true);
  }
});

test("any part of a body can be replaced", () => {
  const body = { a: 1, b: [{ c: 2 }] };
  const made = Array.from({ length: 10 }, (_, at) => JSON.stringify(replacePart(body, at, "x")));
  expect(new Set(made)).toEqual(
    new Set(['"x"', '{"a":"x","b":[{"c":2}]}', '{"a":1,"b":"x"}', '{"a":1,"b":["x"]}', '{"a":1,"b":[{"c":"x"}]}']),
  );
});
