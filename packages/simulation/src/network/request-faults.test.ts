import { ApiError } from "@kintsugi/api";
import { VirtualClock } from "@kintsugi/clock/simulated";
import { expect, test } from "vitest";
import { askedOf, RequestFaults } from "./request-faults.ts";

function aRequest(method: string, path: string, headers: Record<string, string> = {}) {
  return { method, path, headers, identity: { name: "admin" } };
}

test("a request is identified by its caller, verb and resource before it is served", () => {
  const pods = "/api/v1/namespaces/default/pods";
  expect(askedOf(aRequest("GET", `${pods}?watch=true`))).toMatchObject({
    user: "admin",
    verb: "watch",
    resource: "pods",
  });
  expect(askedOf(aRequest("GET", pods)).verb).toBe("list");
  expect(askedOf(aRequest("PATCH", `${pods}/a/status`))).toMatchObject({ verb: "patch", resource: "pods/status" });
  expect(askedOf(aRequest("DELETE", pods)).verb).toBe("deletecollection");
  expect(askedOf(aRequest("GET", pods, { "impersonate-user": "eve" })).user).toBe("eve");
  const claims = Buffer.from(JSON.stringify({ sub: "system:serviceaccount:a:b" })).toString("base64url");
  const byToken = { method: "GET", path: pods, headers: { authorization: `Bearer x.${claims}.y` } };
  expect(askedOf(byToken).user).toBe("system:serviceaccount:a:b");
  expect(askedOf({ ...byToken, headers: { authorization: "Bearer a.b.c" } }).user).toBe("");
});

test("a request is rejected before or after its execution, and served again when the fault has ended", async () => {
  const faults = new RequestFaults();
  let served = 0;
  const serve = async () => ({ status: 200 + served++, headers: {}, body: new Uint8Array() });
  const pass = () => faults.pass(aRequest("POST", "/api/v1/nodes"), { clock: new VirtualClock(), serve });
  let isDone = false;
  const end = faults.add(() => ({ refusal: new ApiError("InternalError", "on purpose"), isDone }));
  expect((await pass()).status).toBe(500);
  expect(served).toBe(0);
  isDone = true;
  expect((await pass()).status).toBe(500);
  expect(served).toBe(1);
  end();
  expect((await pass()).status).toBe(201);
});

test("a watch of an external client is cut in the middle", async () => {
  const faults = new RequestFaults();
  async function* pieces() {
    yield Buffer.from("one");
    await new Promise(() => {});
  }
  const answer = { status: 200, headers: {}, body: pieces() };
  const { body } = faults.cuttable(aRequest("GET", "/api/v1/pods?watch=1"), answer);
  const reading = (body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();
  expect((await reading.next()).done).toBe(false);
  const next = reading.next();
  expect(faults.cutWatches(({ resource }) => resource === "nodes")).toBe(0);
  expect(faults.cutWatches(({ resource }) => resource === "pods")).toBe(1);
  await expect(next).rejects.toThrow("connection reset");
});
