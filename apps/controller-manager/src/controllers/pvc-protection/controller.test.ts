import type { PersistentVolumeClaim, Pod } from "@kintsugi/api";
import { describe, expect, test } from "vitest";
import { aPod, ControllerTestCluster } from "../../testing/test-cluster.ts";
import { pvcProtectionController } from "./controller.ts";

const deletionTimestamp = "2026-01-01T00:00:00Z";

function aClaim(name: string, metadata: PersistentVolumeClaim["metadata"] = {}): PersistentVolumeClaim {
  return {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { name, namespace: "default", uid: `uid-of-${name}`, ...metadata },
    spec: {},
  };
}

/** A pod with a volume from the claim `data`. */
function aUser(volume: NonNullable<NonNullable<Pod["spec"]>["volumes"]>[number], node: string | undefined): Pod {
  const pod = aPod("p", node === undefined ? {} : { node });
  return { ...pod, spec: { containers: [], ...pod.spec, volumes: [volume] } };
}

const ofClaim = { name: "v", persistentVolumeClaim: { claimName: "data" } };

async function startWith(pod: Pod | undefined, claim: PersistentVolumeClaim): Promise<ControllerTestCluster> {
  const cluster = new ControllerTestCluster();
  if (pod !== undefined) cluster.put("pods", pod);
  cluster.put("persistentvolumeclaims", claim);
  await cluster.start(pvcProtectionController);
  await cluster.clock.settle();
  return cluster;
}

const finalizersOf = (cluster: ControllerTestCluster, name = "data") =>
  cluster.find<PersistentVolumeClaim>("persistentvolumeclaims", name)?.metadata.finalizers;

describe("the finalizer of a claim", () => {
  const going = { deletionTimestamp, finalizers: ["example.com/x", "kubernetes.io/pvc-protection"] };

  test("is added where it is missing", async () => {
    const cluster = await startWith(undefined, aClaim("data", { finalizers: ["example.com/x"] }));
    expect(finalizersOf(cluster)).toEqual(["example.com/x", "kubernetes.io/pvc-protection"]);
  });

  test("is not added to a claim that is being deleted", async () => {
    const cluster = await startWith(undefined, aClaim("data", { deletionTimestamp, finalizers: ["example.com/x"] }));
    expect(finalizersOf(cluster)).toEqual(["example.com/x"]);
  });

  test.each<[string, Pod | undefined]>([
    ["no pod uses the claim", undefined],
    ["its pod has no node", aUser(ofClaim, undefined)],
    ["another claim is used", aUser({ name: "v", persistentVolumeClaim: { claimName: "other" } }, "n1")],
  ])("is removed with the claim when %s", async (_name, pod) => {
    expect(finalizersOf(await startWith(pod, aClaim("data", going)))).toEqual(["example.com/x"]);
  });

  test("remains until the last pod is removed", async () => {
    const pod = aUser(ofClaim, "n1");
    const cluster = await startWith(pod, aClaim("data", going));
    const ended: Pod = { ...pod, status: { phase: "Succeeded" } };
    cluster.put("pods", ended);
    await cluster.clock.settle();
    expect(finalizersOf(cluster)).toEqual(going.finalizers);
    cluster.remove("pods", cluster.find<Pod>("pods", "p")!);
    await cluster.clock.settle();
    expect(finalizersOf(cluster)).toEqual(["example.com/x"]);
  });

  test("remains while the pod uses the claim that was created for it", async () => {
    const ephemeral = { name: "v", ephemeral: { volumeClaimTemplate: { spec: {} } } };
    const cluster = await startWith(aUser(ephemeral, "n1"), aClaim("p-v", going));
    expect(finalizersOf(cluster, "p-v")).toEqual(going.finalizers);
  });

  test("remains while a pod exists that the local cache does not show yet", async () => {
    const cluster = new ControllerTestCluster();
    cluster.delay = (path) => (path.includes("/pods") ? 60_000 : 0);
    cluster.put("persistentvolumeclaims", aClaim("data", { finalizers: going.finalizers }));
    await cluster.start(pvcProtectionController);
    cluster.put("pods", aUser(ofClaim, "n1"));
    cluster.put("persistentvolumeclaims", aClaim("data", going));
    await cluster.clock.advance(1000);
    expect(finalizersOf(cluster)).toEqual(going.finalizers);
  });
});
