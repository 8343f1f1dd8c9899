import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { receivers, serveOverTls } from "../testing/served-over-tls.ts";
import { bodyBytesMax } from "../http/bodies/body-limits.ts";

const path = "/api/v1/namespaces/default/configmaps";
const body = (name: string) => JSON.stringify({ metadata: { name }, data: { a: "b" } });

describe.each(receivers)("received by %s", (receiver) => {
  let served: Awaited<ReturnType<typeof serveOverTls>>;
  beforeAll(async () => {
    served = await serveOverTls({}, receiver);
  });
  afterAll(() => served[Symbol.asyncDispose]());

  describe.each(["http1", "http2"] as const)("a body by %s", (protocol) => {
    test("without a type is read as JSON", async () => {
      const answer = await served[protocol](path, { method: "POST", body: body(`untyped-${protocol}`) });
      expect(answer.status).toBe(201);
      expect(JSON.parse(answer.text).data).toEqual({ a: "b" });
      const options = await served[protocol](`${path}/untyped-${protocol}`, {
        method: "DELETE",
        body: JSON.stringify({ kind: "DeleteOptions", preconditions: { uid: "other" } }),
      });
      expect(options.status).toBe(409);
    });

    test("with an unknown patch type is rejected for its type, even if it has other faults", async () => {
      await served[protocol](path, { method: "POST", body: body(`patched-${protocol}`) });
      const answer = await served[protocol](`${path}/patched-${protocol}`, { method: "PATCH", body: "{}" });
      expect(answer.status).toBe(415);
    });

    test("that is empty is not an object", async () => {
      expect((await served[protocol](path, { method: "POST", body: "" })).status).toBe(400);
      expect((await served[protocol](path, { method: "POST" })).status).toBe(400);
    });

    test("beyond upstream's limit is rejected", async () => {
      const answer = await served[protocol](path, { method: "POST", body: Buffer.alloc(bodyBytesMax + 1, " ") });
      expect(answer).toMatchObject({ status: 413, text: expect.stringContaining("Request entity too large") });
    });
  });
});
