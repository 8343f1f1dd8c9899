import { expect, test } from "vitest";
import { scripted } from "../../testing/builders.ts";
import { withNode } from "../../testing/test-node.ts";

const second = 1000;

test("termination messages of many containers are cut to a share of the pod's limit", () =>
  withNode(async (node) => {
    const names = ["a", "b", "c", "d", "e", "f"];
    const pod = await node.createPod("p", {
      restartPolicy: "Never",
      containers: names.map((name) => scripted(name, "exit:1-after-5s")),
    });
    await node.clock.advance(second);
    for (const name of names) {
      const path = `/kubelet/pods/${pod.metadata.uid}/containers/${name}/termination-0`;
      await node.files.write(path, "x".repeat(5000));
    }
    await node.clock.advance(10 * second);
    const lengths = (await node.pod("p")).status?.containerStatuses?.map(
      ({ state }) => state?.terminated?.message?.length,
    );
    expect(lengths).toEqual(names.map(() => 2048));
  }));
