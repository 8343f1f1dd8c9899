import type { Pod } from "@kintsugi/api";
import { aPod } from "@kintsugi/simulation";
import { expect, test } from "vitest";
import { WatchedPods } from "./watched-pods.ts";

function readyPod(name: string, { node = "node-1", container = name, restarts = 0 } = {}): Pod {
  const pod = aPod(name, { labels: { app: "web" } });
  return {
    ...pod,
    metadata: { ...pod.metadata, uid: name },
    spec: { ...pod.spec, containers: pod.spec?.containers ?? [], nodeName: node },
    status: {
      phase: "Running",
      conditions: [{ type: "Ready", status: "True" }],
      containerStatuses: [
        {
          name: "main",
          image: "busybox:1",
          imageID: "",
          ready: true,
          restartCount: restarts,
          containerID: `containerd://${container}`,
        },
      ],
    },
  } as Pod;
}

function watched(): WatchedPods {
  const pods = new WatchedPods(new Map([["web", 2]]));
  pods.pod("put", readyPod("web-a"));
  pods.pod("put", readyPod("web-b", { node: "node-2" }));
  pods.begin();
  return pods;
}

const available = (pods: WatchedPods) => pods.of("web").samples.map((each) => each.available);

test("the pods of a machine that loses power are unavailable before the API shows it, and until new containers run", () => {
  const pods = watched();
  pods.machine({ is: "off", node: "node-2" });
  pods.sample(60_000);
  expect(pods.of("web").samples.at(-1)).toEqual({ atMs: 60_000, wanted: 2, ready: 2, available: 1 });
  pods.machine({ is: "connected", node: "node-2" });
  pods.sample(85_000);
  expect(available(pods)).toEqual([2, 1]);
  pods.pod("put", readyPod("web-b", { node: "node-2", container: "second", restarts: 1 }));
  pods.sample(90_000);
  expect(available(pods)).toEqual([2, 1, 2]);
  expect(pods.of("web").counts).toEqual({ created: 0, deleted: 0, evictions: 0, restarts: 1 });
});

test("the pods of a machine that was cut off are available again with its cable", () => {
  const pods = watched();
  pods.machine({ is: "cut", node: "node-2" });
  pods.sample(1);
  pods.machine({ is: "connected", node: "node-2" });
  pods.sample(2);
  expect(available(pods)).toEqual([2, 1, 2]);
  expect(pods.isWhole).toBe(true);
});

test("a replaced pod is counted as evicted, deleted and created", () => {
  const pods = watched();
  const old = readyPod("web-b", { node: "node-2" });
  const evicted = { ...old, metadata: { ...old.metadata, deletionTimestamp: "2026-01-01T00:00:00Z" } };
  evicted.status = { ...old.status, conditions: [{ type: "DisruptionTarget", status: "True" }] };
  pods.pod("put", evicted);
  expect(pods.sample(1)).toEqual(["web"]);
  expect(pods.sample(2)).toEqual([]);
  pods.pod("put", readyPod("web-c"));
  pods.pod("delete", evicted);
  pods.sample(3);
  expect(available(pods)).toEqual([2, 1, 2]);
  expect(pods.of("web").counts).toEqual({ created: 1, deleted: 1, evictions: 1, restarts: 0 });
});
