import { expect, test } from "vitest";
import type { Explanation } from "../explanation.ts";
import { withCommandsHere } from "./explanation-here.ts";

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

test("every command names the cluster of this host, including the default cluster", () => {
  expect(commandsOf(withCommandsHere(all, { name: "kintsugi" }))).toEqual([
    "kubectl --context kintsugi-kintsugi get nodes",
    "kintsugi node return n1 --name kintsugi",
    "kintsugi uncordon n1 --name kintsugi",
    "kintsugi status --name kintsugi",
    undefined,
  ]);
});

test("a cluster on another host has no supervisor here", () => {
  const here = withCommandsHere(all, { kubeconfig: "/home/me/kube config" });
  expect(commandsOf(here)).toEqual([
    "kubectl --kubeconfig '/home/me/kube config' get nodes",
    "kintsugi uncordon n1 --kubeconfig '/home/me/kube config'",
    undefined,
  ]);
  expect(withCommandsHere(of("kintsugi status"), { kubeconfig: "f" }).reasons[0]).not.toHaveProperty("remedies");
});
