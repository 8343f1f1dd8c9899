import { replicaSets, silentLogger } from "@kintsugi/api";
import { SeededRandom } from "@kintsugi/clock/simulated";
import { Expectations } from "@kintsugi/controller";
import { expect, test } from "vitest";
import { aPod, aReplicaSet, ControllerTestCluster } from "../../testing/test-cluster.ts";
import { ReplicaWriter } from "./replica-writer.ts";

/** Returns the same letter for its first ten draws, which make two names. */
class RepeatingRandom extends SeededRandom {
  #draws = 0;

  override integer(below: number): number {
    return this.#draws++ < 10 ? 0 : super.integer(below);
  }
}

test.each([
  ["of the same batch", 2, []],
  ["that exists already", 1, ["web-bbbbb"]],
])("a new pod never gets the name of a pod %s", async (_, count, there) => {
  const cluster = new ControllerTestCluster();
  const set = aReplicaSet("web", 2);
  cluster.put("replicasets", set);
  for (const name of there) cluster.put("pods", aPod(name));
  const writer = new ReplicaWriter({
    ownerType: replicaSets,
    client: cluster.client(),
    random: new RepeatingRandom(1),
    log: silentLogger,
    recordEvent: () => {},
    expectations: new Expectations({ clock: cluster.clock }),
  });
  const isTaken = (name: string) => there.includes(name);
  const wanted = { key: "default/web", count, oldNames: [], avoid: [], isTaken };
  const writing = writer.create(set, wanted, new AbortController().signal);
  await cluster.clock.advance(1000);
  expect(await writing).toEqual({ unsettled: [] });
  expect(cluster.pods()).toHaveLength(count + there.length);
});
