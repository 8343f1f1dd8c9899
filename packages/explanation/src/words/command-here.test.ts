import { describe, expect, test } from "vitest";
import { commandHere, remediesHere } from "./command-here.ts";

describe("a command for a cluster of kintsugi up", () => {
  test.each([
    ["kintsugi node kill node-2", "kintsugi node kill node-2 --name nw"],
    ["kintsugi explain pod web -n a", "kintsugi explain pod web -n a --name nw"],
    ["kubectl -n a get pods", "kubectl --context kintsugi-nw -n a get pods"],
    [
      "kubectl api-resources -o name | xargs -n 1 kubectl get -n a",
      "kubectl --context kintsugi-nw api-resources -o name | xargs -n 1 kubectl --context kintsugi-nw get -n a",
    ],
    // A pod may have this name.
    ["kubectl -n a delete pod kubectl x", "kubectl --context kintsugi-nw -n a delete pod kubectl x"],
  ])("%s becomes %s", (command, here) => {
    expect(commandHere(command, { name: "nw" })).toBe(here);
  });
});

test("a cluster on another host is named by its kubeconfig, and has no supervisor here", () => {
  const way = { kubeconfig: "/home/me/it's $& here" };
  const quoted = "'/home/me/it'\\''s $& here'";
  expect(commandHere("kubectl get nodes", way)).toBe(`kubectl --kubeconfig ${quoted} get nodes`);
  expect(commandHere("kintsugi uncordon n1", way)).toBe(`kintsugi uncordon n1 --kubeconfig ${quoted}`);
  for (const command of ["kintsugi status", "kintsugi node return n1", "kintsugi server list", "kintsugi crash web"])
    expect(commandHere(command, way)).toBeUndefined();
});

test("a cluster with only a known address is not confused with another cluster", () => {
  const way = { server: "https://192.0.2.1:6443" };
  expect(commandHere("kubectl get nodes", way)).toBe("kubectl --server https://192.0.2.1:6443 get nodes");
  expect(commandHere("kintsugi explain node n1", way)).toBe("kintsugi explain node n1 --kubeconfig FILE");
  expect(commandHere("kintsugi node kill n1", way)).toBeUndefined();
});

test("a simulated cluster has kubectl's commands without a cluster, and no supervisor", () => {
  expect(commandHere("kubectl -n a get pods", "command-bar")).toBe("kubectl -n a get pods");
  for (const command of [
    "kintsugi explain pod web",
    "kintsugi node fence n1",
    "kubectl -n a top pods",
    "kubectl get x | cat",
  ])
    expect(commandHere(command, "command-bar")).toBeUndefined();
  expect(commandHere("kintsugi uncordon n1", "command-bar")).toBe("kubectl uncordon n1");
  expect(commandHere("kintsugi drain n1", "command-bar")).toBe("kubectl drain n1 --ignore-daemonsets");
});

test("a remedy whose command cannot reach the cluster is removed with its text", () => {
  const remedies = [
    { does: "Declare that it is off", command: "kintsugi node fence n1" },
    { does: "Delete the node", command: "kubectl delete node n1" },
    { does: "Wait" },
  ];
  expect(remediesHere(remedies, { kubeconfig: "/k" })).toEqual([
    { does: "Delete the node", command: "kubectl --kubeconfig /k delete node n1" },
    { does: "Wait" },
  ]);
});
