import { aPod, type TestServer } from "../../testing/test-server.ts";

/** The bytes of an answer, whole or streamed. */
export async function answeredBytes(body: Uint8Array | AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  if (body instanceof Uint8Array) return body;
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** A ReplicaSet of three pods, named `r`, to be scaled. */
export const aReplicaSet = {
  metadata: { name: "r" },
  spec: {
    replicas: 3,
    selector: { matchLabels: { a: "b" } },
    template: { metadata: { labels: { a: "b" } }, spec: aPod("x").spec },
  },
};

const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
export const lampsPath = "/apis/example.com/v1/namespaces/default/lamps";

/** Serves a custom kind, Lamp, that keeps every field. */
export async function defineLamps(server: TestServer): Promise<void> {
  await server.post(definitions, {
    metadata: { name: "lamps.example.com" },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { plural: "lamps", kind: "Lamp" },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
        },
      ],
    },
  });
  await server.clock.advance(1_000);
}

/** Stops serving Lamp, which ends the watches of Lamps. */
export async function forgetLamps(server: TestServer): Promise<void> {
  await server.delete(`${definitions}/lamps.example.com`);
  await server.clock.advance(1_000);
}
