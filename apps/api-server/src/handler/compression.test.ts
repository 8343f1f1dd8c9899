import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import type { ApiResponse } from "../http/api-request.ts";
import { TestServer } from "../testing/test-server.ts";

const path = "/api/v1/namespaces/default/configmaps";
const accept = { "accept-encoding": "deflate, gzip;q=1.0, *;q=0.5" };

async function startWith(sizes: readonly number[]): Promise<TestServer> {
  const server = await TestServer.start();
  for (const [i, size] of sizes.entries()) {
    await server.post(path, { metadata: { name: `map-${i}` }, data: { text: "x".repeat(size) } });
  }
  return server;
}

async function bytesOf({ body }: ApiResponse): Promise<Buffer> {
  if (body instanceof Uint8Array) return Buffer.from(body);
  const pieces: Uint8Array[] = [];
  for await (const piece of body) pieces.push(piece);
  return Buffer.concat(pieces);
}

test.each([
  ["an object of 200 kB", [200_000], `${path}/map-0`, true],
  ["a list that is streamed", [200_000, 200_000], path, true],
  ["a short answer", [1000], path, false],
])("%s: compressed %s", async (_what, sizes, target, isCompressed) => {
  await using server = await startWith(sizes);
  const plain = await bytesOf(await server.send("GET", target));
  const answer = await server.send("GET", target, { headers: accept });
  const bytes = await bytesOf(answer);
  expect(answer.headers["content-encoding"]).toBe(isCompressed ? "gzip" : undefined);
  expect(answer.headers["vary"]).toBe(isCompressed ? "Accept-Encoding" : undefined);
  expect((isCompressed ? gunzipSync(bytes) : bytes).equals(plain)).toBe(true);
});

test("a client that does not accept gzip, a watch and a refusal receive plain responses", async () => {
  await using server = await startWith([200_000]);
  for (const header of [undefined, "deflate", "gzip;q=0", "x-gzip"]) {
    const headers: Record<string, string> = header === undefined ? {} : { "accept-encoding": header };
    expect((await server.send("GET", `${path}/map-0`, { headers })).headers["content-encoding"]).toBeUndefined();
  }
  expect((await server.send("GET", `${path}/none`, { headers: accept })).headers["content-encoding"]).toBeUndefined();
  const watch = await server.watch(`${path}?watch=1&resourceVersion=0`, { headers: accept });
  expect((await watch.next())?.type).toBe("ADDED");
  watch.stop();
});

test("a reader that closes a compressed list ends it", async () => {
  await using server = await startWith([400_000, 400_000, 400_000]);
  const { body } = await server.send("GET", path, { headers: accept });
  const reader = (body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();
  expect((await reader.next()).done).toBe(false);
  await reader.return?.();
  expect((await reader.next()).done).toBe(true);
});
