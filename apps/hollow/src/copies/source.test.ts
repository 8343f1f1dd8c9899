import { type Pod, pods } from "@kintsugi/api";
import type { Informer, InformerChange } from "@kintsugi/client";
import { expect, test } from "vitest";
import { sourceOf } from "./source.ts";

const aPod = (name: string, nodeName: string) =>
  ({ metadata: { name, namespace: "default" }, spec: { nodeName } }) as Pod;
const nodeOf = (pod: Pod) => pod.spec?.nodeName ?? "";
const textOf = ({ type, object }: InformerChange<Pod>) => `${type} ${object.metadata.name}`;

/** A source of these pods, and a record of what its gate receives. */
function aSource(known: readonly Pod[]) {
  const passed: string[] = [];
  let change: (change: InformerChange<Pod>) => void = () => {};
  const informer: Partial<Informer<Pod>> = {
    type: pods,
    byIndex: (_, node) => known.filter((pod) => nodeOf(pod) === node),
    onChange: (handler) => {
      change = handler;
      return () => {};
    },
  };
  const source = sourceOf(informer as Informer<Pod>, nodeOf, (tell) => ({
    pass: (each) => {
      passed.push(`pass ${textOf(each)}`);
      tell(each);
    },
    boot: (objects) => void passed.push(...objects.map(({ metadata }) => `boot ${metadata.name}`)),
  }));
  return { source, passed, change: (each: InformerChange<Pod>) => change(each) };
}

test("the pods of a booted machine pass the gate, and the pods of a restarted kubelet do not", () => {
  const { source, passed } = aSource([aPod("a", "n1"), aPod("b", "n2")]);
  const read: string[] = [];
  const reader = { onSourceChange: (change: InformerChange<Pod>) => void read.push(textOf(change)) };
  source.read({ name: "n1", hasBooted: true }, reader);
  expect([passed, read]).toEqual([["boot a"], []]);
  source.read({ name: "n2", hasBooted: false }, reader);
  expect([passed, read]).toEqual([["boot a"], ["added b"]]);
});

test("a pod that is created while its node is off waits for its kubelet and uses no place at the gate", () => {
  const { source, passed, change } = aSource([]);
  change({ type: "added", object: aPod("a", "n1") });
  expect(passed).toEqual([]);
  const stop = source.read({ name: "n1", hasBooted: true }, { onSourceChange: () => {} });
  change({ type: "added", object: aPod("b", "n1") });
  stop();
  change({ type: "added", object: aPod("c", "n1") });
  change({ type: "deleted", object: aPod("c", "n1") });
  expect(passed).toEqual(["pass added b", "pass deleted c"]);
});
