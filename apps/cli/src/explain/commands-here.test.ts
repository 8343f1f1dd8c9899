import type { Explanation } from "@kintsugi/explanation";
import { expect, test } from "vitest";
import { withCommandsHere } from "./commands-here.ts";

const about = { kind: "Node", namespace: "", name: "n1" };
const of = (...commands: (string | undefined)[]): Explanation => ({
  apiVersion: "kintsugi.dev/v1alpha1",
  kind: "Explanation",
  subject: about,
  state: "",
  observedAt: "",
  reasons: [
    {
      code: "NodeSilent",
      about,
      because: "",
      remedies: commands.map((command) => ({ does: "x", ...(command === undefined ? {} : { command }) })),
    },
  ],
  unread: [],
});
const commandsOf = ({ reasons }: Explanation) => reasons[0]?.remedies?.map(({ command }) => command);
const all = of("kubectl get nodes", "kintsugi node return n1", "kintsugi uncordon n1", "kintsugi status", undefined);

test("the default cluster needs no option", () => {
  expect(withCommandsHere(all, { name: "kintsugi" })).toEqual(all);
});

test("another cluster of this host is named", () => {
  expect(commandsOf(withCommandsHere(all, { name: "lab" }))).toEqual([
    "kubectl get nodes",
    "kintsugi node return n1 --name lab",
    "kintsugi uncordon n1 --name lab",
    "kintsugi status --name lab",
    undefined,
  ]);
});

test("a cluster elsewhere has no supervisor here", () => {
  const here = withCommandsHere(all, { name: "kintsugi", kubeconfig: "/home/me/kube config" });
  expect(commandsOf(here)).toEqual([
    "kubectl get nodes",
    "kintsugi uncordon n1 --kubeconfig '/home/me/kube config'",
    undefined,
  ]);
  expect(withCommandsHere(of("kintsugi status"), { name: "x", kubeconfig: "f" }).reasons[0]).not.toHaveProperty(
    "remedies",
  );
});
