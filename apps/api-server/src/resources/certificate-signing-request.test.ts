import { createSigningRequest } from "@kintsugi/pki";
import { beforeAll, describe, expect, test } from "vitest";
import { TestServer } from "../testing/test-server.ts";

const path = "/apis/certificates.k8s.io/v1/certificatesigningrequests";
const one = `${path}/r`;
const certificate = Buffer.from("a certificate").toString("base64");
const condition = (type: string, status = "True") => ({ type, status, reason: "Test" });

let request: string;
beforeAll(async () => {
  request = Buffer.from((await createSigningRequest({ commonName: "jane", organizations: [] })).request).toString(
    "base64",
  );
});

async function startWithRequest(): Promise<TestServer> {
  const server = await TestServer.start();
  const spec = { request, signerName: "example.org/signer", usages: ["client auth"] };
  expect((await server.post(path, { metadata: { name: "r" }, spec })).status).toBe(201);
  return server;
}

/** Sends the whole object with a changed status, as clients do. */
async function putStatus(server: TestServer, subresource: "approval" | "status" | "", status: object) {
  const { json } = await server.get(one);
  return server.put(subresource === "" ? one : `${one}/${subresource}`, { ...json, status });
}

describe("/approval", () => {
  test("accepts conditions of every type, but no certificate", async () => {
    await using server = await startWithRequest();
    const conditions = [condition("Approved"), condition("example.org/Reviewed", "Unknown")];
    const answer = await putStatus(server, "approval", { conditions, certificate });
    expect(answer.status).toBe(200);
    expect(answer.json.status).toEqual({
      conditions: conditions.map((each) => ({
        ...each,
        lastUpdateTime: "2026-01-01T00:00:00Z",
        lastTransitionTime: "2026-01-01T00:00:00Z",
      })),
    });
  });

  test("accepts a decision once and never a revocation of it", async () => {
    await using server = await startWithRequest();
    await putStatus(server, "approval", { conditions: [condition("Approved")] });
    const removed = await putStatus(server, "approval", { conditions: [condition("example.org/Other")] });
    expect(removed.json.details.causes).toEqual([
      {
        reason: "FieldValueForbidden",
        field: "status.conditions",
        message: 'Forbidden: updates may not remove a condition of type "Approved"',
      },
    ]);
    const both = await putStatus(server, "approval", { conditions: [condition("Approved"), condition("Denied")] });
    expect(both.json.message).toContain(
      'status.conditions[1].type: Invalid value: "Denied": Approved and Denied conditions are mutually exclusive',
    );
    const doubtful = await putStatus(server, "approval", { conditions: [condition("Approved", "False")] });
    expect(doubtful.json.message).toContain(
      'status.conditions[0].status: Unsupported value: "False": supported values: "True"',
    );
    const nameless = await putStatus(server, "approval", { conditions: [condition("Approved"), condition("")] });
    expect(nameless.json.message).toContain("status.conditions[1].type: Required value");
  });
});

describe("/status", () => {
  test("accepts a certificate once, with conditions other than the decision", async () => {
    await using server = await startWithRequest();
    const { json } = await putStatus(server, "approval", { conditions: [condition("Approved")] });
    const [approved] = json.status.conditions;
    await server.clock.advance(60_000);
    const signed = await putStatus(server, "status", {
      certificate,
      conditions: [{ ...approved, message: "something else" }, condition("example.org/Logged")],
    });
    expect(signed.status).toBe(200);
    expect(signed.json.status).toMatchObject({
      certificate,
      conditions: [approved, { type: "example.org/Logged", lastTransitionTime: "2026-01-01T00:01:00Z" }],
    });
    const again = await putStatus(server, "status", { ...signed.json.status, certificate: "AAAA" });
    expect(again.json.message).toContain(
      "status.certificate: Forbidden: updates may not modify existing certificate content",
    );
  });

  test("cannot add or remove a decision through its status", async () => {
    await using server = await startWithRequest();
    const decided = await putStatus(server, "status", { conditions: [condition("Approved")] });
    expect(decided.json.message).toContain(
      'status.conditions: Forbidden: updates may not add a condition of type "Approved"',
    );
    await putStatus(server, "approval", { conditions: [condition("Denied")] });
    expect((await putStatus(server, "status", { conditions: [] })).json.message).toContain(
      'status.conditions: Forbidden: updates may not remove a condition of type "Denied"',
    );
  });
});

test("a write of the object itself does not change its status", async () => {
  await using server = await startWithRequest();
  const answer = await putStatus(server, "", { conditions: [condition("Approved")], certificate });
  expect(answer.status).toBe(200);
  expect(answer.json.status ?? {}).toEqual({});
});
